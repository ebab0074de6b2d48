#pragma once

#include "data/SqlText.h"
#include "records/ContactRequests.h"

#include "portico/Database.h"

#include <string>
#include <string_view>

namespace portico::crm
{

/// Column and direction of a sort of contacts `c`; the id decides between equals.
struct ContactOrder
{
    std::string_view column;
    bool descending = false;
    bool number = false;
};

ContactOrder orderOf(ContactSort sort);

/// ` ORDER BY …` for contacts of a table or subselect of that alias.
std::string orderBy(const ContactOrder& order);

/// Lets through what comes after a cursor: the last row's value of the sorted column and its id. The SDK signs it, so it is ours.
void addCursor(SqlConditions& conditions, const ContactOrder& order, std::string_view cursor);

/// Returns the cursor of a row whose first columns are the id and the sorted column.
std::string cursorOf(const ContactOrder& order, const Row& row);

} // namespace portico::crm
