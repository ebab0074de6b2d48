#include "exports/ExportSlots.h"

#include "portico/Problem.h"

namespace portico::crm
{

namespace
{

/// Fewer than the sessions that SQLite reads with, so that readers of pages always find one.
constexpr int mostExports = 2;
constexpr int retrySeconds = 10;

} // namespace

ExportSlots::Slot ExportSlots::take()
{
    if (++_used <= mostExports) return Slot(*this);
    --_used;
    throw Problem::unavailable("overloaded", "Enough exports are running; try again when one of them is done.", retrySeconds);
}

} // namespace portico::crm
