#include "data/Locks.h"

#include <string>

namespace portico::crm
{

namespace
{

void lock(Transaction& transaction, std::string_view sql, std::string_view purpose, std::string_view organizationId)
{
    if (transaction.dialect() != Dialect::PostgreSQL) return;
    transaction.query(sql, std::string(purpose) + ' ' + std::string(organizationId)).next();
}

} // namespace

void lockExclusively(Transaction& transaction, std::string_view purpose, std::string_view organizationId)
{
    lock(transaction, "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", purpose, organizationId);
}

void lockShared(Transaction& transaction, std::string_view purpose, std::string_view organizationId)
{
    lock(transaction, "SELECT pg_advisory_xact_lock_shared(hashtextextended($1, 0))", purpose, organizationId);
}

} // namespace portico::crm
