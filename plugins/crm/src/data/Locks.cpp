#include "data/Locks.h"

#include <string>

namespace portico::crm
{

namespace
{

void takeLock(Transaction& transaction, std::string_view sql, std::string_view purpose, Tenant tenant)
{
    if (transaction.dialect() != Dialect::PostgreSQL) return;
    transaction.query(sql, std::string(purpose) + ' ' + std::string(tenant.text())).next();
}

} // namespace

std::string longWorkOf(Tenant tenant) { return "import " + std::string(tenant.text()); }

void lockExclusively(Transaction& transaction, std::string_view purpose, Tenant tenant)
{
    takeLock(transaction, "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", purpose, tenant);
}

void lockShared(Transaction& transaction, std::string_view purpose, Tenant tenant)
{
    takeLock(transaction, "SELECT pg_advisory_xact_lock_shared(hashtextextended($1, 0))", purpose, tenant);
}

} // namespace portico::crm
