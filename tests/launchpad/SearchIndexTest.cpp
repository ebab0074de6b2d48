#include "catalog/SearchIndex.h"
#include "support/Suite.h"

#include "portico/Text.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico::tests
{

namespace
{

using launchpad::SearchIndex;
using launchpad::SearchText;

struct Found
{
    std::size_t document = 0;
    double score = 0;
    /// Field and word of each word of the query.
    std::vector<std::pair<std::string, std::string>> matches;

    friend bool operator==(const Found&, const Found&) = default;
};

/// Finds what `SearchIndex` promises by comparing every word of the query with every word of every text.
class PlainSearch
{
public:
    explicit PlainSearch(const std::vector<SearchText>& texts)
    {
        for (const auto& text : texts)
            for (const auto& word : wordsIn(text.text))
            {
                const auto folded = fold(word);
                if (!folded.empty()) _words[folded].push_back({text.document, std::string(text.field), word, text.weight});
            }
    }

    std::vector<Found> find(std::string_view query) const
    {
        std::vector<std::map<std::size_t, Best>> byWord;
        for (const auto& word : wordsIn(query))
            if (const auto folded = fold(word); !folded.empty()) byWord.push_back(matchesOf(folded));
        std::vector<Found> found;
        if (byWord.empty()) return found;
        for (const auto& [document, first] : byWord.front())
        {
            Found hit{document, 0, {}};
            for (const auto& matches : byWord)
                if (const auto match = matches.find(document); match != matches.end())
                {
                    hit.score += match->second.score;
                    hit.matches.emplace_back(match->second.place->field, match->second.place->word);
                }
            hit.score /= static_cast<double>(byWord.size());
            if (hit.matches.size() == byWord.size()) found.push_back(std::move(hit));
        }
        std::ranges::stable_sort(found, [](const Found& left, const Found& right) { return left.score > right.score; });
        return found;
    }

private:
    struct Place
    {
        std::size_t document;
        std::string field, word;
        double weight;
    };
    struct Best
    {
        double score;
        const Place* place;
    };

    static std::vector<std::string> wordsIn(std::string_view text)
    {
        std::vector<std::string> words(1);
        for (const char c : text)
            if (const auto byte = static_cast<unsigned char>(c); byte >= 0x80 || std::isalnum(byte))
                words.back() += c;
            else
                words.emplace_back();
        std::erase(words, "");
        return words;
    }

    /// Numbers of edits of Damerau and Levenshtein, neighbours swapped once.
    static std::size_t distance(std::string_view left, std::string_view right)
    {
        std::vector<std::vector<std::size_t>> edits(left.size() + 1, std::vector<std::size_t>(right.size() + 1));
        for (std::size_t i = 0; i <= left.size(); ++i)
            for (std::size_t j = 0; j <= right.size(); ++j)
            {
                auto& least = edits[i][j];
                if (i == 0 || j == 0)
                {
                    least = i + j;
                    continue;
                }
                least = std::min({edits[i - 1][j] + 1, edits[i][j - 1] + 1, edits[i - 1][j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1)});
                if (i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1])
                    least = std::min(least, edits[i - 2][j - 2] + 1);
            }
        return edits[left.size()][right.size()];
    }

    static double similarity(const std::string& left, const std::string& right)
    {
        const auto trigramsOf = [](const std::string& word)
        {
            std::multiset<std::string> trigrams;
            const auto padded = "  " + word + ' ';
            for (std::size_t i = 0; i + 3 <= padded.size(); ++i) trigrams.insert(padded.substr(i, 3));
            return trigrams;
        };
        const auto ofLeft = trigramsOf(left), ofRight = trigramsOf(right);
        std::vector<std::string> common;
        std::ranges::set_intersection(ofLeft, ofRight, std::back_inserter(common));
        return 2.0 * static_cast<double>(common.size()) / static_cast<double>(ofLeft.size() + ofRight.size());
    }

    static double scoreOf(const std::string& wanted, const std::string& word)
    {
        if (word == wanted) return 1;
        if (word.starts_with(wanted)) return 0.8;
        bool typo = wanted.size() >= 3 && wanted.size() < 5 && word[0] == wanted[0] && distance(wanted, word) == 1;
        if (wanted.size() >= 5)
            for (std::size_t length = 0; length <= word.size(); ++length) typo = typo || distance(wanted, word.substr(0, length)) == 1;
        if (typo) return 0.6;
        const auto similar = similarity(wanted, word);
        return similar >= 0.5 ? 0.5 * similar : 0;
    }

    std::map<std::size_t, Best> matchesOf(const std::string& wanted) const
    {
        std::map<std::size_t, Best> matches;
        for (const auto& [word, places] : _words)
            if (const auto score = scoreOf(wanted, word); score > 0)
                for (const auto& place : places)
                    if (auto& best = matches.try_emplace(place.document, Best{0, nullptr}).first->second; score * place.weight > best.score)
                        best = {score * place.weight, &place};
        return matches;
    }

    std::map<std::string, std::vector<Place>> _words;
};

/// Texts of few letters, so that many words are similar, and queries that are made of them.
class RandomTexts
{
public:
    explicit RandomTexts(unsigned seed) : _random(seed) {}

    std::size_t below(std::size_t limit) { return std::uniform_int_distribution<std::size_t>(0, limit - 1)(_random); }
    std::string letter()
    {
        static constexpr std::string_view letters[] = {"a", "b", "c", "A", "1", "é", "ß", "ж"};
        return std::string(letters[below(below(4) == 0 ? 8 : 3)]);
    }
    std::string word()
    {
        std::string made;
        for (auto length = 1 + below(9); length > 0; --length) made += letter();
        return made;
    }
    std::string text()
    {
        static constexpr std::string_view separators[] = {" ", "-", ", ", "%"};
        std::string made;
        for (auto count = below(4); count > 0; --count) made += word() + std::string(separators[below(4)]);
        return made;
    }
    /// A part of a text, with up to two edits.
    std::string queryFrom(std::string text)
    {
        if (text.empty()) return word();
        text = text.substr(below(2) == 0 ? 0 : below(text.size()), 1 + below(text.size()));
        for (auto edits = below(3); edits > 0 && !text.empty(); --edits)
        {
            const auto at = below(text.size());
            switch (below(4))
            {
            case 0:
                text.insert(at, letter());
                break;
            case 1:
                text.erase(at, 1);
                break;
            case 2:
                text.replace(at, 1, letter());
                break;
            default:
                if (at > 0) std::swap(text[at - 1], text[at]);
            }
        }
        return text;
    }

private:
    std::mt19937 _random;
};

} // namespace

class SearchIndexTest : public Suite<SearchIndexTest>
{
    static std::vector<Found> found(const SearchIndex& index, std::string_view query, std::size_t limit)
    {
        const auto result = index.find(query);
        std::vector<Found> all;
        for (const auto& hit : result.best(limit, [](std::size_t) { return true; }))
        {
            Found one{hit.document, hit.score, {}};
            for (const auto& match : result.matchesOf(hit)) one.matches.emplace_back(match.field, match.word);
            all.push_back(std::move(one));
        }
        return all;
    }

    TEST(findsWhatAPlainSearchFinds)
    {
        std::size_t hits = 0;
        for (unsigned seed = 1; seed <= 60; ++seed)
        {
            RandomTexts random(seed);
            std::vector<std::string> written;
            for (std::size_t i = 0; i < 60; ++i) written.push_back(random.text());
            std::vector<SearchText> texts;
            for (std::size_t i = 0; i < written.size(); ++i)
                texts.push_back({i / 3, i % 3 == 0 ? "name" : "description", written[i], i % 3 == 0 ? 1.0 : 0.3});
            const SearchIndex index(texts);
            const PlainSearch plain(texts);
            for (std::size_t i = 0; i < 40; ++i)
            {
                const auto query = random.queryFrom(written[random.below(written.size())]);
                const auto where = "seed " + std::to_string(seed) + ", query " + query;
                auto expected = plain.find(query);
                hits += expected.size();
                CPPUNIT_ASSERT_MESSAGE(where, found(index, query, 1000) == expected);
                const auto limit = random.below(4);
                if (expected.size() > limit) expected.resize(limit);
                CPPUNIT_ASSERT_MESSAGE(where, found(index, query, limit) == expected);
            }
        }
        CHECK(hits > 1000);
    }

    TEST(findsNothingInNothing)
    {
        const SearchIndex empty;
        CHECK(empty.find("word").hits().empty());
        const SearchIndex index({{0, "name", "Word", 1.0}});
        for (const auto* query : {"", " ", "%%", "other"}) CPPUNIT_ASSERT_MESSAGE(query, index.find(query).hits().empty());
        const auto one = index.find("wrod");
        CHECK(one.best(5, [](std::size_t) { return false; }).empty());
        equal(1, one.best(5, [](std::size_t) { return true; }).size());
    }
};

} // namespace portico::tests
