#include "text/SearchWords.h"

#include "text/FoldedText.h"
#include "text/PhoneNumber.h"
#include "text/VisibleText.h"

#include "portico/Text.h"

#include <algorithm>

namespace portico::crm
{

namespace
{

constexpr std::size_t longestWordKey = 32;
constexpr int maxBeginnings = 64;
constexpr std::string_view spaces = " \t\r\n\v\f";

bool isSpace(char c) { return spaces.find(c) != std::string_view::npos; }
bool isInside(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

/// Returns true for scripts without spaces between words. For Hangul, which folding decomposes, returns true for letters that begin a
/// syllable.
bool isUnspaced(char32_t c)
{
    return (c >= 0x0e00 && c < 0x0f00) || (c >= 0x1000 && c < 0x10a0) || (c >= 0x1100 && c < 0x1113) || (c >= 0x1780 && c < 0x1800) ||
           (c >= 0x2e80 && c < 0xa4d0) || (c >= 0xf900 && c < 0xfb00) || (c >= 0x20000 && c < 0x40000);
}

bool isWordCharacter(char32_t c) { return c >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Returns true if a word begins at a position. The position must be the start of a character that is not a space.
bool isBeginning(std::string_view text, std::size_t at)
{
    if (at == 0 || isSpace(text[at - 1])) return true;
    const auto character = firstCodePoint(text.substr(at)).code;
    if (!isWordCharacter(character)) return character != '.';
    return !isWordCharacter(static_cast<unsigned char>(text[at - 1])) || isUnspaced(character);
}

/// The rest of the word at a position.
std::string_view restOfWord(std::string_view text, std::size_t at)
{
    return text.substr(at, std::min(text.find_first_of(spaces, at), text.size()) - at);
}

/// Returns true for the last label of an e-mail address at the end of its line.
bool isLastLabel(std::string_view text, std::size_t at, std::string_view rest)
{
    if (at == 0 || text[at - 1] != '.' || rest.find('.') != std::string_view::npos) return false;
    const auto begin = text.find_last_of(spaces, at - 1);
    return text.substr(begin == std::string_view::npos ? 0 : begin, at).find('@') != std::string_view::npos;
}

/// Calls `visit` with the text from each beginning of a word to the next white space, until it returns false. Stops after a maximum number
/// of beginnings, which bounds the rows of a contact.
template <class Visit>
void visitBeginnings(std::string_view text, Visit visit)
{
    int count = 0;
    for (std::size_t at = 0; at < text.size() && count < maxBeginnings; ++at)
    {
        if (isSpace(text[at]) || isInside(text[at]) || !isBeginning(text, at)) continue;
        const auto rest = restOfWord(text, at);
        if (isLastLabel(text, at, rest)) continue;
        if (!visit(rest)) return;
        ++count;
    }
}

bool isPhoneQuery(std::string_view query)
{
    constexpr std::string_view characters = "0123456789 +-.()/";
    return query.find_first_not_of(characters) == std::string_view::npos && digitsOf(query).size() >= 3;
}

} // namespace

std::vector<std::string> searchWords(std::string_view query)
{
    // Before a number is recognized: people paste dashes of all lengths, wide digits and directional marks with it.
    const std::string typed = fold(query);
    if (isPhoneQuery(typed))
    {
        const auto digits = digitsOf(typed);
        return {digits.substr(std::min(digits.find_first_not_of('0'), digits.size() - 1))};
    }
    std::vector<std::string> words;
    const std::string folded = withoutMarks(typed);
    for (std::string_view rest = trim(folded); !rest.empty();)
    {
        const auto word = restOfWord(rest, 0);
        if (std::find(words.begin(), words.end(), word) == words.end()) words.emplace_back(word);
        rest = trim(rest.substr(word.size()));
    }
    return words;
}

std::string_view wordKey(std::string_view word)
{
    if (word.size() <= longestWordKey) return word;
    std::size_t end = longestWordKey;
    while (end > 0 && isInside(word[end])) --end;
    return word.substr(0, end);
}

std::vector<std::string> wordKeys(std::string_view text)
{
    std::vector<std::string> keys;
    visitBeginnings(text,
                    [&](std::string_view rest)
                    {
                        keys.emplace_back(wordKey(rest));
                        return true;
                    });
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    return keys;
}

bool beginsWord(std::string_view text, std::string_view word)
{
    if (text.find(word) == std::string_view::npos) return false;
    bool found = false;
    visitBeginnings(text,
                    [&](std::string_view rest)
                    {
                        found = rest.starts_with(word);
                        return !found;
                    });
    return found;
}

bool hasWords(std::string_view text, const std::vector<std::string>& words)
{
    return std::all_of(words.begin(), words.end(),
                       [&](const auto& word)
                       { return isShortWord(word) ? beginsWord(text, word) : text.find(word) != std::string_view::npos; });
}

bool isShortWord(std::string_view word)
{
    constexpr std::ptrdiff_t trigram = 3;
    return std::count_if(word.begin(), word.end(), [](char c) { return !isInside(c); }) < trigram;
}

} // namespace portico::crm
