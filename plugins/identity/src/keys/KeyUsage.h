#pragma once

#include "portico/Database.h"

#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace portico::identity
{

/// Counts uses of keys without a write per request: they gather here and go to the database once a minute and when the plugin stops. What a
/// crash loses is a minute of statistics. Thread-safe.
class KeyUsage
{
public:
    explicit KeyUsage(Database& database) : _database(database) {}
    void note(std::string_view apiKeyId, std::string_view serviceId, std::string_view address, Instant now);
    /// Writes what has gathered. @throws DatabaseError; then it is kept for the next time.
    void flush();

private:
    struct Use
    {
        std::int64_t count = 0;
        Instant lastUsedAt{};
        std::string address;
        std::string serviceId;
    };
    /// By key and hour.
    using Uses = std::map<std::pair<std::string, Instant>, Use>;
    void keep(Uses&& uses);
    static void write(Session& session, const Uses& uses);

    Database& _database;
    std::mutex _mutex;
    Uses _uses;
};

} // namespace portico::identity
