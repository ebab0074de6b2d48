#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace portico::launchpad
{

/// A word of a text that matched a search.
struct SearchMatch
{
    std::string field;
    /// Spelled like in the text.
    std::string word;
};

struct SearchHit
{
    std::size_t document = 0;
    /// From 0 to 1.
    double score = 0;
};

/// A text of a document.
struct SearchText
{
    std::size_t document = 0;
    std::string_view field;
    std::string_view text;
    /// From 0 to 1.
    double weight = 0;
};

/// Finds documents by words: whole words, beginnings of words, words with one typo, and words with similar trigrams. Case and accents are
/// ignored. A search compares only words that share a trigram with the query: every word that matches does. Immutable, so threads may share
/// it.
class SearchIndex
{
public:
    SearchIndex() = default;
    explicit SearchIndex(const std::vector<SearchText>& texts);

    class Result;
    /// Returns the documents in which every word of the query matches a word. The index outlives the result.
    Result find(std::string_view query) const;

private:
    /// A word in a document.
    struct Place
    {
        std::uint32_t document;
        std::uint32_t field;
        std::uint32_t spelling;
        double weight;
    };
    struct Word
    {
        std::string folded;
        std::size_t trigrams;
        /// Its places are those before this one, back to the places of the word before.
        std::size_t endOfPlaces;
    };
    /// A word that has a trigram.
    struct Posting
    {
        std::uint32_t word;
        std::uint32_t times;
    };
    struct Trigram
    {
        std::uint32_t text;
        /// Its postings are those before this one, back to the postings of the trigram before.
        std::size_t endOfPostings;
    };

    void addWords(const std::vector<SearchText>& texts);
    void addTrigrams();
    std::span<const Place> placesOf(std::size_t word) const;
    std::span<const Posting> postingsOf(std::uint32_t trigram) const;
    std::vector<std::uint32_t> commonTrigrams(const std::vector<std::uint32_t>& trigrams) const;

    /// Sorted.
    std::vector<Word> _words;
    std::vector<Place> _places;
    /// Sorted.
    std::vector<Trigram> _trigrams;
    std::vector<Posting> _postings;
    std::vector<std::string> _fields, _spellings;
    /// One more than the largest document.
    std::size_t _documents = 0;
};

/// Documents that a search found. Texts are copied only when matches are requested.
class SearchIndex::Result
{
public:
    /// In the order of the documents.
    const std::vector<SearchHit>& hits() const noexcept { return _hits; }
    /// Returns the hits with the highest scores, best first; of equal ones the first documents. @param accepts rejects documents
    std::vector<SearchHit> best(std::size_t limit, const std::function<bool(std::size_t document)>& accepts) const;
    /// Returns the best match of each word of the query.
    std::vector<SearchMatch> matchesOf(const SearchHit& hit) const;

private:
    friend class SearchIndex;
    const SearchIndex* _index = nullptr;
    std::vector<SearchHit> _hits;
    /// By word of the query, then by document.
    std::vector<std::vector<const Place*>> _places;
};

} // namespace portico::launchpad
