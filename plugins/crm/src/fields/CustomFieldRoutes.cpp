#include "fields/CustomFieldRoutes.h"

#include "contacts/ContactSweep.h"
#include "data/SqlText.h"

#include <algorithm>

namespace portico::crm
{

namespace
{

constexpr std::string_view removeValuesJob = "crm.custom_fields.remove_values";

/// Payload of the job.
struct RemovedField
{
    std::string organizationId;
    CustomFieldId customFieldId;
};

constexpr auto schemaOf(const RemovedField*)
{
    return describe(field<&RemovedField::organizationId>().required(), field<&RemovedField::customFieldId>().required());
}

constexpr Table removedFieldTable{"custom_field", {.where = "removed_at IS NOT NULL"}, &CustomField::customFieldId};

std::int64_t nextPosition(Session& session, Tenant tenant)
{
    const auto next = session.value<std::int64_t>(
        "SELECT coalesce(max(position) + 1, 0) FROM custom_field WHERE organization_id = $1 AND removed_at IS NULL", tenant);
    return std::min(next.value_or(0), lastFieldOrder);
}

} // namespace

void CustomFieldRoutes::declare(Routes& routes)
{
    const auto reads = access::bearerOrKey("settings:read", "settings.read");
    const auto writes = access::bearerOrKey("settings:write", "settings.write");
    constexpr std::string_view fields = "/api/custom-fields", field = "/api/custom-fields/{customFieldId}";
    routes.get(fields, reads, &CustomFieldRoutes::list, this, {.summary = "List the custom fields of contacts"})
        .post(fields, writes, &CustomFieldRoutes::create, this, {.summary = "Define a custom field", .problems = {"409 conflict"}})
        .put(field, writes, &CustomFieldRoutes::update, this, {.summary = "Change a custom field"})
        .del(field, writes, &CustomFieldRoutes::remove, this, {.summary = "Delete a custom field and its values"});
}

void CustomFieldRoutes::start()
{
    _context.jobs().handle<RemovedField>(removeValuesJob, [this](const RemovedField& removed, const Job& job)
                                         { removeValues(Tenant::fromStored(removed.organizationId), removed.customFieldId, job.stop); });
}

Page<CustomField> CustomFieldRoutes::list(const Caller& caller, const Paging& paging) const
{
    auto session = _context.database().session();
    return customFieldTable.select(caller.tenant()).orderBy(neverEmpty(&CustomField::order)).page(session, paging);
}

Created<CustomField> CustomFieldRoutes::create(const Caller& caller, const Body<CustomField>& body)
{
    const auto tenant = caller.tenant();
    checkCustomField(*body, nullptr);
    return _context.database().transact(
        [&](Transaction& transaction) -> Created<CustomField>
        {
            lockCustomFields(transaction, tenant);
            checkRoom(transaction, tenant, body->key);
            CustomField made = *body;
            if (!made.order) made.order = nextPosition(transaction, tenant);
            return {customFieldTable.create(transaction, tenant, std::move(made), {_context.clock().now()})};
        });
}

void CustomFieldRoutes::checkRoom(Transaction& transaction, Tenant tenant, std::string_view key) const
{
    const auto removed = transaction.value<std::optional<std::int64_t>>(
        "SELECT removed_at FROM custom_field WHERE organization_id = $1 AND field_key = $2", tenant, key);
    if (removed && *removed)
        throw Problem::conflict("conflict", "The values of a removed field with this key are still being taken from the contacts: try "
                                            "again in a moment.");
    if (removed) throw Problem::invalid("key", "not_unique", "Another custom field has this key");
    if (customFieldTable.count(transaction, tenant) >= maxCustomFields)
        throw Problem::invalid("", "limit_reached", "An organization has at most " + std::to_string(maxCustomFields) + " custom fields");
}

CustomField CustomFieldRoutes::update(const Caller& caller, const Path<CustomFieldId>& id, const Body<Patch<CustomField>>& body,
                                      const IfMatch& ifMatch)
{
    const auto edit = [&](CustomField& field)
    {
        const CustomField before = field;
        body->applyTo(field);
        if (!field.order) field.order = before.order;
        checkCustomField(field, &before);
    };
    return _context.database().transact(
        [&](Transaction& transaction)
        { return customFieldTable.change(transaction, caller.tenant(), *id, ifMatch, {_context.clock().now()}, edit); });
}

Deleted<CustomFieldId, "customFieldId"> CustomFieldRoutes::remove(const Caller& caller, const Path<CustomFieldId>& id,
                                                                  const IfMatch& ifMatch)
{
    const auto tenant = caller.tenant();
    return _context.database().transact([&](Transaction & transaction) -> Deleted<CustomFieldId, "customFieldId"> {
        lockCustomFields(transaction, tenant);
        const auto field = customFieldTable.requireForUpdate(transaction, tenant, *id);
        ifMatch.require(field.version);
        if (!removeBatch(transaction, tenant, field.key, {}))
            customFieldTable.erase(transaction, tenant, *id);
        else
        {
            transaction.execute("UPDATE custom_field SET removed_at = $3 WHERE organization_id = $1 AND custom_field_id = $2", tenant, *id,
                                _context.clock().now());
            _context.jobs().enqueue(transaction, removeValuesJob, RemovedField{std::string(tenant.text()), *id});
        }
        return {*id};
    });
}

std::optional<std::string> CustomFieldRoutes::removeBatch(Transaction& transaction, Tenant tenant, const std::string& key,
                                                          std::string_view after)
{
    // May also match the key in another member, which is harmless.
    const auto ids = transaction.values<ContactId>("SELECT id FROM contact WHERE organization_id = $1 AND id > $2 AND document LIKE $3 "
                                                   "ESCAPE '\\' ORDER BY id LIMIT $4",
                                                   tenant, after, containsPattern('"' + key + "\":"), sweepBatch);
    changeContacts(_context, transaction, tenant, ids, [&](Contact& contact) { return contact.customFields.erase(key) > 0; });
    if (ids.size() < static_cast<std::size_t>(sweepBatch)) return std::nullopt;
    return ids.back().text();
}

void CustomFieldRoutes::removeValues(Tenant tenant, const CustomFieldId& id, const std::stop_token& stop)
{
    std::optional<std::string> last = "";
    while (last && !stop.stop_requested())
    {
        last = _context.database().transact(
            [&](Transaction& transaction) -> std::optional<std::string>
            {
                const auto field = removedFieldTable.find(transaction, tenant, id);
                if (!field) return std::nullopt;
                auto next = removeBatch(transaction, tenant, field->key, *last);
                if (!next) removedFieldTable.erase(transaction, tenant, id);
                return next;
            });
    }
    if (last) throw std::runtime_error("Stopped on request: the next run continues");
}

} // namespace portico::crm
