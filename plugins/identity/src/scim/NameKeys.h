#pragma once

#include "portico/Database.h"

namespace portico::identity::scim
{

/// Recomputes the name keys of people and groups that an earlier version folded in ASCII only. Keeps a key if another row already has the
/// new one, because both rows were created as different ones. Idempotent.
/// @throws DatabaseError
void refoldNames(Database& database);

} // namespace portico::identity::scim
