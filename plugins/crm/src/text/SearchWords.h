#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

// The searched text is folded and has several lines; queries are folded words. A word begins after white space, at a letter or digit after
// another character, and at such another character except the dot. In scripts without spaces (Chinese, Japanese, Thai, …) it begins at
// every character. Thus `king@mail.example.com` has the beginnings `king@…`, `@mail…`, `mail…` and `example…`. Its last label is left out,
// because it is too common. Of a long text only the first 64 beginnings are indexed.

/// Returns the words of a query, folded, without apostrophes, hyphens and duplicates. The text contains each line with such marks also
/// without them, so `o'brien`, `o’brien` and `obrien` find the same. A query that looks like a phone number is one word: its digits without
/// leading zeros, in which national and international forms differ.
std::vector<std::string> searchWords(std::string_view query);

/// Returns the texts from each beginning of a word to the next white space, truncated by `wordKey`; sorted, without duplicates.
std::vector<std::string> wordKeys(std::string_view text);

/// Returns the part of a word that the index contains: up to 32 bytes, whole characters.
std::string_view wordKey(std::string_view word);

/// Returns true if a word of the text starts with this.
bool beginsWord(std::string_view text, std::string_view word);

/// Returns true if a text has all words: short ones at the beginning of a word, longer ones anywhere.
bool hasWords(std::string_view text, const std::vector<std::string>& words);

/// Returns true for up to two characters. They are searched at beginnings of words only, because nearly every text contains them.
bool isShortWord(std::string_view word);

} // namespace portico::crm
