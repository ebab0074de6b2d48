#include "fields/CustomFieldService.h"

#include "contacts/ContactSweep.h"
#include "data/SqlText.h"
#include "fields/CustomFieldRules.h"

#include "portico/Json.h"

namespace portico::crm
{

namespace
{

constexpr std::string_view removeValuesJob = "crm.custom_fields.remove_values";

} // namespace

/// Payload of the job.
struct RemovedField
{
    std::string organizationId;
    CustomFieldId customFieldId;
};

constexpr auto schemaOf(const RemovedField*)
{
    return describe(field("organizationId", &RemovedField::organizationId).required(),
                    field("customFieldId", &RemovedField::customFieldId).required());
}

} // namespace portico::crm

namespace portico::crm
{

CustomFieldService::CustomFieldService(PluginContext& context, const ContactStore& contacts, const CustomFieldStore& store)
    : _context(context), _contacts(contacts), _store(store)
{
}

void CustomFieldService::start()
{
    _context.jobs().handle(removeValuesJob, [this](const Job& job) { removeValues(job); });
}

Created<CustomField> CustomFieldService::create(const Caller& caller, CustomField field)
{
    const auto tenant = caller.tenant();
    completeField(field, nullptr);
    field.createdAt = field.updatedAt = _context.clock().now();
    field.customFieldId = CustomFieldId::make(field.createdAt);
    return _context.database().transact(
        [&](Transaction& transaction) -> Created<CustomField>
        {
            _store.lock(transaction, tenant);
            checkRoom(transaction, tenant, field.key);
            CustomField made = field;
            if (!made.order) made.order = _store.nextPosition(transaction, tenant);
            _store.insert(transaction, tenant, made);
            return {std::move(made)};
        });
}

void CustomFieldService::checkRoom(Transaction& transaction, Tenant tenant, std::string_view key) const
{
    switch (_store.useOf(transaction, tenant, key))
    {
    case CustomFieldStore::KeyUse::Taken:
        throw Problem::invalid("key", "not_unique", "Another custom field has this key");
    case CustomFieldStore::KeyUse::BeingRemoved:
        throw Problem::conflict("conflict", "The values of a removed field with this key are still being taken from the contacts: try "
                                            "again in a moment.");
    case CustomFieldStore::KeyUse::Free:
        break;
    }
    if (_store.count(transaction, tenant) >= mostCustomFields)
        throw Problem::invalid("", "limit_reached", "An organization has at most " + std::to_string(mostCustomFields) + " custom fields");
}

CustomField CustomFieldService::update(const Caller& caller, const CustomFieldId& id, const Patch<CustomField>& patch,
                                       const IfMatch& ifMatch)
{
    const auto tenant = caller.tenant();
    return _context.database().transact(
        [&](Transaction& transaction)
        {
            const CustomField before = require(transaction, tenant, id);
            CustomField after = before;
            patch.applyTo(after);
            if (!after.order) after.order = before.order;
            completeField(after, &before);
            ifMatch.require(before.version);
            if (after == before) return before;
            after.version = before.version + 1;
            after.updatedAt = _context.clock().now();
            _store.update(transaction, tenant, after);
            return after;
        });
}

DeletedCustomField CustomFieldService::remove(const Caller& caller, const CustomFieldId& id, const IfMatch& ifMatch)
{
    const auto tenant = caller.tenant();
    return _context.database().transact(
        [&](Transaction& transaction) -> DeletedCustomField
        {
            _store.lock(transaction, tenant);
            const auto field = require(transaction, tenant, id);
            ifMatch.require(field.version);
            if (!removeBatch(transaction, tenant, field.key, {}))
                _store.erase(transaction, tenant, id);
            else
            {
                _store.markRemoved(transaction, tenant, id, _context.clock().now());
                _context.jobs().enqueue(transaction, removeValuesJob, toJson(RemovedField{std::string(tenant.text()), id}));
            }
            return {id};
        });
}

std::optional<std::string> CustomFieldService::removeBatch(Transaction& transaction, Tenant tenant, const std::string& key,
                                                           std::string_view after)
{
    // Also finds the key as a member of something else, which does no harm.
    std::vector<std::string> ids;
    for (Row row : transaction.query("SELECT id FROM contact WHERE organization_id = $1 AND id > $2 AND document LIKE $3 ESCAPE '\\' "
                                     "ORDER BY id LIMIT $4",
                                     tenant, after, containsPattern('"' + key + "\":"), sweepBatch))
        ids.push_back(row.get<std::string>(0));
    changeContacts(_context, _contacts, transaction, tenant, ids, [&](Contact& contact) { return contact.customFields.erase(key) > 0; });
    if (ids.size() < static_cast<std::size_t>(sweepBatch)) return std::nullopt;
    return std::move(ids.back());
}

void CustomFieldService::removeValues(const Job& job)
{
    const auto removed = fromJson<RemovedField>(job.payload);
    const auto tenant = Tenant::fromStored(removed.organizationId);
    std::optional<std::string> last = "";
    while (last && !job.stop.stop_requested())
    {
        last = _context.database().transact(
            [&](Transaction& transaction) -> std::optional<std::string>
            {
                const auto key = _store.keyOfRemoved(transaction, tenant, removed.customFieldId);
                if (!key) return std::nullopt;
                auto next = removeBatch(transaction, tenant, *key, *last);
                if (!next) _store.erase(transaction, tenant, removed.customFieldId);
                return next;
            });
    }
    if (last) throw std::runtime_error("Asked to stop: goes on at the next run");
}

CustomField CustomFieldService::require(Transaction& transaction, Tenant tenant, const CustomFieldId& id) const
{
    auto field = _store.load(transaction, tenant, id);
    if (!field) throw Problem::notFound();
    return *std::move(field);
}

} // namespace portico::crm
