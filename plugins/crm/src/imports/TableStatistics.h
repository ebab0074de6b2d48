#pragma once

#include "portico/Database.h"

#include <cstdint>

namespace portico::crm
{

/// True when so many rows are new that PostgreSQL's statistics say nothing any more: at 500 rows, and whenever their number has doubled.
bool needsStatistics(std::int64_t rowsBefore, std::int64_t rowsNow) noexcept;

/// Has PostgreSQL look at the tables that an import fills, as it plans by their sizes: by itself it does so once a minute, and until then
/// searches tables that it takes for empty row by row. Nothing on SQLite. Never throws: without it all is only slower.
void refreshStatistics(Database& database) noexcept;

} // namespace portico::crm
