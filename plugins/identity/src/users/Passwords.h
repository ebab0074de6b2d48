#pragma once

#include "users/User.h"

#include "portico/Clock.h"
#include "portico/Database.h"

#include <optional>
#include <string>
#include <string_view>

namespace portico::identity
{

/// Password hashing: argon2id with 19 MiB and two passes, about 13 ms of a core each time, so only on the host's pool for heavy work.
namespace passwords
{
/// In argon2's own text form, with a new salt. @throws Problem 503 when there is no memory for it.
std::string hash(std::string_view password);
bool matches(std::string_view hash, std::string_view password) noexcept;
/// Takes the time of a real comparison and fails: for accounts that do not exist or have no password.
void matchNothing(std::string_view password) noexcept;
/// True for a hash that was made with weaker parameters than ours.
bool isOutdated(std::string_view hash);
} // namespace passwords

/// Checks passwords. Holds no database session while it hashes. Thread-safe.
class Authenticator
{
public:
    Authenticator(Database& database, const Clock& clock) : _database(database), _clock(clock) {}
    /// The user with this address, whatever their status.
    std::optional<User> find(std::string_view email);
    /// Whether this is their password; takes the same time when there is nobody.
    static bool matches(const std::optional<User>& user, std::string_view password);
    /// Makes the hash of a password that matches anew where it is outdated, unless there is another password by now.
    void renew(User& user, std::string_view password);
    /// Whether this is the user's password.
    bool confirm(std::string_view userId, std::string_view password);

private:
    Database& _database;
    const Clock& _clock;
};

} // namespace portico::identity
