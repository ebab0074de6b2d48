#include "search/SortedWalk.h"

#include "search/ContactBatch.h"
#include "search/ContactText.h"
#include "search/SearchTuning.h"
#include "text/SearchWords.h"

#include <algorithm>
#include <span>
#include <utility>

namespace portico::crm
{

SortedWalk::SortedWalk(Session& session, Tenant tenant, const std::vector<std::string>& words, const ContactOrder& order)
    : _session(session), _words(words), _order(order), _statements(session.dialect())
{
    _someAreShort = std::any_of(words.begin(), words.end(), [](const auto& word) { return isShortWord(word); });
    _filters.add("c.organization_id = " + _filters.bind(std::string(tenant.text())));
    _filters.add("c.deleted_at IS NULL");
}

std::optional<Page<ContactView>> SortedWalk::find(const Paging& paging)
{
    _limit = static_cast<std::size_t>(paging.limit);
    _cursor = paging.cursor;
    if (!findIds()) return std::nullopt;
    return readPage();
}

bool SortedWalk::findIds()
{
    if (_session.dialect() == Dialect::SQLite && !_someAreShort) return findMatches();
    bool ended = look(searchTuning.walkSample);
    const auto expected = std::max(searchTuning.walkMatches, searchTuning.walkSample * (_limit + 1) / searchTuning.walkRows);
    if (!ended && !isFull() && _found.size() < expected && !areManyBeginnings()) return false;
    for (std::size_t looked = searchTuning.walkSample; !ended && !isFull(); looked += searchTuning.walkWindow)
    {
        if (looked > searchTuning.walkRows) return false;
        ended = look(searchTuning.walkWindow);
    }
    return true;
}

Page<ContactView> SortedWalk::readPage()
{
    Page<ContactView> page;
    if (isFull())
    {
        _found.resize(_limit);
        page.nextCursor = _cursors[_limit - 1];
    }
    for (std::size_t from = 0; from < _found.size(); from += contactBatch)
    {
        const auto ids = std::span(_found).subspan(from, std::min(contactBatch, _found.size() - from));
        auto contacts = readBatch(_session, _filters, ids);
        for (const auto& id : ids)
            if (const auto contact = contacts.find(id); contact != contacts.end()) page.items.push_back(std::move(contact->second));
    }
    return page;
}

bool SortedWalk::findMatches()
{
    std::string match;
    for (const auto& word : _words) (match += match.empty() ? "" : " ") += quotedForMatch(word);
    if (_session.value<std::int64_t>(SearchStatements::countMatches(searchTuning.walkTexts), match).value() < searchTuning.walkTexts)
        return false;
    SqlConditions walked = _filters;
    addCursor(walked, _order, _cursor);
    SqlConditions matched = walked;
    const auto placeholder = matched.bind(match);
    for (Row row : _session.queryValues(SearchStatements::sortedMatches(walked, _order, placeholder, searchTuning.walkLookups, _limit + 1),
                                        matched.values()))
    {
        _found.push_back(row.get<std::string>(0));
        _cursors.push_back(cursorOf(_order, row));
    }
    return isFull() || !hasMore(walked);
}

bool SortedWalk::hasMore(const SqlConditions& walked)
{
    const auto sql =
        "SELECT 1 FROM contact c WHERE " + walked.text() + orderBy(_order) + " LIMIT 1 OFFSET " + std::to_string(searchTuning.walkLookups);
    auto rows = _session.queryValues(sql, walked.values());
    return rows.next().has_value();
}

bool SortedWalk::areManyBeginnings() const
{
    if (_words.size() > 1) return false;
    return countBeginnings(_session, _filters.values().front(), wordKey(_words.front()), searchTuning.walkBeginnings) >=
           searchTuning.walkBeginnings;
}

bool SortedWalk::look(std::size_t count)
{
    SqlConditions conditions = _filters;
    addCursor(conditions, _order, _cursor);
    std::size_t rows = 0;
    for (Row row : _session.queryValues(_statements.sorted(conditions, _order, count), conditions.values()))
    {
        ++rows;
        const bool fits = !row.isNull(3) && (row.get<bool>(2) || !_someAreShort) && hasWords(row.text(3), _words);
        if (!fits && rows < count) continue;
        _cursor = cursorOf(_order, row);
        if (fits)
        {
            _found.push_back(row.get<std::string>(0));
            _cursors.push_back(_cursor);
        }
        if (isFull()) return false;
    }
    return rows < count;
}

} // namespace portico::crm
