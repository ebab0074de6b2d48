#include "host/plugins/lifecycle/DependencyAway.h"

#include "portico/Database.h"
#include "portico/Problem.h"

#include <system_error>

namespace portico::host::plugins
{

namespace
{

constexpr int serviceUnavailable = 503;

bool isAway(DatabaseError::Kind kind) noexcept
{
    switch (kind)
    {
    case DatabaseError::Kind::Unavailable:
    case DatabaseError::Kind::Busy:
    case DatabaseError::Kind::Serialization:
        return true;
    case DatabaseError::Kind::Other:
    case DatabaseError::Kind::UniqueViolation:
    case DatabaseError::Kind::ForeignKeyViolation:
    case DatabaseError::Kind::CheckViolation:
        return false;
    }
    return false;
}

} // namespace

std::string whatIsAway(const std::exception& error)
{
    if (const auto* known = dynamic_cast<const DependencyAway*>(&error)) return known->dependency();
    if (const auto* database = dynamic_cast<const DatabaseError*>(&error)) return isAway(database->kind()) ? "the database" : "";
    // The state store, or another service.
    if (const auto* problem = dynamic_cast<const Problem*>(&error)) return problem->status() == serviceUnavailable ? "what it needs" : "";
    if (const auto* system = dynamic_cast<const std::system_error*>(&error))
        return system->code() == std::errc::no_space_on_device ? "room on the disk" : "";
    return {};
}

} // namespace portico::host::plugins
