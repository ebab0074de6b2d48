#include "imports/TableStatistics.h"

namespace portico::crm
{

bool needsStatistics(std::int64_t rowsBefore, std::int64_t rowsNow) noexcept
{
    constexpr std::int64_t first = 500;
    std::int64_t threshold = first;
    while (threshold <= rowsBefore) threshold *= 2;
    return rowsNow >= threshold;
}

void refreshStatistics(Database& database) noexcept
try
{
    if (database.dialect() != Dialect::PostgreSQL) return;
    database.transact(
        [](Transaction& transaction)
        {
            transaction.execute(
                "ANALYZE contact, contact_email, contact_phone, contact_external_id, contact_tag, contact_text, contact_word, "
                "import_key, import_row, import_contact");
        });
}
catch (...)
{
    // Another one may be at it, or the role may not.
}

} // namespace portico::crm
