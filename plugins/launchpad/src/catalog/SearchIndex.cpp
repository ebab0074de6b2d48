#include "catalog/SearchIndex.h"

#include "portico/Text.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

namespace portico::launchpad
{

namespace
{
constexpr double prefixScore = 0.8, typoScore = 0.6, trigramScore = 0.5, leastSimilarity = 0.5;

bool separates(char c)
{
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x80 && !((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'));
}

/// The words of a text, as it spells them.
std::vector<std::string_view> wordsIn(std::string_view text)
{
    std::vector<std::string_view> words;
    std::size_t begin = 0;
    while (begin < text.size())
    {
        while (begin < text.size() && separates(text[begin])) ++begin;
        auto end = begin;
        while (end < text.size() && !separates(text[end])) ++end;
        if (end > begin) words.push_back(text.substr(begin, end - begin));
        begin = end;
    }
    return words;
}

std::vector<std::string> trigramsOf(std::string_view word)
{
    const auto padded = "  " + std::string(word) + " ";
    std::vector<std::string> trigrams;
    for (std::size_t i = 0; i + 3 <= padded.size(); ++i) trigrams.push_back(padded.substr(i, 3));
    std::ranges::sort(trigrams);
    return trigrams;
}

/// Dice coefficient of two sorted lists.
double similarity(const std::vector<std::string>& left, const std::vector<std::string>& right)
{
    std::vector<std::string> common;
    std::ranges::set_intersection(left, right, std::back_inserter(common));
    return 2.0 * static_cast<double>(common.size()) / static_cast<double>(left.size() + right.size());
}

/// Returns whether one insertion, deletion, replacement or exchange of neighbours makes one word of the other.
bool isOneTypo(std::string_view left, std::string_view right)
{
    const auto same = static_cast<std::size_t>(std::ranges::mismatch(left, right).in1 - left.begin());
    left.remove_prefix(same);
    right.remove_prefix(same);
    if (left.empty() || right.empty()) return left.size() + right.size() == 1;
    const bool replaced = left.substr(1) == right.substr(1);
    const bool deleted = left.substr(1) == right, inserted = left == right.substr(1);
    const bool exchanged =
        left.size() > 1 && right.size() > 1 && left[0] == right[1] && left[1] == right[0] && left.substr(2) == right.substr(2);
    return replaced || deleted || inserted || exchanged;
}

/// The same for the beginning of `word`.
bool beginsWithTypo(std::string_view wanted, std::string_view word)
{
    for (auto length = wanted.size() - 1; length <= wanted.size() + 1 && length <= word.size(); ++length)
        if (isOneTypo(wanted, word.substr(0, length))) return true;
    return false;
}

double match(std::string_view wanted, const std::vector<std::string>& trigrams, std::string_view word,
             const std::vector<std::string>& wordTrigrams)
{
    if (word == wanted) return 1;
    if (word.starts_with(wanted)) return prefixScore;
    // In a short word one typo leaves little, so its first letter has to agree.
    if (wanted.size() >= 5 ? beginsWithTypo(wanted, word) : wanted.size() >= 3 && word[0] == wanted[0] && isOneTypo(wanted, word))
        return typoScore;
    const auto similar = similarity(trigrams, wordTrigrams);
    return similar >= leastSimilarity ? trigramScore * similar : 0;
}
} // namespace

void SearchIndex::add(std::size_t document, std::string_view field, std::string_view text, double weight)
{
    for (const auto word : wordsIn(text))
    {
        auto folded = fold(word);
        if (folded.empty()) continue;
        auto& entry = _words[folded];
        if (entry.trigrams.empty()) entry.trigrams = trigramsOf(folded);
        entry.places.push_back({document, std::string(field), std::string(word), weight});
    }
}

std::vector<SearchHit> SearchIndex::find(std::string_view query) const
{
    std::optional<std::map<std::size_t, SearchHit>> found;
    std::size_t count = 0;
    for (const auto raw : wordsIn(query))
    {
        const auto wanted = fold(raw);
        if (wanted.empty()) continue;
        ++count;
        const auto trigrams = trigramsOf(wanted);
        std::map<std::size_t, std::pair<double, const Place*>> best;
        for (const auto& [word, entry] : _words)
        {
            const auto score = match(wanted, trigrams, word, entry.trigrams);
            if (score <= 0) continue;
            for (const auto& place : entry.places)
            {
                auto& kept = best[place.document];
                if (score * place.weight > kept.first) kept = {score * place.weight, &place};
            }
        }
        std::map<std::size_t, SearchHit> both;
        for (const auto& [document, scored] : best)
        {
            SearchHit hit{document, 0, {}};
            if (found)
            {
                const auto before = found->find(document);
                if (before == found->end()) continue;
                hit = std::move(before->second);
            }
            hit.score += scored.first;
            hit.matches.push_back({scored.second->field, scored.second->word});
            both.emplace(document, std::move(hit));
        }
        found = std::move(both);
    }
    std::vector<SearchHit> hits;
    if (!found) return hits;
    for (auto& [document, hit] : *found)
    {
        hit.score /= static_cast<double>(count);
        hits.push_back(std::move(hit));
    }
    std::ranges::stable_sort(hits, std::ranges::greater(), &SearchHit::score);
    return hits;
}

} // namespace portico::launchpad
