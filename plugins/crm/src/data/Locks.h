#pragma once

#include "portico/Database.h"
#include "portico/Tenant.h"

#include <string>
#include <string_view>

namespace portico::crm
{

// Whoever takes several of these in one transaction takes them in this order, so that nobody waits for another in a circle, which
// PostgreSQL sees only after a second and then ends one of the two:
// 1. the row of an import or a merge, 2. the custom fields, 3. duplicates, 4. pipelines by their ids, 5. contacts by their ids, 6. what
// belongs to a contact: notes, attachments, cards.

/// Purpose: keeping the custom fields by which contacts are written.
constexpr std::string_view customFieldsLock = "custom fields";
/// Purpose: looking for duplicates and making a contact if there are none.
constexpr std::string_view duplicatesLock = "duplicates";

/// Key of `StateStore::withLock` for what works long on the contacts of an organization: one at a time, so that nobody fills the threads
/// and the database that all organizations share.
std::string longWorkOf(Tenant tenant);

/// Lets one transaction at a time pass that takes the lock of this purpose and organization; it is given back with the end of the
/// transaction. Nothing on SQLite, which has one writer at a time. Take it before the statement whose result it guards.
void lockExclusively(Transaction& transaction, std::string_view purpose, Tenant tenant);
/// Any number of these pass together, but none beside `lockExclusively`.
void lockShared(Transaction& transaction, std::string_view purpose, Tenant tenant);

} // namespace portico::crm
