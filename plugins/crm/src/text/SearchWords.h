#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

// What is searched is a folded text of several lines; what is looked for are words of a folded query. A word begins after white space or a
// line break, at a letter or digit after another character, at such another character but the dot, and at every character of scripts that
// write no spaces (Chinese, Japanese, Thai, …). So `king@mail.example.com` has the beginnings `king@…`, `@mail…`, `mail…` and `example…`;
// its last label is none, because everybody has it. Of a very long text only the first 64 beginnings count; the rest is inside of words.

/// The words of a typed query, folded and without apostrophes and hyphens, each once: the text has each line that has such marks without
/// them, too, so `o'brien`, `o’brien` and `obrien` find the same. A query that looks like a phone number is one word: its digits, without
/// zeros at their start, in which national and international forms differ.
std::vector<std::string> searchWords(std::string_view query);

/// The texts from each beginning of a word to the next white space, cut as by `wordKey`, each once, sorted.
std::vector<std::string> wordKeys(std::string_view text);

/// The start of a word, as long as an index has it: up to 32 bytes, whole characters.
std::string_view wordKey(std::string_view word);

/// True if a word of the text starts with this.
bool beginsWord(std::string_view text, std::string_view word);

/// True if a text has all of some words: short ones at the beginning of a word, longer ones anywhere.
bool hasWords(std::string_view text, const std::vector<std::string>& words);

/// Two characters and fewer are looked for at the beginnings of words only: they are inside of nearly everything.
bool isShortWord(std::string_view word);

} // namespace portico::crm
