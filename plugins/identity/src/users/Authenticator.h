#pragma once

#include "users/User.h"

#include "portico/Clock.h"
#include "portico/Database.h"

#include <optional>
#include <string_view>

namespace portico::identity
{

/// Checks passwords. Holds no database session while it hashes. Thread-safe.
class Authenticator
{
public:
    Authenticator(Database& database, const Clock& clock) : _database(database), _clock(clock) {}
    /// The user with this address, whatever their status.
    std::optional<User> find(std::string_view email);
    /// Whether this is their password; takes the same time when there is nobody.
    bool matches(const std::optional<User>& user, std::string_view password);
    /// Whether this is the user's password.
    bool confirm(std::string_view userId, std::string_view password);

private:
    Database& _database;
    const Clock& _clock;
};

} // namespace portico::identity
