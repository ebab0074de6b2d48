#include "contacts/ContactList.h"

#include "contacts/ContactRow.h"
#include "search/ContactOrder.h"
#include "search/FiltersFirst.h"
#include "search/SearchTuning.h"
#include "search/SortedWalk.h"
#include "search/WordsFirst.h"
#include "text/EmailKey.h"
#include "text/PhoneNumber.h"
#include "text/SearchWords.h"
#include "text/VisibleText.h"

#include "portico/Flight.h"
#include "portico/Text.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace portico::crm
{

namespace
{

template <class T>
std::vector<std::string> texts(const std::vector<T>& values)
{
    std::vector<std::string> out;
    for (const auto& value : values)
        if constexpr (std::is_enum_v<T>)
            out.emplace_back(toString(value));
        else
            out.emplace_back(value.text());
    return out;
}

/// Returns the keys for a search. A text that is not an address is kept, and finds nothing.
std::vector<std::string> emailKeys(const std::vector<std::string>& addresses)
{
    std::vector<std::string> keys;
    for (const auto& address : addresses)
    {
        const auto visible = visibleCharacters(address);
        keys.push_back(emailKey(visible).value_or(visible));
    }
    return keys;
}

std::vector<std::string> phoneKeys(const std::vector<std::string>& numbers, std::string_view callingCode)
{
    std::vector<std::string> keys;
    for (const auto& number : numbers)
    {
        auto visible = visibleCharacters(number);
        auto international = e164(visible, callingCode);
        keys.push_back(phoneKey({std::move(visible), std::move(international), {}, false}));
    }
    return keys;
}

class Filtering
{
public:
    Filtering(SqlConditions& conditions, Tenant tenant, FilterShape shape) : _conditions(conditions), _shape(shape)
    {
        _organization = _conditions.bind(std::string(tenant.text()));
        _conditions.add("c.organization_id = " + _organization);
    }

    void apply(const ContactFilter& filter, Dialect dialect, const ListSettings& settings)
    {
        addState(filter.archived, settings.restorableSince);
        addRanges(filter);
        addColumns(filter);
        addLists(filter, settings.callingCode);
        if (!trim(filter.q).empty()) addSearch(_conditions, dialect, _organization, filter.q);
    }

private:
    void addState(bool archived, Instant restorableSince)
    {
        if (archived)
            _conditions.add("c.deleted_at > " + _conditions.bind(toMillis(restorableSince)));
        else
            _conditions.add("c.deleted_at IS NULL");
    }

    void addBound(std::string_view comparison, const std::optional<Instant>& bound)
    {
        if (bound) _conditions.add(std::string(comparison) + _conditions.bind(toMillis(*bound)));
    }

    void addRanges(const ContactFilter& filter)
    {
        addBound("c.created_at >= ", filter.createdFrom);
        addBound("c.created_at < ", filter.createdTo);
        addBound("c.updated_at >= ", filter.updatedFrom);
        addBound("c.updated_at < ", filter.updatedTo);
    }

    void addColumns(const ContactFilter& filter)
    {
        if (!filter.id.empty()) _conditions.addIn("c.id", texts(filter.id));
        if (!filter.ownerUserId.empty()) _conditions.addIn("c.owner_user_id", texts(filter.ownerUserId));
        if (!filter.lifecycle.empty()) _conditions.addIn("c.lifecycle", texts(filter.lifecycle));
        if (!filter.source.empty()) _conditions.addIn("c.source", texts(filter.source));
        if (!filter.pipelineId.empty() || !filter.stageId.empty()) addPlaces(filter);
    }

    /// One card that fits both.
    void addPlaces(const ContactFilter& filter)
    {
        auto condition = among("pipeline_card", "k");
        if (!filter.pipelineId.empty()) condition += " AND k.pipeline_id IN " + _conditions.bind(texts(filter.pipelineId));
        if (!filter.stageId.empty()) condition += " AND k.stage_id IN " + _conditions.bind(texts(filter.stageId));
        _conditions.add(condition + ")");
    }

    void addLists(const ContactFilter& filter, std::string_view callingCode)
    {
        if (!filter.email.empty()) addList("contact_email", "address", emailKeys(filter.email));
        if (!filter.phone.empty()) addList("contact_phone", "number", phoneKeys(filter.phone, callingCode));
        if (!filter.tag.empty()) addList("contact_tag", "tag", filter.tag);
        if (filter.hasEmail)
            _conditions.add(std::string(*filter.hasEmail ? "" : "NOT ") +
                            "EXISTS (SELECT 1 FROM contact_email e WHERE e.organization_id = " + _organization +
                            " AND e.contact_id = c.id)");
    }

    void addList(std::string_view table, std::string_view column, const std::vector<std::string>& values)
    {
        _conditions.add(among(table, "x") + " AND x." + std::string(column) + " IN " + _conditions.bind(values) + ")");
    }

    /// The contacts that rows of another table belong to, as far as all its conditions have it.
    std::string among(std::string_view table, std::string_view alias) const
    {
        const std::string row(alias);
        const auto from = " FROM " + std::string(table) + ' ' + row + " WHERE " + row + ".organization_id = " + _organization;
        if (_shape == FilterShape::Sets) return "c.id IN (SELECT " + row + ".contact_id" + from;
        return "EXISTS (SELECT 1" + from + " AND " + row + ".contact_id = c.id";
    }

    SqlConditions& _conditions;
    FilterShape _shape;
    std::string _organization;
};

/// Filters that an index answers, by how many rows there are for them at most.
class FilterProbe
{
public:
    FilterProbe(Session& session, Tenant tenant, std::string_view callingCode)
        : _session(session), _tenant(tenant), _callingCode(callingCode)
    {
    }

    /// True if one of the filters lets so few contacts through that it is best to look at all of them.
    bool isNarrow(const ContactFilter& filter) const
    {
        if (!filter.id.empty()) return true;
        if (filter.archived && isRare("contact", "deleted_at IS NOT NULL", {})) return true;
        if (!filter.email.empty() && isRare("contact_email", "address", emailKeys(filter.email))) return true;
        if (!filter.phone.empty() && isRare("contact_phone", "number", phoneKeys(filter.phone, _callingCode))) return true;
        if (!filter.tag.empty() && isRare("contact_tag", "tag", filter.tag)) return true;
        if (!filter.ownerUserId.empty() && isRare("contact", "deleted_at IS NULL AND owner_user_id", texts(filter.ownerUserId)))
            return true;
        return !filter.pipelineId.empty() && isRare("pipeline_card", "pipeline_id", texts(filter.pipelineId));
    }

private:
    bool isRare(const std::string& table, std::string_view column, const std::vector<std::string>& values) const
    {
        constexpr auto few = searchTuning.narrowFilter;
        SqlConditions conditions;
        conditions.add("organization_id = " + conditions.bind(std::string(_tenant.text())));
        if (values.empty())
            conditions.add(column);
        else
            conditions.addIn(column, values);
        const auto sql =
            "SELECT count(*) FROM (SELECT 1 FROM " + table + " WHERE " + conditions.text() + " LIMIT " + std::to_string(few + 1) + ") AS x";
        for (Row row : _session.queryValues(sql, conditions.values())) return row.get<std::int64_t>(0) <= few;
        return false;
    }

    Session& _session;
    Tenant _tenant;
    std::string_view _callingCode;
};

/// Nothing but words to look for.
bool onlySearches(const ContactFilter& f)
{
    const bool lists = f.id.empty() && f.email.empty() && f.phone.empty() && f.tag.empty() && f.ownerUserId.empty() &&
                       f.lifecycle.empty() && f.source.empty() && f.pipelineId.empty() && f.stageId.empty();
    return lists && !f.hasEmail && !f.createdFrom && !f.createdTo && !f.updatedFrom && !f.updatedTo && !f.archived;
}

Page<ContactView> sortedContacts(Session& session, SqlConditions& conditions, const ContactOrder& order, const Paging& paging)
{
    addCursor(conditions, order, paging.cursor);
    const auto limit = conditions.bind(std::int64_t{paging.limit} + 1);
    const std::string sql = "SELECT c.id, " + std::string(order.column) + ", " + columns<ContactView>("c.") + " FROM contact c WHERE " +
                            conditions.text() + orderBy(order) + " LIMIT " + limit;
    Page<ContactView> page;
    std::string last;
    for (Row row : session.queryValues(sql, conditions.values()))
    {
        if (page.items.size() == static_cast<std::size_t>(paging.limit))
        {
            page.nextCursor = last;
            break;
        }
        auto& contact = page.items.emplace_back(row.as<ContactView>());
        contact.counts = {contact.noteCount, contact.attachmentCount};
        last = cursorOf(order, row);
    }
    return page;
}

} // namespace

void addFilter(SqlConditions& conditions, const ContactFilter& filter, Dialect dialect, Tenant tenant, const ListSettings& settings,
               FilterShape shape)
{
    Filtering(conditions, tenant, shape).apply(filter, dialect, settings);
}

void checkContactFields(const std::vector<std::string>& names)
{
    std::vector<FieldError> unknown;
    for (const auto& name : names)
    {
        const bool known = fieldsOf<Contact>().apply([&](const auto&... field) { return ((field.name == name) || ...); });
        if (!known) unknown.push_back({"fields", "unknown_option", "Contacts have no member " + name});
    }
    if (!unknown.empty()) throw Problem::invalid(std::move(unknown));
}

std::unique_ptr<SearchPlan> searchPlanOf(Session& session, Tenant tenant, const ContactFilter& filter,
                                         const std::vector<std::string>& words, const ListSettings& settings)
{
    if (words.empty()) return nullptr;
    if (filter.sort) return onlySearches(filter) ? std::make_unique<SortedWalk>(session, tenant, words, orderOf(*filter.sort)) : nullptr;
    ContactFilter others = filter;
    others.q.clear();
    const bool narrow = FilterProbe(session, tenant, settings.callingCode).isNarrow(filter);
    SqlConditions conditions;
    addFilter(conditions, others, session.dialect(), tenant, settings, narrow ? FilterShape::Sets : FilterShape::PerContact);
    if (narrow) return std::make_unique<FiltersFirst>(session, words, std::move(conditions));
    return std::make_unique<WordsFirst>(session, words, std::move(conditions));
}

Page<ContactView> listContacts(Session& session, Tenant tenant, const ContactFilter& filter, const Paging& paging,
                               const ListSettings& settings)
{
    checkContactFields(filter.fields);
    SqlConditions conditions;
    addFilter(conditions, filter, session.dialect(), tenant, settings);
    // Travels with the first statement of the list.
    std::optional<InFlight<std::int64_t>> total;
    if (paging.includeTotal)
        total.emplace(Flight(session).readValues("SELECT count(*) FROM contact c WHERE " + conditions.text(), conditions.values(),
                                                 [](Rows& rows) { return rows.next()->get<std::int64_t>(0); }));

    const auto words = searchWords(filter.q);
    std::optional<Page<ContactView>> page;
    if (const auto plan = searchPlanOf(session, tenant, filter, words, settings)) page = plan->find(paging);
    if (!page) page = sortedContacts(session, conditions, orderOf(filter.sort.value_or(ContactSort::DisplayName)), paging);
    page->fields = filter.fields;
    if (total) page->total = total->get();
    return *std::move(page);
}

} // namespace portico::crm
