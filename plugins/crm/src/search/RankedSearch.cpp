#include "search/RankedSearch.h"

#include "search/ContactBatch.h"
#include "search/ContactText.h"
#include "search/SearchTuning.h"
#include "text/SearchWords.h"

#include "portico/Json.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace portico::crm
{

RankedSearch::RankedSearch(Session& session, const std::vector<std::string>& words, SqlConditions filters)
    : _session(session), _words(words), _filters(std::move(filters)), _statements(session.dialect())
{
    std::copy_if(words.begin(), words.end(), std::back_inserter(_longWords), [](const auto& word) { return !isShortWord(word); });
}

std::optional<Page<ContactView>> RankedSearch::find(const Paging& paging)
{
    _limit = static_cast<std::size_t>(paging.limit);
    start(paging.cursor);
    read();
    return std::move(_page);
}

void RankedSearch::start(const std::string& cursor)
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

std::uint32_t RankedSearch::chooseLeading() const
{
    constexpr auto enough = searchTuning.leadingCount;
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

bool RankedSearch::beginsAll(std::string_view text) const
{
    return std::all_of(_words.begin(), _words.end(), [&](const auto& word) { return beginsWord(text, word); });
}

std::string RankedSearch::firstKey(std::string_view text) const
{
    const auto keys = wordKeys(text);
    return *std::lower_bound(keys.begin(), keys.end(), _key);
}

void RankedSearch::takeFound()
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

void RankedSearch::take(const SearchPlace& place, ContactView contact)
{
    if (_page.items.size() == _limit)
    {
        _page.nextCursor = toJson(_last);
        return;
    }
    _page.items.push_back(std::move(contact));
    _last = place;
}

} // namespace portico::crm
