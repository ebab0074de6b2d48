#pragma once

#include "portico/Database.h"

namespace portico::identity::scim
{

/// Writes anew the keys of names of people and groups that an earlier version folded in ASCII alone. A key that another row has already
/// stays as it is: both rows were created as different ones. Does nothing where there is nothing to do. @throws DatabaseError
void refoldNames(Database& database);

} // namespace portico::identity::scim
