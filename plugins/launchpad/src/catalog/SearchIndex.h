#pragma once

#include <cstddef>
#include <map>
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
    double score = 0;
    std::vector<SearchMatch> matches;
};

/// Finds documents by words: whole words, beginnings of words, words with one typo, and words with similar trigrams. Case and accents are
/// ignored. Built by one thread, then thread-safe.
class SearchIndex
{
public:
    /// Adds the words of a text. @param weight from 0 to 1
    void add(std::size_t document, std::string_view field, std::string_view text, double weight);
    /// Returns the documents in which every word of the query matches a word, best first. The score is from 0 to 1.
    std::vector<SearchHit> find(std::string_view query) const;

private:
    struct Place
    {
        std::size_t document;
        std::string field;
        std::string word;
        double weight;
    };
    struct Entry
    {
        /// Sorted.
        std::vector<std::string> trigrams;
        std::vector<Place> places;
    };
    std::map<std::string, Entry, std::less<>> _words;
};

} // namespace portico::launchpad
