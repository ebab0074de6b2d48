#include "records/CustomField.h"

#include "data/Locks.h"

#include "portico/Problem.h"

#include <algorithm>

namespace portico::crm
{

namespace
{

void checkOptions(const CustomField& field, std::vector<FieldError>& faults)
{
    const auto& options = field.options;
    if (!field.hasOptions() && !options.empty()) faults.push_back({"options", "not_allowed", "Only select and multi_select have options"});
    if (field.hasOptions() && options.empty()) faults.push_back({"options", "required", "At least one option is needed"});
    for (std::size_t i = 0; i < options.size(); ++i)
    {
        const auto end = options.begin() + static_cast<std::ptrdiff_t>(i);
        const std::string path = "options[" + std::to_string(i) + "]";
        if (options[i].empty())
            faults.push_back({path, "required", "Must not be empty"});
        else if (std::find(options.begin(), end, options[i]) != end)
            faults.push_back({path, "not_unique", "Duplicate value"});
    }
}

} // namespace

bool isCustomFieldKey(std::string_view text)
{
    const auto isLower = [](char c) { return c >= 'a' && c <= 'z'; };
    return !text.empty() && text.size() <= 40 && isLower(text.front()) &&
           std::all_of(text.begin(), text.end(), [&](char c) { return isLower(c) || (c >= '0' && c <= '9') || c == '_'; });
}

void checkCustomField(const CustomField& field, const CustomField* before)
{
    std::vector<FieldError> faults;
    if (before && field.key != before->key) faults.push_back({"key", "immutable", "The key of a custom field never changes"});
    if (before && field.type != before->type) faults.push_back({"type", "immutable", "The type of a custom field never changes"});
    checkOptions(field, faults);
    if (!faults.empty()) throw Problem::invalid(std::move(faults));
}

CustomFields customFields(Session& session, Tenant tenant)
{
    CustomFields fields;
    for (auto& field : customFieldTable.select(tenant).all(session))
    {
        auto key = field.key;
        fields.emplace(std::move(key), std::move(field));
    }
    return fields;
}

CustomFields customFieldsFor(Transaction& transaction, Tenant tenant, const CustomValues& values)
{
    return values.empty() ? customFields(transaction, tenant) : heldCustomFields(transaction, tenant);
}

CustomFields heldCustomFields(Transaction& transaction, Tenant tenant)
{
    // Takes the lock first, so that no field is removed until the transaction ends.
    lockShared(transaction, customFieldsLock, tenant);
    return customFields(transaction, tenant);
}

void lockCustomFields(Transaction& transaction, Tenant tenant) { lockExclusively(transaction, customFieldsLock, tenant); }

} // namespace portico::crm
