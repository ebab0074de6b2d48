#pragma once

#include "portico/Database.h"

#include <string_view>

struct sqlite3;

namespace portico::host::data
{

/// What went wrong last on this handle, in the classes of SQLSTATE. `code` is the (extended) result code.
DatabaseError sqliteError(sqlite3* database, int code, std::string_view sql);

} // namespace portico::host::data
