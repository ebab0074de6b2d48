#pragma once

#include "catalog/Catalog.h"

#include "portico/Database.h"

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>

namespace portico::identity
{

/// Outcome of a call with a key, as known to identity.
enum class KeyUseKind : std::uint8_t
{
    Ok,
    Denied,
    RateLimited
};

/// Service name under which uses for unregistered services are counted; no service has that name.
inline constexpr std::string_view unregisteredService = "-";

/// Counts uses of keys in memory, and writes them once a minute and when the plugin stops. A crash loses at most a minute of statistics.
/// Thread-safe.
class KeyUsage
{
public:
    explicit KeyUsage(Database& database) : _database(database) {}
    /// @param catalog defines the valid service names: uses with any other name are counted as `unregisteredService`
    void note(const Catalog& catalog, std::string_view apiKeyId, std::string_view serviceId, std::string_view address, Instant now,
              KeyUseKind kind = KeyUseKind::Ok);
    /// Writes the collected counts. @throws DatabaseError; the counts are then kept for the next call
    void flush();

private:
    struct Use
    {
        std::array<std::int64_t, 3> counts{};
        Instant lastUsedAt{};
        std::string address;

        std::int64_t& of(KeyUseKind kind) { return counts[static_cast<std::size_t>(kind)]; }
        std::int64_t of(KeyUseKind kind) const { return counts[static_cast<std::size_t>(kind)]; }
    };
    /// Merges counts by key, hour and service.
    using Uses = std::map<std::tuple<std::string, Instant, std::string>, Use>;
    void keep(Uses&& uses);
    static void write(Session& session, const Uses& uses);

    Database& _database;
    std::mutex _mutex;
    Uses _uses;
};

} // namespace portico::identity
