#include "contacts/CommonContacts.h"

#include "contacts/ContactBatch.h"
#include "contacts/ContactText.h"
#include "contacts/SearchStatements.h"
#include "text/SearchWords.h"

#include <algorithm>
#include <span>
#include <utility>

namespace portico::crm
{

namespace
{

constexpr std::size_t sample = 512;
constexpr std::size_t window = 1024;
constexpr std::size_t mostLooked = 6000;
/// Of the sample, at least: fewer say nothing.
constexpr std::size_t leastFound = 4;
/// Of the words of an organization. The index would name as many contacts, each of which costs as much as one that is looked at.
constexpr std::int64_t manyBeginnings = 2000;
/// SQLite: so many texts the index reads and sorts as soon as a walk finds a page.
constexpr std::int64_t manyMatches = 1500;
/// SQLite: how many contacts a walk asks the index about, which costs less than to read their texts.
constexpr std::size_t mostAsked = 12'000;

class CommonWordWalk
{
public:
    CommonWordWalk(Session& session, Tenant tenant, const std::vector<std::string>& words, const ContactOrder& order, const Paging& paging)
        : _session(session),
          _words(words),
          _order(order),
          _statements(session.dialect()),
          _limit(static_cast<std::size_t>(paging.limit)),
          _cursor(paging.cursor)
    {
        _someAreShort = std::any_of(words.begin(), words.end(), [](const auto& word) { return isShortWord(word); });
        _filters.add("c.organization_id = " + _filters.bind(std::string(tenant.text())));
        _filters.add("c.deleted_at IS NULL");
    }

    /// False if the words are not common enough.
    bool findIds()
    {
        if (_session.dialect() == Dialect::SQLite && !_someAreShort) return findMatches();
        bool ended = look(sample);
        const auto expected = std::max(leastFound, sample * (_limit + 1) / mostLooked);
        if (!ended && !isFull() && _found.size() < expected && !areManyBeginnings()) return false;
        for (std::size_t looked = sample; !ended && !isFull(); looked += window)
        {
            if (looked > mostLooked) return false;
            ended = look(window);
        }
        return true;
    }

    Page<ContactView> readPage()
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

private:
    bool isFull() const { return _found.size() > _limit; }

    /// The index says which texts fit, and the contacts are looked up in it in their order.
    bool findMatches()
    {
        std::string match;
        for (const auto& word : _words) (match += match.empty() ? "" : " ") += quotedForMatch(word);
        if (_session.value<std::int64_t>(SearchStatements::countMatches(manyMatches), match).value() < manyMatches) return false;
        SqlConditions walked = _filters;
        addCursor(walked, _order, _cursor);
        SqlConditions matched = walked;
        const auto placeholder = matched.bind(match);
        for (Row row :
             _session.queryValues(SearchStatements::sortedMatches(walked, _order, placeholder, mostAsked, _limit + 1), matched.values()))
        {
            _found.push_back(row.get<std::string>(0));
            _cursors.push_back(cursorOf(_order, row));
        }
        return isFull() || !hasMore(walked);
    }

    /// There are contacts behind those that were asked about.
    bool hasMore(const SqlConditions& walked)
    {
        const auto sql =
            "SELECT 1 FROM contact c WHERE " + walked.text() + orderBy(_order) + " LIMIT 1 OFFSET " + std::to_string(mostAsked);
        auto rows = _session.queryValues(sql, walked.values());
        return rows.next().has_value();
    }

    /// The first contacts in an order are no fair sample of the others: those of one first name, by their last names.
    bool areManyBeginnings() const
    {
        if (_words.size() > 1) return false;
        return countBeginnings(_session, _filters.values().front(), wordKey(_words.front()), manyBeginnings) >= manyBeginnings;
    }

    /// Looks at the contacts after `_cursor`, which it moves on; true at the end of all of them.
    bool look(std::size_t count)
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

    Session& _session;
    const std::vector<std::string>& _words;
    const ContactOrder& _order;
    SearchStatements _statements;
    std::size_t _limit;
    std::string _cursor;
    SqlConditions _filters;
    bool _someAreShort = false;
    /// Ids, and where each stands in the order.
    std::vector<std::string> _found;
    std::vector<std::string> _cursors;
};

} // namespace

std::optional<Page<ContactView>> commonContacts(Session& session, Tenant tenant, const std::vector<std::string>& words,
                                                const ContactOrder& order, const Paging& paging)
{
    CommonWordWalk walk(session, tenant, words, order, paging);
    if (!walk.findIds()) return std::nullopt;
    return walk.readPage();
}

} // namespace portico::crm
