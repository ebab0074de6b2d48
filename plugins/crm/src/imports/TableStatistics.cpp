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
    // Does nothing on SQLite: its statements are written for a planner without statistics. With them, of 35,500 contacts a list by e-mail
    // or phone took 0.2 ms instead of 7. But a list by tag took 70 ms instead of 2, by pipeline 508 instead of 12, and counting those with
    // an e-mail 1,628 instead of 93. Sampling 400 rows an index gave the same.
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
