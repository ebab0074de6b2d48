#pragma once

#include "host/data/DatabaseEngine.h"

#include <string>

namespace portico::host::data
{

/// Returns the connection string in the form of POCO's connector (`key=value key=value`), from a URL or libpq's keyword form, with the
/// password of the settings' file. @throws std::invalid_argument with the fault; the text never contains the password.
std::string pocoConnectionString(const DatabaseSettings& settings);
/// The same for connections that need a session of the server for themselves; empty where there is no address for them.
std::string directConnectionString(const DatabaseSettings& settings);

/// Connects once and disconnects. POCO's connector leaks a connection that cannot be made, so it is only asked when one can be.
/// @throws DatabaseError Unavailable
void requireReachable(const std::string& connectionString);

/// Checks that each connection keeps a session of the server for itself. What the host sets for a session (the schema, time limits, named
/// statements) would otherwise apply to another service's statements.
/// @throws DatabaseError Other for a pooler that lends sessions for a transaction or a statement, Unavailable
void requireSessionsOfOwn(const std::string& connectionString);

/// A schema for each service in the database of the settings.
class PostgresEngine final : public DatabaseEngine
{
public:
    /// Registers POCO's connector.
    PostgresEngine();
    ~PostgresEngine() override;

    /// Connects to nothing yet.
    std::unique_ptr<ServiceDatabase> open(const DatabaseSettings& settings, std::string_view serviceId) const override;
    void check(const DatabaseSettings& settings) const override;
    std::unique_ptr<WorkNotifier> notifier(const DatabaseSettings& settings, WorkNotifier::OnWork onWork) const override;
};

} // namespace portico::host::data
