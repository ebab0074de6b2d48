#include "search/ContactOrder.h"

#include <charconv>

namespace portico::crm
{

ContactOrder orderOf(ContactSort sort)
{
    switch (sort)
    {
    case ContactSort::DisplayName:
        return {"c.sort_name"};
    case ContactSort::DisplayNameDescending:
        return {"c.sort_name", true};
    case ContactSort::CreatedAt:
        return {"c.created_at", false, true};
    case ContactSort::CreatedAtDescending:
        return {"c.created_at", true, true};
    case ContactSort::UpdatedAt:
        return {"c.updated_at", false, true};
    case ContactSort::UpdatedAtDescending:
        return {"c.updated_at", true, true};
    case ContactSort::LastName:
        return {"c.sort_last_name"};
    case ContactSort::LastNameDescending:
        return {"c.sort_last_name", true};
    }
    return {"c.sort_name"};
}

void addCursor(SqlConditions& conditions, const ContactOrder& order, std::string_view cursor)
{
    if (cursor.empty()) return;
    const auto end = cursor.rfind('\n');
    const std::string value(cursor.substr(0, end)), id(cursor.substr(end + 1));
    std::int64_t number = 0;
    if (order.number) std::from_chars(value.data(), value.data() + value.size(), number);
    const auto bound = order.number ? conditions.bind(number) : conditions.bind(value);
    conditions.add("(" + std::string(order.column) + ", c.id) " + (order.descending ? "<" : ">") + " (" + bound + ", " +
                   conditions.bind(id) + ")");
}

std::string orderBy(const ContactOrder& order)
{
    const std::string direction = order.descending ? " DESC" : "";
    return " ORDER BY " + std::string(order.column) + direction + ", c.id" + direction;
}

std::string cursorOf(const ContactOrder& order, const Row& row)
{
    const auto value = order.number ? std::to_string(row.get<std::int64_t>(1)) : row.get<std::string>(1);
    return value + '\n' + row.get<std::string>(0);
}

} // namespace portico::crm
