#pragma once

#include "users/User.h"

#include "portico/Clock.h"
#include "portico/Database.h"

#include <optional>
#include <string>
#include <string_view>

namespace portico::identity
{

/// Password hashing: argon2id with 19 MiB and two passes, about 13 ms of a core. Use it only on the host's pool for heavy work. Passwords
/// are normalized first (NFKC; NIST SP 800-63B, 5.1.1.2), because keyboards compose letters differently. An earlier version hashed them as
/// typed, so that form is tried after a mismatch.
namespace passwords
{
/// Returns argon2's text form, with a new salt. @throws Problem 503 if memory is insufficient
std::string hash(std::string_view password);
bool matches(std::string_view hash, std::string_view password);
/// Takes the time of a comparison and fails: for accounts that do not exist or have no password.
void matchNothing(std::string_view password);
/// Returns true for a hash with weaker parameters.
bool isOutdated(std::string_view hash);
/// Returns true if the hash matches the password in its typed, not normalized form.
bool isOfTypedForm(std::string_view hash, std::string_view password);
} // namespace passwords

/// Checks passwords. Holds no database session while it hashes. Thread-safe.
class Authenticator
{
public:
    Authenticator(Database& database, const Clock& clock) : _database(database), _clock(clock) {}
    /// Returns the user with this address, whatever their status.
    std::optional<User> find(std::string_view email);
    /// Returns true if this is their password. Takes the same time without a user.
    static bool matches(const std::optional<User>& user, std::string_view password);
    /// Renews an outdated hash of a matching password, unless the password has changed in the meantime.
    void renew(User& user, std::string_view password);
    /// Returns true if this is the user's password.
    bool confirm(std::string_view userId, std::string_view password);

private:
    Database& _database;
    const Clock& _clock;
};

} // namespace portico::identity
