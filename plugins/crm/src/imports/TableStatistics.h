#pragma once

#include "portico/Database.h"

#include <cstdint>

namespace portico::crm
{

/// Returns true if PostgreSQL's statistics are outdated: at 500 rows, and whenever the number of rows has doubled.
bool needsStatistics(std::int64_t rowsBefore, std::int64_t rowsNow) noexcept;

/// Runs ANALYZE on the tables that an import fills. Autovacuum runs once a minute only; until then the planner takes the tables for empty
/// and scans them. Does nothing on SQLite. Never throws, because it only affects speed.
void refreshStatistics(Database& database) noexcept;

} // namespace portico::crm
