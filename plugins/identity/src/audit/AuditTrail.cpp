#include "audit/AuditTrail.h"

namespace portico::identity
{

namespace
{

/// Conditions with their values, put together at run time: only literals get into the text.
class Conditions
{
public:
    Conditions& add(std::string_view before, const SqlValue& value)
    {
        _values.push_back(value);
        _text += (_text.empty() ? " WHERE " : " AND ") + std::string(before) + " $" + std::to_string(_values.size());
        return *this;
    }
    Conditions& oneOf(std::string_view column, const std::vector<std::string>& texts)
    {
        std::string list;
        for (const auto& text : texts)
        {
            _values.push_back(SqlValue(text));
            list += (list.empty() ? "$" : ", $") + std::to_string(_values.size());
        }
        if (!list.empty()) _text += (_text.empty() ? " WHERE " : " AND ") + std::string(column) + " IN (" + list + ')';
        return *this;
    }
    const std::string& text() const noexcept { return _text; }
    const std::vector<SqlValue>& values() const noexcept { return _values; }

private:
    std::string _text;
    std::vector<SqlValue> _values;
};

/// @param filter outlives the conditions
Conditions conditionsOf(const AuditFilter& filter)
{
    Conditions conditions;
    if (filter.organizationId) conditions.add("organization_id =", SqlValue(*filter.organizationId));
    if (!filter.actor.empty()) conditions.add("actor_id =", SqlValue(filter.actor));
    if (!filter.target.empty()) conditions.add("target =", SqlValue(filter.target));
    conditions.oneOf("type", filter.type);
    if (filter.from) conditions.add("at >=", SqlValue(*filter.from));
    if (filter.to) conditions.add("at <", SqlValue(*filter.to));
    return conditions;
}

AuditEvent eventOf(const Row& row)
{
    AuditEvent event;
    event.id = row.get<AuditEventId>(0);
    event.sequence = row.get<std::int64_t>(1);
    event.at = row.get<Instant>(2);
    event.type = row.text(3);
    event.actor = {std::string(row.text(4)), std::string(row.text(5)), std::string(row.text(6)), std::string(row.text(7)),
                   row.get<std::optional<std::string>>(15)};
    event.target = row.text(8);
    event.organizationId = row.get<std::optional<OrganizationId>>(9);
    event.serviceId = row.text(10);
    event.outcome = row.text(11);
    event.details.text = row.text(12);
    event.prevHash = row.text(13);
    event.hash = row.text(14);
    return event;
}

std::vector<AuditEvent> readEvents(Session& session, const Conditions& conditions, std::string_view order, int most)
{
    std::vector<AuditEvent> events;
    for (Row row :
         session.queryValues("SELECT id, sequence, at, type, actor_type, actor_id, ip, user_agent, target, organization_id, service_id, "
                             "outcome, details, prev_hash, hash, impersonator_id FROM audit_events" +
                                 conditions.text() + " ORDER BY sequence" + std::string(order) + " LIMIT " + std::to_string(most),
                             conditions.values()))
        events.push_back(eventOf(row));
    return events;
}

} // namespace

std::vector<AuditEvent> AuditTrail::newestBelow(Session& session, std::optional<std::int64_t> sequence, int most) const
{
    auto conditions = conditionsOf(_filter);
    if (sequence) conditions.add("sequence <", SqlValue(*sequence));
    return readEvents(session, conditions, " DESC", most);
}

std::vector<AuditEvent> AuditTrail::oldestAbove(Session& session, std::int64_t sequence, std::int64_t last, int most) const
{
    auto conditions = conditionsOf(_filter);
    conditions.add("sequence >", SqlValue(sequence)).add("sequence <=", SqlValue(last));
    return readEvents(session, conditions, "", most);
}

std::int64_t AuditTrail::count(Session& session) const
{
    const auto conditions = conditionsOf(_filter);
    auto rows = session.queryValues("SELECT COUNT(*) FROM audit_events" + conditions.text(), conditions.values());
    return rows.next()->get<std::int64_t>(0);
}

} // namespace portico::identity
