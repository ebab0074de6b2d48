#include "exchange/ImportSource.h"

namespace portico::crm
{

std::size_t ImportText::read(std::uint64_t offset, std::span<char> buffer)
{
    if (offset >= _text.size()) return 0;
    return _text.copy(buffer.data(), buffer.size(), static_cast<std::size_t>(offset));
}

std::string_view columnOf(const ImportPlan& plan, std::string_view field)
{
    const auto member = field.substr(0, field.find_first_of("[."));
    std::string_view found;
    for (const auto& column : plan.columns)
    {
        if (!column.mappedTo) continue;
        if (*column.mappedTo == field) return column.name;
        if (found.empty() && std::string_view(*column.mappedTo).substr(0, column.mappedTo->find_first_of("[.")) == member)
            found = column.name;
    }
    return found;
}

} // namespace portico::crm
