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

Page<CustomField> CustomFieldStore::list(Session& session, std::string_view organizationId, const Paging& paging) const
{
    Page<CustomField> page;
    if (paging.includeTotal) page.total = static_cast<std::int64_t>(count(session, organizationId));
    SqlConditions conditions;
    conditions.add("organization_id = " + conditions.bind(std::string(organizationId)));
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

std::optional<CustomField> CustomFieldStore::load(Transaction& transaction, std::string_view organizationId, const CustomFieldId& id) const
{
    return transaction.one<CustomField>("SELECT " + _columns +
                                            " FROM custom_field WHERE organization_id = $1 AND custom_field_id = $2 "
                                            "AND removed_at IS NULL" +
                                            std::string(forUpdate(transaction)),
                                        organizationId, id);
}

CustomFields CustomFieldStore::all(Session& session, std::string_view organizationId) const
{
    CustomFields fields;
    for (Row row :
         session.query("SELECT " + _columns + " FROM custom_field WHERE organization_id = $1 AND removed_at IS NULL", organizationId))
    {
        auto field = row.as<CustomField>();
        auto key = field.key;
        fields.emplace(std::move(key), std::move(field));
    }
    return fields;
}

CustomFields CustomFieldStore::forContact(Transaction& transaction, std::string_view organizationId, const CustomValues& values) const
{
    return values.empty() ? all(transaction, organizationId) : forContacts(transaction, organizationId);
}

CustomFields CustomFieldStore::forContacts(Transaction& transaction, std::string_view organizationId) const
{
    // The lock before the look, so that no field goes between it and the end of the transaction.
    lockShared(transaction, customFieldsLock, organizationId);
    return all(transaction, organizationId);
}

void CustomFieldStore::lock(Transaction& transaction, std::string_view organizationId) const
{
    lockExclusively(transaction, customFieldsLock, organizationId);
}

std::size_t CustomFieldStore::count(Session& session, std::string_view organizationId) const
{
    return session.value<std::size_t>("SELECT count(*) FROM custom_field WHERE organization_id = $1 AND removed_at IS NULL", organizationId)
        .value_or(0);
}

std::int64_t CustomFieldStore::nextPosition(Session& session, std::string_view organizationId) const
{
    return session
        .value<std::int64_t>("SELECT coalesce(max(position) + 1, 0) FROM custom_field WHERE organization_id = $1 AND removed_at IS NULL",
                             organizationId)
        .value_or(0);
}

CustomFieldStore::KeyUse CustomFieldStore::useOf(Session& session, std::string_view organizationId, std::string_view key) const
{
    const auto removed = session.value<std::optional<std::int64_t>>(
        "SELECT removed_at FROM custom_field WHERE organization_id = $1 AND field_key = $2", organizationId, key);
    if (!removed) return KeyUse::Free;
    return *removed ? KeyUse::BeingRemoved : KeyUse::Taken;
}

void CustomFieldStore::insert(Transaction& transaction, std::string_view organizationId, const CustomField& field) const
{
    transaction.insert("custom_field", field, {"organization_id"}, organizationId);
}

void CustomFieldStore::update(Transaction& transaction, std::string_view organizationId, const CustomField& field) const
{
    transaction.update("custom_field", field, {}, {"organization_id", "custom_field_id"}, organizationId, field.customFieldId);
}

void CustomFieldStore::erase(Transaction& transaction, std::string_view organizationId, const CustomFieldId& id) const
{
    transaction.execute("DELETE FROM custom_field WHERE organization_id = $1 AND custom_field_id = $2", organizationId, id);
}

void CustomFieldStore::markRemoved(Transaction& transaction, std::string_view organizationId, const CustomFieldId& id, Instant now) const
{
    transaction.execute("UPDATE custom_field SET removed_at = $3 WHERE organization_id = $1 AND custom_field_id = $2", organizationId, id,
                        now);
}

std::optional<std::string> CustomFieldStore::keyOfRemoved(Session& session, std::string_view organizationId, const CustomFieldId& id) const
{
    return session.value<std::string>(
        "SELECT field_key FROM custom_field WHERE organization_id = $1 AND custom_field_id = $2 AND removed_at IS NOT NULL", organizationId,
        id);
}

} // namespace portico::crm
