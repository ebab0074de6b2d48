#include "fields/CustomFieldStore.h"

#include "data/Locks.h"
#include "data/SqlText.h"

#include <charconv>

namespace portico::crm
{

namespace
{

/// `10\ncfd_…`: position and id of the last field of a page. The SDK signs cursors, so this one is ours.
std::string cursorOf(const CustomField& field) { return std::to_string(*field.order) + '\n' + field.customFieldId.text(); }

void addFieldCursor(SqlConditions& conditions, std::string_view cursor)
{
    if (cursor.empty()) return;
    const auto end = cursor.find('\n');
    std::int64_t position = 0;
    std::from_chars(cursor.data(), cursor.data() + end, position);
    conditions.add("(position, custom_field_id) > (" + conditions.bind(position) + ", " +
                   conditions.bind(std::string(cursor.substr(end + 1))) + ")");
}

} // namespace

CustomFieldStore::CustomFieldStore() : _columns(columns<CustomField>()) {}

Page<CustomField> CustomFieldStore::list(Session& session, Tenant tenant, const Paging& paging) const
{
    Page<CustomField> page;
    if (paging.includeTotal) page.total = static_cast<std::int64_t>(count(session, tenant));
    SqlConditions conditions;
    conditions.add("organization_id = " + conditions.bind(std::string(tenant.text())));
    conditions.add("removed_at IS NULL");
    addFieldCursor(conditions, paging.cursor);
    const auto limit = conditions.bind(std::int64_t{paging.limit} + 1);
    const std::string sql =
        "SELECT " + _columns + " FROM custom_field WHERE " + conditions.text() + " ORDER BY position, custom_field_id LIMIT " + limit;
    for (Row row : session.queryValues(sql, conditions.values()))
    {
        if (page.items.size() == static_cast<std::size_t>(paging.limit))
        {
            page.nextCursor = cursorOf(page.items.back());
            break;
        }
        page.items.push_back(row.as<CustomField>());
    }
    return page;
}

std::optional<CustomField> CustomFieldStore::load(Transaction& transaction, Tenant tenant, const CustomFieldId& id) const
{
    return transaction.one<CustomField>("SELECT " + _columns +
                                            " FROM custom_field WHERE organization_id = $1 AND custom_field_id = $2 "
                                            "AND removed_at IS NULL" +
                                            std::string(forUpdate(transaction)),
                                        tenant, id);
}

CustomFields CustomFieldStore::all(Session& session, Tenant tenant) const
{
    CustomFields fields;
    for (Row row : session.query("SELECT " + _columns + " FROM custom_field WHERE organization_id = $1 AND removed_at IS NULL", tenant))
    {
        auto field = row.as<CustomField>();
        auto key = field.key;
        fields.emplace(std::move(key), std::move(field));
    }
    return fields;
}

CustomFields CustomFieldStore::forContact(Transaction& transaction, Tenant tenant, const CustomValues& values) const
{
    return values.empty() ? all(transaction, tenant) : forContacts(transaction, tenant);
}

CustomFields CustomFieldStore::forContacts(Transaction& transaction, Tenant tenant) const
{
    // The lock before the look, so that no field goes between it and the end of the transaction.
    lockShared(transaction, customFieldsLock, tenant);
    return all(transaction, tenant);
}

void CustomFieldStore::lock(Transaction& transaction, Tenant tenant) const { lockExclusively(transaction, customFieldsLock, tenant); }

std::size_t CustomFieldStore::count(Session& session, Tenant tenant) const
{
    return session.value<std::size_t>("SELECT count(*) FROM custom_field WHERE organization_id = $1 AND removed_at IS NULL", tenant)
        .value_or(0);
}

std::int64_t CustomFieldStore::nextPosition(Session& session, Tenant tenant) const
{
    return session
        .value<std::int64_t>("SELECT coalesce(max(position) + 1, 0) FROM custom_field WHERE organization_id = $1 AND removed_at IS NULL",
                             tenant)
        .value_or(0);
}

CustomFieldStore::KeyUse CustomFieldStore::useOf(Session& session, Tenant tenant, std::string_view key) const
{
    const auto removed = session.value<std::optional<std::int64_t>>(
        "SELECT removed_at FROM custom_field WHERE organization_id = $1 AND field_key = $2", tenant, key);
    if (!removed) return KeyUse::Free;
    return *removed ? KeyUse::BeingRemoved : KeyUse::Taken;
}

void CustomFieldStore::insert(Transaction& transaction, Tenant tenant, const CustomField& field) const
{
    transaction.insert("custom_field", field, {"organization_id"}, tenant);
}

void CustomFieldStore::update(Transaction& transaction, Tenant tenant, const CustomField& field) const
{
    transaction.update("custom_field", field, {}, {"organization_id", "custom_field_id"}, tenant, field.customFieldId);
}

void CustomFieldStore::erase(Transaction& transaction, Tenant tenant, const CustomFieldId& id) const
{
    transaction.execute("DELETE FROM custom_field WHERE organization_id = $1 AND custom_field_id = $2", tenant, id);
}

void CustomFieldStore::markRemoved(Transaction& transaction, Tenant tenant, const CustomFieldId& id, Instant now) const
{
    transaction.execute("UPDATE custom_field SET removed_at = $3 WHERE organization_id = $1 AND custom_field_id = $2", tenant, id, now);
}

std::optional<std::string> CustomFieldStore::keyOfRemoved(Session& session, Tenant tenant, const CustomFieldId& id) const
{
    return session.value<std::string>(
        "SELECT field_key FROM custom_field WHERE organization_id = $1 AND custom_field_id = $2 AND removed_at IS NOT NULL", tenant, id);
}

} // namespace portico::crm
