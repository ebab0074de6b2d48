#pragma once

#include "portico/Database.h"
#include "portico/Tenant.h"

#include <string>
#include <string_view>

namespace portico::crm
{

// Lock order. Transactions that take several of these locks take them in this order, which prevents deadlocks. PostgreSQL would detect one
// only after a second, and abort a transaction.
// 1. the row of an import or a merge, 2. the custom fields, 3. duplicates, 4. pipelines by their ids, 5. contacts by their ids, 6. records
// of a contact: notes, attachments, cards.

/// Lock that keeps the custom fields unchanged while contacts are written by them.
constexpr std::string_view customFieldsLock = "custom fields";
/// Lock for checking for duplicates before a contact is inserted.
constexpr std::string_view duplicatesLock = "duplicates";

/// Key of `StateStore::withLock` for long work on the contacts of an organization. It runs one at a time, so that an organization cannot
/// use up the shared threads and connections.
std::string longWorkOf(Tenant tenant);

/// Takes the lock of this purpose and organization until the transaction ends. Does nothing on SQLite, which has one writer. Call it before
/// the statement whose result it guards.
void lockExclusively(Transaction& transaction, std::string_view purpose, Tenant tenant);
/// Takes the lock shared: several holders run together, but not with `lockExclusively`.
void lockShared(Transaction& transaction, std::string_view purpose, Tenant tenant);

} // namespace portico::crm
