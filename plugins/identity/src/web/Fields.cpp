#include "web/Fields.h"

#include "portico/Text.h"

#include <algorithm>

namespace portico::identity
{

std::string fieldOf(const FormValues& fields, std::string_view name)
{
    const std::string* found = nullptr;
    for (const auto& [key, value] : fields)
    {
        if (key != name) continue;
        if (found != nullptr) throw Problem::invalid(name, "duplicate", "Sent more than once");
        found = &value;
    }
    return found == nullptr ? std::string() : *found;
}

std::vector<std::string> valuesOf(const FormValues& fields, std::string_view name)
{
    std::vector<std::string> values;
    for (const auto& [key, value] : fields)
        if (key == name && !value.empty() && std::ranges::find(values, value) == values.end()) values.push_back(value);
    return values;
}

bool isJsonType(std::string_view contentType)
{
    return equalsIgnoreCase(trim(contentType.substr(0, contentType.find(';'))), "application/json");
}

} // namespace portico::identity
