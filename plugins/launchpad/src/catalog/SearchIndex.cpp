#include "catalog/SearchIndex.h"

#include "portico/Text.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>

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

/// Three bytes each.
std::vector<std::uint32_t> trigramsOf(std::string_view word)
{
    const auto padded = "  " + std::string(word) + " ";
    std::vector<std::uint32_t> trigrams;
    std::uint32_t last = 0;
    for (std::size_t i = 0; i < padded.size(); ++i)
    {
        last = (last << 8 | static_cast<unsigned char>(padded[i])) & 0xFFFFFF;
        if (i >= 2) trigrams.push_back(last);
    }
    std::ranges::sort(trigrams);
    return trigrams;
}

/// Dice coefficient of two lists.
double similarity(std::size_t left, std::size_t right, std::size_t common)
{
    return 2.0 * static_cast<double>(common) / static_cast<double>(left + right);
}

/// Returns whether two words differ by one insertion, deletion, replacement or swap of neighbours.
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

/// Like `isOneTypo`, for a prefix of `word`.
bool beginsWithTypo(std::string_view wanted, std::string_view word)
{
    for (auto length = wanted.size() - 1; length <= wanted.size() + 1 && length <= word.size(); ++length)
        if (isOneTypo(wanted, word.substr(0, length))) return true;
    return false;
}

/// A word of a query.
struct Wanted
{
    std::string_view word;
    std::vector<std::uint32_t> trigrams;
};

double match(const Wanted& wanted, std::string_view word, std::size_t trigrams, std::size_t common)
{
    if (word.starts_with(wanted.word)) return word.size() == wanted.word.size() ? 1 : prefixScore;
    // Short words with a typo match too much, so the first letter must match.
    if (wanted.word.size() >= 5 ? beginsWithTypo(wanted.word, word)
                                : wanted.word.size() >= 3 && word[0] == wanted.word[0] && isOneTypo(wanted.word, word))
        return typoScore;
    const auto similar = similarity(wanted.trigrams.size(), trigrams, common);
    return similar >= leastSimilarity ? trigramScore * similar : 0;
}

/// Numbers texts from 0 in the order in which they first appear.
class Numbering
{
public:
    explicit Numbering(std::vector<std::string>& texts) : _texts(texts) {}
    std::uint32_t of(std::string_view text)
    {
        const auto known = _numbers.find(text);
        if (known != _numbers.end()) return known->second;
        const auto number = static_cast<std::uint32_t>(_texts.size());
        _texts.emplace_back(text);
        _numbers.emplace(text, number);
        return number;
    }

private:
    std::vector<std::string>& _texts;
    std::map<std::string, std::uint32_t, std::less<>> _numbers;
};
} // namespace

SearchIndex::SearchIndex(const std::vector<SearchText>& texts)
{
    addWords(texts);
    addTrigrams();
}

void SearchIndex::addWords(const std::vector<SearchText>& texts)
{
    Numbering fields(_fields), spellings(_spellings);
    std::map<std::string, std::vector<Place>> words;
    for (const auto& text : texts)
        for (const auto word : wordsIn(text.text))
        {
            auto folded = fold(word);
            if (folded.empty()) continue;
            words[std::move(folded)].push_back(
                {static_cast<std::uint32_t>(text.document), fields.of(text.field), spellings.of(word), text.weight});
            _documents = std::max(_documents, text.document + 1);
        }
    _words.reserve(words.size());
    for (const auto& [folded, places] : words)
    {
        _places.insert(_places.end(), places.begin(), places.end());
        _words.push_back({folded, 0, _places.size()});
    }
}

void SearchIndex::addTrigrams()
{
    std::map<std::uint32_t, std::vector<Posting>> postings;
    for (std::size_t i = 0; i < _words.size(); ++i)
    {
        const auto trigrams = trigramsOf(_words[i].folded);
        _words[i].trigrams = trigrams.size();
        for (const auto trigram : trigrams)
        {
            auto& ofTrigram = postings[trigram];
            if (!ofTrigram.empty() && ofTrigram.back().word == i)
                ++ofTrigram.back().times;
            else
                ofTrigram.push_back({static_cast<std::uint32_t>(i), 1});
        }
    }
    _trigrams.reserve(postings.size());
    for (const auto& [trigram, ofTrigram] : postings)
    {
        _postings.insert(_postings.end(), ofTrigram.begin(), ofTrigram.end());
        _trigrams.push_back({trigram, _postings.size()});
    }
}

std::span<const SearchIndex::Place> SearchIndex::placesOf(std::size_t word) const
{
    const auto begin = word == 0 ? 0 : _words[word - 1].endOfPlaces;
    return std::span(_places).subspan(begin, _words[word].endOfPlaces - begin);
}

std::span<const SearchIndex::Posting> SearchIndex::postingsOf(std::uint32_t trigram) const
{
    const auto found = std::ranges::lower_bound(_trigrams, trigram, {}, &Trigram::text);
    if (found == _trigrams.end() || found->text != trigram) return {};
    const auto begin = found == _trigrams.begin() ? 0 : std::prev(found)->endOfPostings;
    return std::span(_postings).subspan(begin, found->endOfPostings - begin);
}

/// Returns for each word how many trigrams it shares with a sorted list.
std::vector<std::uint32_t> SearchIndex::commonTrigrams(const std::vector<std::uint32_t>& trigrams) const
{
    std::vector<std::uint32_t> common(_words.size());
    for (auto each = trigrams.begin(); each != trigrams.end();)
    {
        const auto next = std::upper_bound(each, trigrams.end(), *each);
        const auto times = static_cast<std::uint32_t>(next - each);
        for (const auto& posting : postingsOf(*each)) common[posting.word] += std::min(times, posting.times);
        each = next;
    }
    return common;
}

SearchIndex::Result SearchIndex::find(std::string_view query) const
{
    Result result;
    result._index = this;
    std::vector<double> sum(_documents), best;
    for (const auto raw : wordsIn(query))
    {
        const auto folded = fold(raw);
        if (folded.empty()) continue;
        const Wanted wanted{folded, trigramsOf(folded)};
        const auto common = commonTrigrams(wanted.trigrams);
        best.assign(_documents, 0);
        auto& places = result._places.emplace_back(_documents);
        // In the order of the words: the first of two equal matches is shown.
        for (std::size_t word = 0; word < _words.size(); ++word)
        {
            // Every match shares a trigram: a typo changes at most four, and the first of a short word never.
            if (common[word] == 0) continue;
            const auto score = match(wanted, _words[word].folded, _words[word].trigrams, common[word]);
            if (score <= 0) continue;
            for (const auto& place : placesOf(word))
            {
                if (score * place.weight <= best[place.document]) continue;
                best[place.document] = score * place.weight;
                places[place.document] = &place;
            }
        }
        std::ranges::transform(sum, best, sum.begin(), std::plus());
    }
    if (result._places.empty()) return result;
    const auto words = static_cast<double>(result._places.size());
    for (std::size_t document = 0; document < _documents; ++document)
        if (std::ranges::all_of(result._places, [&](const auto& places) { return places[document] != nullptr; }))
            result._hits.push_back({document, sum[document] / words});
    return result;
}

std::vector<SearchHit> SearchIndex::Result::best(std::size_t limit, const std::function<bool(std::size_t)>& accepts) const
{
    std::vector<SearchHit> accepted;
    std::ranges::copy_if(_hits, std::back_inserter(accepted), [&](const SearchHit& hit) { return accepts(hit.document); });
    const auto end = accepted.begin() + static_cast<std::ptrdiff_t>(std::min(limit, accepted.size()));
    const auto isBetter = [](const SearchHit& left, const SearchHit& right)
    { return left.score != right.score ? left.score > right.score : left.document < right.document; };
    std::ranges::partial_sort(accepted, end, isBetter);
    accepted.erase(end, accepted.end());
    return accepted;
}

std::vector<SearchMatch> SearchIndex::Result::matchesOf(const SearchHit& hit) const
{
    std::vector<SearchMatch> matches;
    for (const auto& places : _places)
    {
        const auto& place = *places[hit.document];
        matches.push_back({_index->_fields[place.field], _index->_spellings[place.spelling]});
    }
    return matches;
}

} // namespace portico::launchpad
