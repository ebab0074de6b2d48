#include "scim/NameKeys.h"

#include "scim/Schemas.h"

#include <string>
#include <string_view>
#include <vector>

namespace portico::identity::scim
{

namespace
{

struct NameTable
{
    std::string_view table;
    std::string_view id;
    std::string_view name;
    std::string_view key;
};

constexpr NameTable nameTables[] = {{"scim_users", "user_id", "user_name", "user_name_key"},
                                    {"scim_groups", "id", "display_name", "display_name_key"}};

struct NamedRow
{
    std::string organization;
    std::string id;
    std::string name;
    std::string key;
};

/// Keys that are ASCII are the same in both forms.
std::vector<NamedRow> beyondAscii(Transaction& transaction, Dialect dialect, const NameTable& table)
{
    const std::string key(table.key);
    const auto bytes = dialect == Dialect::SQLite ? "LENGTH(CAST(" + key + " AS BLOB))" : "OCTET_LENGTH(" + key + ')';
    std::vector<NamedRow> rows;
    for (Row row : transaction.query("SELECT organization_id, " + std::string(table.id) + ", " + std::string(table.name) + ", " + key +
                                     " FROM " + std::string(table.table) + " WHERE " + bytes + " <> LENGTH(" + key + ')'))
        rows.push_back({row.get<std::string>(0), row.get<std::string>(1), row.get<std::string>(2), row.get<std::string>(3)});
    return rows;
}

} // namespace

void refoldNames(Database& database)
{
    database.transact(
        [&](Transaction& transaction)
        {
            for (const auto& table : nameTables)
            {
                const std::string name(table.table);
                const std::string key(table.key);
                for (const auto& row : beyondAscii(transaction, database.dialect(), table))
                    if (const auto wanted = nameKey(row.name); wanted != row.key)
                        transaction.execute("UPDATE " + name + " SET " + key + " = $3 WHERE organization_id = $1 AND " +
                                                std::string(table.id) + " = $2 AND NOT EXISTS (SELECT 1 FROM " + name +
                                                " other WHERE other.organization_id = $1 AND other." + key + " = $3)",
                                            row.organization, row.id, wanted);
            }
        });
}

} // namespace portico::identity::scim
