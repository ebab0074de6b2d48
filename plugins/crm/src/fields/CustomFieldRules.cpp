#include "fields/CustomFieldRules.h"

#include "text/Folding.h"

#include "portico/Problem.h"

#include <algorithm>

namespace portico::crm
{

namespace
{

using Faults = std::vector<FieldError>;

void completeOptions(CustomField& field, Faults& faults)
{
    auto& options = field.options;
    if (!field.hasOptions() && !options.empty()) faults.push_back({"options", "not_allowed", "Only select and multi_select have options"});
    if (field.hasOptions() && options.empty()) faults.push_back({"options", "required", "At least one option is needed"});
    for (std::size_t i = 0; i < options.size(); ++i)
    {
        options[i] = std::string(trim(options[i]));
        const auto end = options.begin() + static_cast<std::ptrdiff_t>(i);
        const std::string path = "options[" + std::to_string(i) + "]";
        if (options[i].empty())
            faults.push_back({path, "required", "Must not be empty"});
        else if (std::find(options.begin(), end, options[i]) != end)
            faults.push_back({path, "not_unique", "Stands twice"});
    }
}

} // namespace

bool isCustomFieldKey(std::string_view text)
{
    const auto isLower = [](char c) { return c >= 'a' && c <= 'z'; };
    return !text.empty() && text.size() <= 40 && isLower(text.front()) &&
           std::all_of(text.begin(), text.end(), [&](char c) { return isLower(c) || (c >= '0' && c <= '9') || c == '_'; });
}

void completeField(CustomField& field, const CustomField* before)
{
    Faults faults;
    field.label = std::string(trim(field.label));
    if (field.label.empty()) faults.push_back({"label", "required", "Must not be empty"});
    if (before && field.key != before->key) faults.push_back({"key", "immutable", "The key of a custom field never changes"});
    if (before && field.type != before->type) faults.push_back({"type", "immutable", "The type of a custom field never changes"});
    completeOptions(field, faults);
    if (!faults.empty()) throw Problem::invalid(std::move(faults));
}

} // namespace portico::crm
