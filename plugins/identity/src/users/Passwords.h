#pragma once

#include "users/User.h"

#include "portico/Clock.h"
#include "portico/Database.h"

#include <optional>
#include <string>
#include <string_view>

namespace portico::identity
{

/// Password hashing: argon2id with 19 MiB and two passes, about 13 ms of a core each time, so only on the host's pool for heavy work. A
/// password is normalized before (NFKC; NIST SP 800-63B, 5.1.1.2), so that it is the same on a keyboard that composes letters in another
/// way. An earlier version hashed what was typed: what does not match is tried in that form, too.
namespace passwords
{
/// In argon2's own text form, with a new salt. @throws Problem 503 when there is no memory for it.
std::string hash(std::string_view password);
bool matches(std::string_view hash, std::string_view password);
/// Takes the time of a real comparison and fails: for accounts that do not exist or have no password.
void matchNothing(std::string_view password);
/// True for a hash that was made with weaker parameters than ours.
bool isOutdated(std::string_view hash);
/// True for the hash of a password that matches it, but as it was typed and not normalized.
bool isOfTypedForm(std::string_view hash, std::string_view password);
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
