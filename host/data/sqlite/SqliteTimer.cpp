#include "host/data/sqlite/SqliteTimer.h"

#include <ctime>
#include <utility>

namespace portico::host::data
{

namespace
{

/// Operations of SQLite's machine between two callbacks: less than a millisecond of work, and more than a page of a list needs.
constexpr int operations = 5000;

/// Exact to some milliseconds, and cheaper than a clock that knows more.
std::chrono::nanoseconds now() noexcept
{
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

} // namespace

SqliteTimer::SqliteTimer(sqlite3* database, std::chrono::milliseconds limit) : _database(database), _limit(limit)
{
    sqlite3_progress_handler(database, operations, &SqliteTimer::isOver, this);
}

SqliteTimer::~SqliteTimer() { sqlite3_progress_handler(_database, 0, nullptr, nullptr); }

int SqliteTimer::step(sqlite3_stmt* statement, Run& run) noexcept
{
    _run = &run;
    if (run.isLong) _began = now();
    const int code = sqlite3_step(statement);
    if (run.isLong) run.taken += now() - _began;
    _run = nullptr;
    return code;
}

int SqliteTimer::isOver(void* self) noexcept
{
    auto& timer = *static_cast<SqliteTimer*>(self);
    if (!timer._run) return 0;
    if (!std::exchange(timer._run->isLong, true)) timer._began = now();
    return timer._run->taken + now() - timer._began > timer._limit ? 1 : 0;
}

} // namespace portico::host::data
