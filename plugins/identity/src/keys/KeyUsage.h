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

/// How a call with a key ended, as far as identity sees it.
enum class KeyUseKind : std::uint8_t
{
    Ok,
    Denied,
    RateLimited
};

/// What uses for services that are not registered are counted as; no service has that name.
inline constexpr std::string_view unregisteredService = "-";

/// Counts uses of keys without a write per request: they gather here and go to the database once a minute and when the plugin stops. What a
/// crash loses is a minute of statistics. Thread-safe.
class KeyUsage
{
public:
    explicit KeyUsage(Database& database) : _database(database) {}
    /// @param catalog says which names are services': callers send any name, and all others are counted as `unregisteredService`
    void note(const Catalog& catalog, std::string_view apiKeyId, std::string_view serviceId, std::string_view address, Instant now,
              KeyUseKind kind = KeyUseKind::Ok);
    /// Writes what has gathered. @throws DatabaseError; then it is kept for the next time.
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
    /// By key, hour and service.
    using Uses = std::map<std::tuple<std::string, Instant, std::string>, Use>;
    void keep(Uses&& uses);
    static void write(Session& session, const Uses& uses);

    Database& _database;
    std::mutex _mutex;
    Uses _uses;
};

} // namespace portico::identity
