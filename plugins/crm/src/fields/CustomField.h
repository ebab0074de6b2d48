#pragma once

#include "Ids.h"

#include "portico/Schema.h"

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

constexpr std::size_t mostCustomFields = 200;

/// A member that an organization has added to its contacts: values stand in `customFields` of a contact, under the key.
struct CustomField
{
    CustomFieldId customFieldId;
    /// Key and type never change, since values that are stored depend on them.
    std::string key;
    std::string label;
    CustomFieldType type = CustomFieldType::Text;
    std::vector<std::string> options;
    bool required = false;
    /// Empty only in input: after all others.
    std::optional<std::int64_t> order;
    Instant createdAt{};
    Instant updatedAt{};
    std::int64_t version = 1;
    bool operator==(const CustomField&) const = default;

    bool hasOptions() const noexcept { return type == CustomFieldType::Select || type == CustomFieldType::MultiSelect; }
};

/// The custom fields of one organization, by their keys.
using CustomFields = std::map<std::string, CustomField, std::less<>>;

/// `[a-z][a-z0-9_]{0,39}`.
bool isCustomFieldKey(std::string_view text);

} // namespace portico::crm

template <>
struct portico::Schema<portico::crm::CustomFieldType>
{
    using T = portico::crm::CustomFieldType;
    static constexpr auto choices = portico::choices<T>({{"text", T::Text},
                                                         {"number", T::Number},
                                                         {"date", T::Date},
                                                         {"boolean", T::Boolean},
                                                         {"select", T::Select},
                                                         {"multi_select", T::MultiSelect},
                                                         {"url", T::Url}});
};

template <>
struct portico::Schema<portico::crm::CustomField>
{
    using T = portico::crm::CustomField;
    static constexpr auto fields = describe(
        field("customFieldId", &T::customFieldId).readOnly(),
        field("key", &T::key)
            .required()
            .matches(portico::crm::isCustomFieldKey, "invalid_key", "a lower-case letter, then up to 39 of a-z, 0-9 and _")
            .column("field_key")
            .description("The member's name in customFields of a contact; never changes"),
        field("label", &T::label).required().maxLength(80), field("type", &T::type).required().description("Never changes"),
        field("options", &T::options)
            .maxItems(100)
            .maxLength(80)
            .description("What a select or multi_select offers. Values that contacts have stay when their option is taken away, but can no "
                         "longer be chosen"),
        field("required", &T::required)
            .description("New contacts need a value, and a value is not removed. Contacts from before may stay without one"),
        field("order", &T::order).range(0, 1000000).column("position").description("Default: after all others"),
        field("createdAt", &T::createdAt).readOnly(), field("updatedAt", &T::updatedAt).readOnly(),
        field("version", &T::version).readOnly());
};
