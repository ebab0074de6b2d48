#include "search/WordsFirst.h"

#include "search/ContactText.h"
#include "search/SearchTuning.h"
#include "text/SearchWords.h"

#include "portico/Json.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace portico::crm
{

namespace
{

/// Returns the part of a word that the index of trigrams is asked for; the text is then searched for the whole word. Each trigram costs,
/// and those of common ends find too much. Addresses differ at their beginnings, numbers at their ends.
std::string_view selectivePart(std::string_view word)
{
    constexpr auto enough = searchTuning.indexedBytes;
    if (word.size() <= enough) return word;
    if (word.find_first_not_of("0123456789") == std::string_view::npos) return word.substr(word.size() - enough);
    std::size_t end = enough;
    while (end < word.size() && (static_cast<unsigned char>(word[end]) & 0xc0) == 0x80) ++end;
    return isShortWord(word.substr(0, end)) ? word : word.substr(0, end);
}

} // namespace

void WordsFirst::read()
{
    if (!_place.inside && readBeginnings()) _place = {true, _place.leading, {}, {}, 0};
    if (_place.inside && !isFull() && !_longWords.empty()) readInsides();
}

/// Looks at the rows after `_place`, which it moves on to the last of them, or to the last contact of a full page.
template <class Values>
WordsFirst::Looked WordsFirst::readWindow(const std::string& sql, std::size_t window, Values addValues)
{
    const SearchPlace from = _place;
    std::vector<SqlValue> values{_filters.values().front()};
    addValues(values, from);
    Looked looked;
    {
        auto rows = _session.queryValues(sql, values);
        while (_found.size() <= _limit)
        {
            const auto row = rows.next();
            if (!row)
            {
                looked.ended = looked.rows < window;
                break;
            }
            ++looked.rows;
            if (row->get<bool>(2)) ++looked.matches;
            look(*row);
        }
    }
    _looked += looked.rows;
    takeFound();
    return looked;
}

/// The same with one window after the other, the first of them `least` rows or more; true at the end of all rows, false if the page
/// ended before.
template <class Statement, class Values>
bool WordsFirst::readWindows(Statement statement, Values addValues, std::size_t least)
{
    constexpr const auto& windows = searchTuning.windows;
    const auto* size = std::find_if(windows.begin(), windows.end() - 1, [&](auto window) { return window > _limit && window >= least; });
    for (;; size += size + 1 == windows.end() ? 0 : 1)
    {
        const auto looked = readWindow(statement(*size), *size, addValues);
        if (isFull()) return false;
        if (looked.ended) return true;
        if (_looked < searchTuning.pageRows) continue;
        _page.nextCursor = toJson(_place);
        return false;
    }
}

bool WordsFirst::readBeginnings()
{
    const auto statement = [this](std::size_t window) { return _statements.beginnings(window); };
    const auto values = [this](std::vector<SqlValue>& all, const SearchPlace& from) {
        all.insert(all.end(), {_behindKey, from.word, from.name, from.row});
    };
    return readWindows(statement, values);
}

void WordsFirst::readInsides()
{
    if (_session.dialect() == Dialect::SQLite)
        readMatches();
    else
        readTexts();
}

void WordsFirst::readMatches()
{
    std::string match;
    for (const auto& word : _longWords) (match += match.empty() ? "" : " ") += quotedForMatch(selectivePart(word));
    readWindows([this](std::size_t window) { return _statements.matches(window); },
                [&](std::vector<SqlValue>& all, const SearchPlace& from) {
                    all.insert(all.end(), {from.row, match});
                });
}

void WordsFirst::readTexts()
{
    constexpr auto sample = searchTuning.insideSample;
    const auto texts = [this](std::size_t window) { return _statements.texts(window, _longWords.size()); };
    const auto words = [this](std::vector<SqlValue>& all, const SearchPlace& from)
    {
        all.emplace_back(from.row);
        all.insert(all.end(), _longWords.begin(), _longWords.end());
    };
    const auto first = readWindow(texts(sample), sample, words);
    if (first.ended || isFull()) return;
    if (first.matches >= searchTuning.insideMatches)
    {
        readWindows(texts, words, sample);
        return;
    }
    std::vector<std::string> patterns;
    for (const auto& word : _longWords) patterns.push_back(containsPattern(selectivePart(word)));
    readWindows([this](std::size_t window) { return _statements.indexed(window, _longWords.size()); },
                [&](std::vector<SqlValue>& all, const SearchPlace& from)
                {
                    all.emplace_back(from.row);
                    all.insert(all.end(), patterns.begin(), patterns.end());
                },
                searchTuning.windows.back());
}

/// Keeps the contact of a row if its text fits.
void WordsFirst::look(const Row& row)
{
    SearchPlace place{_place.inside, _place.leading, row.get<std::string>(5), row.get<std::string>(6), row.get<std::int64_t>(0)};
    if (!_place.isBefore(place)) throw std::logic_error("search: the rows are not in their order");
    if (!row.isNull(4) && fitsAt(place, row.text(4), row.get<bool>(1))) _found.push_back({place, row.get<std::string>(3)});
    _place = std::move(place);
}

bool WordsFirst::fitsAt(const SearchPlace& place, std::string_view text, bool isIndexed) const
{
    if (place.inside) return hasWords(text, _words) && !(isIndexed && beginsAll(text));
    return beginsAll(text) && place.word == firstKey(text);
}

} // namespace portico::crm
