#include "host/plugins/lifecycle/DependencyUnavailable.h"

#include "portico/Database.h"
#include "portico/Problem.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace portico::host::plugins
{

namespace
{

constexpr int serviceUnavailable = 503;

bool isAway(DatabaseError::Kind kind) noexcept
{
    using enum DatabaseError::Kind;
    return kind == Unavailable || kind == Busy || kind == Serialization;
}

} // namespace

std::string unavailableDependency(const std::exception& error)
{
    if (const auto* known = dynamic_cast<const DependencyUnavailable*>(&error)) return known->dependency();
    if (const auto* database = dynamic_cast<const DatabaseError*>(&error)) return isAway(database->kind()) ? "the database" : "";
    // The state store, or another service.
    if (const auto* problem = dynamic_cast<const Problem*>(&error)) return problem->status() == serviceUnavailable ? "what it needs" : "";
    if (const auto* system = dynamic_cast<const std::system_error*>(&error))
        return system->code() == std::errc::no_space_on_device ? "room on the disk" : "";
    return {};
}

Waiting waitFor(std::string what, unsigned triesBefore, const RetryTimes& times, std::chrono::steady_clock::time_point now)
{
    auto pause = times.first;
    for (unsigned i = 0; i < triesBefore && pause < times.longest; ++i) pause *= 2;
    return {std::move(what), triesBefore + 1, now + std::min(pause, times.longest)};
}

} // namespace portico::host::plugins
