#include "contacts/ContactSearch.h"

#include "contacts/ContactBatch.h"
#include "contacts/ContactText.h"
#include "contacts/SearchStatements.h"
#include "text/SearchWords.h"

#include "portico/Json.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace portico::crm
{

/// Where a page ended. It is the cursor: the SDK signs it, so it is ours.
struct SearchPlace
{
    /// False among the contacts in which each word begins a word.
    bool inside = false;
    /// Index of the word that led.
    std::uint32_t leading = 0;
    std::string word;
    std::string name;
    std::int64_t row = 0;

    bool isBefore(const SearchPlace& other) const
    {
        return std::tie(inside, word, name, row) < std::tie(other.inside, other.word, other.name, other.row);
    }
};

constexpr auto schemaOf(const SearchPlace*)
{
    return describe(members<&SearchPlace::inside, &SearchPlace::leading, &SearchPlace::word, &SearchPlace::name, &SearchPlace::row>());
}

} // namespace portico::crm

namespace portico::crm
{

namespace
{

/// How many rows are looked at in one statement: more from time to time while few of them fit.
constexpr std::array<std::size_t, 4> windows{64, 256, 512, 1024};
/// How many for one page; then it ends as it is.
constexpr std::size_t mostRows = 2500;
/// What the index of trigrams is asked for of a word, which is then looked for in the text: each trigram costs, those of common ends much
/// and for nothing. Addresses differ at their beginnings, numbers at their ends.
std::string_view telling(std::string_view word)
{
    constexpr std::size_t enough = 8;
    if (word.size() <= enough) return word;
    if (word.find_first_not_of("0123456789") == std::string_view::npos) return word.substr(word.size() - enough);
    std::size_t end = enough;
    while (end < word.size() && (static_cast<unsigned char>(word[end]) & 0xc0) == 0x80) ++end;
    return isShortWord(word.substr(0, end)) ? word : word.substr(0, end);
}

class Search
{
public:
    Search(Session& session, const std::vector<std::string>& words, const SqlConditions& filters, std::size_t limit)
        : _session(session), _words(words), _filters(filters), _statements(session.dialect()), _limit(limit)
    {
        std::copy_if(words.begin(), words.end(), std::back_inserter(_longWords), [](const auto& word) { return !isShortWord(word); });
    }

    Page<ContactView> run(SearchPlan plan, const std::string& cursor)
    {
        start(cursor);
        if (plan == SearchPlan::FiltersFirst)
            readFiltered();
        else
        {
            if (!_place.inside && readBeginnings()) _place = {true, _place.leading, {}, {}, 0};
            if (_place.inside && !isFull() && !_longWords.empty()) readInsides();
        }
        return std::move(_page);
    }

private:
    /// A contact whose text fits.
    struct Found
    {
        SearchPlace place;
        std::string contactId;
    };

    bool isFull() const { return _page.nextCursor.has_value(); }

    void start(const std::string& cursor)
    {
        if (!cursor.empty())
            _place = fromJson<SearchPlace>(cursor);
        else
        {
            _place.leading = chooseLeading();
            _place.word = wordKey(_words[_place.leading]);
        }
        _key = wordKey(_words.at(_place.leading));
        _behindKey = behindPrefix(_key);
    }

    /// Of several words the one that begins the fewest, as far as counting is cheap.
    std::uint32_t chooseLeading() const
    {
        constexpr std::int64_t enough = 3000;
        std::size_t best = 0;
        std::int64_t fewest = enough + 1;
        for (std::size_t i = 0; i < _words.size() && _words.size() > 1; ++i)
        {
            const auto count = countBeginnings(_session, _filters.values().front(), wordKey(_words[i]), enough);
            if (count > fewest || (count == fewest && _words[i].size() <= _words[best].size())) continue;
            best = i;
            fewest = count;
        }
        return static_cast<std::uint32_t>(best);
    }

    bool beginsAll(std::string_view text) const
    {
        return std::all_of(_words.begin(), _words.end(), [&](const auto& word) { return beginsWord(text, word); });
    }

    /// A contact that has several words with that beginning stands where the first of them does.
    std::string firstKey(std::string_view text) const
    {
        const auto keys = wordKeys(text);
        return *std::lower_bound(keys.begin(), keys.end(), _key);
    }

    bool readBeginnings()
    {
        const auto statement = [this](std::size_t window) { return _statements.beginnings(window); };
        const auto values = [this](std::vector<SqlValue>& all, const SearchPlace& from) {
            all.insert(all.end(), {_behindKey, from.word, from.name, from.row});
        };
        return readWindows(statement, values);
    }

    void readInsides()
    {
        if (_session.dialect() == Dialect::SQLite)
            readMatches();
        else
            readTexts();
    }

    void readMatches()
    {
        std::string match;
        for (const auto& word : _longWords) (match += match.empty() ? "" : " ") += quotedForMatch(telling(word));
        readWindows([this](std::size_t window) { return _statements.matches(window); },
                    [&](std::vector<SqlValue>& all, const SearchPlace& from) {
                        all.insert(all.end(), {from.row, match});
                    });
    }

    /// What is common is found soon where one looks; what is rare is left to the index, which looks up all that there is.
    void readTexts()
    {
        constexpr std::size_t sample = 512;
        constexpr std::size_t rare = sample / 50;
        const auto texts = [this](std::size_t window) { return _statements.texts(window, _longWords.size()); };
        const auto words = [this](std::vector<SqlValue>& all, const SearchPlace& from)
        {
            all.emplace_back(from.row);
            all.insert(all.end(), _longWords.begin(), _longWords.end());
        };
        const auto first = readWindow(texts(sample), sample, words);
        if (first.ended || isFull()) return;
        if (first.matches >= rare)
        {
            readWindows(texts, words, sample);
            return;
        }
        std::vector<std::string> patterns;
        for (const auto& word : _longWords) patterns.push_back(containsPattern(telling(word)));
        readWindows([this](std::size_t window) { return _statements.indexed(window, _longWords.size()); },
                    [&](std::vector<SqlValue>& all, const SearchPlace& from)
                    {
                        all.emplace_back(from.row);
                        all.insert(all.end(), patterns.begin(), patterns.end());
                    },
                    windows.back());
    }

    struct Looked
    {
        std::size_t rows = 0;
        std::size_t matches = 0;
        /// The window was looked at to its end, and there is nothing behind it.
        bool ended = false;
    };

    /// Looks at the rows after `_place`, which it moves on to the last of them, or to the last contact of a full page.
    template <class Values>
    Looked readWindow(const std::string& sql, std::size_t window, Values addValues)
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
    bool readWindows(Statement statement, Values addValues, std::size_t least = 0)
    {
        const auto* size =
            std::find_if(windows.begin(), windows.end() - 1, [&](auto window) { return window > _limit && window >= least; });
        for (;; size += size + 1 == windows.end() ? 0 : 1)
        {
            const auto looked = readWindow(statement(*size), *size, addValues);
            if (isFull()) return false;
            if (looked.ended) return true;
            if (_looked < mostRows) continue;
            _page.nextCursor = toJson(_place);
            return false;
        }
    }

    /// Keeps the contact of a row if its text fits.
    void look(const Row& row)
    {
        SearchPlace place{_place.inside, _place.leading, row.get<std::string>(5), row.get<std::string>(6), row.get<std::int64_t>(0)};
        if (!_place.isBefore(place)) throw std::logic_error("search: the rows are not in their order");
        if (!row.isNull(4) && fitsAt(place, row.text(4), row.get<bool>(1))) _found.push_back({place, row.get<std::string>(3)});
        _place = std::move(place);
    }

    /// Puts the contacts that were found on the page, as far as the filters let them through.
    void takeFound()
    {
        for (std::size_t from = 0; from < _found.size() && !isFull(); from += contactBatch)
        {
            const auto end = std::min(from + contactBatch, _found.size());
            std::vector<std::string> ids;
            for (auto at = from; at < end; ++at) ids.push_back(_found[at].contactId);
            auto contacts = readBatch(_session, _filters, ids);
            for (auto at = from; at < end && !isFull(); ++at)
                if (const auto contact = contacts.find(_found[at].contactId); contact != contacts.end())
                    take(_found[at].place, std::move(contact->second));
        }
        _found.clear();
    }

    void take(const SearchPlace& place, ContactView contact)
    {
        if (_page.items.size() == _limit)
        {
            _page.nextCursor = toJson(_last);
            return;
        }
        _page.items.push_back(std::move(contact));
        _last = place;
    }

    bool fitsAt(const SearchPlace& place, std::string_view text, bool isIndexed) const
    {
        if (place.inside) return hasWords(text, _words) && !(isIndexed && beginsAll(text));
        return beginsAll(text) && place.word == firstKey(text);
    }

    void readFiltered()
    {
        for (Row row : _session.queryValues(_statements.filtered(_filters), _filters.values()))
        {
            const auto text = row.text(4);
            if (!hasWords(text, _words)) continue;
            const bool begins = row.get<bool>(1) && beginsAll(text);
            if (!begins && _longWords.empty()) continue;
            SearchPlace place{true, _place.leading, {}, {}, row.get<std::int64_t>(0)};
            if (begins) place = {false, _place.leading, firstKey(text), std::string(searchName(text)), place.row};
            if (_place.isBefore(place)) _found.push_back({std::move(place), row.get<std::string>(3)});
        }
        std::sort(_found.begin(), _found.end(), [](const auto& left, const auto& right) { return left.place.isBefore(right.place); });
        takeFound();
    }

    Session& _session;
    const std::vector<std::string>& _words;
    const SqlConditions& _filters;
    SearchStatements _statements;
    std::size_t _limit;
    std::vector<std::string> _longWords;
    /// The leading word in the index, and the end of the words that it begins.
    std::string _key;
    std::string _behindKey;
    SearchPlace _place;
    std::vector<Found> _found;
    /// Of the last contact on the page.
    SearchPlace _last;
    std::size_t _looked = 0;
    Page<ContactView> _page;
};

} // namespace

Page<ContactView> searchContacts(Session& session, const std::vector<std::string>& words, const SqlConditions& filters, SearchPlan plan,
                                 const Paging& paging)
{
    return Search(session, words, filters, static_cast<std::size_t>(paging.limit)).run(plan, paging.cursor);
}

} // namespace portico::crm
