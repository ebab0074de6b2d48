#pragma once

#include "portico/Export.h"
#include "portico/TimeZone.h"

#include <cstdint>
#include <map>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>

namespace portico
{

/// The zones of the system's tz database. Thread-safe.
class PORTICO_API TimeZones
{
public:
    explicit TimeZones(std::string folder = "/usr/share/zoneinfo");

    /// Returns a zone or link by its IANA name (`Europe/Berlin`, `Asia/Calcutta`); empty for any other name. Reads a file at the first
    /// use of a zone.
    std::optional<TimeZone> find(std::string_view name) const;
    /// @throws Problem 400 `validation_failed` with `unknown_time_zone` about `field`
    TimeZone require(std::string_view name, std::string_view field) const;

    /// Version of the database, `2025b`; empty if unknown.
    std::string version() const;
    /// Checks with one `stat` whether the database was replaced. If so, drops the cached zones and returns true: drop times that you
    /// computed with zones.
    bool reloadIfChanged();

private:
    std::string _folder;
    mutable std::shared_mutex _mutex;
    mutable std::map<std::string, TimeZone, std::less<>> _found;
    std::string _version;
    /// Modification stamp of a file that every release of the database changes.
    std::uint64_t _stamp = 0;
};

} // namespace portico
