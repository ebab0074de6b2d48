#pragma once

#include "Ids.h"

#include "portico/Table.h"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

enum class CustomFieldType
{
    Text,
    Number,
    Date,
    Boolean,
    Select,
    MultiSelect,
    Url
};

constexpr auto schemaOf(const CustomFieldType*)
{
    using enum CustomFieldType;
    return portico::choices<CustomFieldType>({{"text", Text},
                                              {"number", Number},
                                              {"date", Date},
                                              {"boolean", Boolean},
                                              {"select", Select},
                                              {"multi_select", MultiSelect},
                                              {"url", Url}});
}

constexpr std::int64_t maxCustomFields = 200, lastFieldOrder = 1'000'000;

/// Member that an organization has added to its contacts. Values are in `customFields` of a contact, under the key.
struct CustomField : Versioned
{
    CustomFieldId customFieldId;
    /// Key and type are immutable, because stored values depend on them.
    std::string key;
    std::string label;
    CustomFieldType type = CustomFieldType::Text;
    std::vector<std::string> options;
    bool required = false;
    /// Empty only in input: after all others.
    std::optional<std::int64_t> order;
    bool operator==(const CustomField&) const = default;

    bool hasOptions() const noexcept { return type == CustomFieldType::Select || type == CustomFieldType::MultiSelect; }
};

/// `[a-z][a-z0-9_]{0,39}`.
bool isCustomFieldKey(std::string_view text);

constexpr auto schemaOf(const CustomField*)
{
    return describe(field<&CustomField::customFieldId>().readOnly(),
                    field<&CustomField::key>()
                        .required()
                        .matches(isCustomFieldKey, "invalid_key", "a lower-case letter, then up to 39 of a-z, 0-9 and _")
                        .column("field_key")
                        .description("Name of the member in `customFields` of a contact; cannot be changed"),
                    field<&CustomField::label>().required().trimmed().maxLength(80),
                    field<&CustomField::type>().required().description("Cannot be changed"),
                    field<&CustomField::options>().trimmed().maxItems(100).maxLength(80).description(
                        "Options of a `select` or `multi_select`. Contacts keep values of removed options"),
                    field<&CustomField::required>().description(
                        "Requires a value in new contacts, and prevents its removal. Existing contacts may have none"),
                    field<&CustomField::order>().range(0, lastFieldOrder).column("position").description("Default: after all others"),
                    versioned<CustomField>());
}

/// A removed field whose values are still being deleted keeps its row, and is hidden. The test of `checkTables` leaves this table out:
/// `order` is optional in input only, and its column has a value in every row.
inline constexpr Table customFieldTable{"custom_field", {.where = "removed_at IS NULL"}, &CustomField::customFieldId};

/// The custom fields of one organization, by their keys.
using CustomFields = std::map<std::string, CustomField, std::less<>>;

/// `customFields` of a contact: JSON values by their keys.
using CustomValues = std::map<std::string, Json>;

/// Returns all fields of the organization.
CustomFields customFields(Session& session, Tenant tenant);
/// Returns the fields for `complete` of a new contact. They stay unchanged until the transaction ends.
CustomFields customFieldsFor(Transaction& transaction, Tenant tenant, const CustomValues& values);
/// Does the same for a transaction that changes existing contacts. Must be called before a contact is locked.
CustomFields heldCustomFields(Transaction& transaction, Tenant tenant);
/// Blocks creation and removal of fields until the transaction ends. Waits for contacts that are being written with custom values.
void lockCustomFields(Transaction& transaction, Tenant tenant);

/// Checks rules of a written definition beyond the Schema.
/// @param before the stored one, or null for a new one
/// @throws Problem 400 `validation_failed` with every fault
void checkCustomField(const CustomField& field, const CustomField* before);

} // namespace portico::crm
