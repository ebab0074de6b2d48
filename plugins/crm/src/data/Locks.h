#pragma once

#include "portico/Database.h"

#include <string_view>

namespace portico::crm
{

/// Purpose: looking for duplicates and making a contact if there are none.
constexpr std::string_view duplicatesLock = "duplicates";

/// Lets one transaction at a time pass that takes the lock of this purpose and organization; it is given back with the end of the
/// transaction. Nothing on SQLite, which has one writer at a time. Take it before the statement whose result it guards.
void lockExclusively(Transaction& transaction, std::string_view purpose, std::string_view organizationId);
/// Any number of these pass together, but none beside `lockExclusively`.
void lockShared(Transaction& transaction, std::string_view purpose, std::string_view organizationId);

} // namespace portico::crm
