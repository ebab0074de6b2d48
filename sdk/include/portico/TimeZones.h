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

    /// A zone or a link by its IANA name (`Europe/Berlin`, `Asia/Calcutta`); empty for anything else that lies in the folder, or outside
    /// it. The first time it reads a file.
    std::optional<TimeZone> find(std::string_view name) const;
    /// @throws Problem 400 `validation_failed` with `unknown_time_zone` about `field`
    TimeZone require(std::string_view name, std::string_view field) const;

    /// Version of the database, `2025b`; empty if unknown.
    std::string version() const;
    /// Looks whether the database was replaced (one `stat`), and if so, forgets what was read: true, and who keeps times that were made
    /// with zones drops them.
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
