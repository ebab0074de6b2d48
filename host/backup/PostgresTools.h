#pragma once

#include "host/backup/Files.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace portico::host::backup
{

/// Where a PostgreSQL database is, for its own programs.
struct PostgresAddress
{
    /// Like `database.url`, without a password.
    std::string url;
    /// Empty: as libpq finds one itself (PGPASSFILE, ~/.pgpass, none at all).
    std::string password;
    /// Owner of the address. If this process runs as root, the programs run as that user without root's libpq environment, since the
    /// address may name files to read and a server to send passwords to. None: same user as this process.
    std::optional<User> user = {};
};

/// Runs pg_dump and psql, which come with PostgreSQL and know its versions better than we could. They are looked for in PATH, then below
/// /usr/lib/postgresql, the newest first.
class PostgresTools
{
public:
    /// Called several times a second while one of them runs; what it throws ends it.
    using Tick = std::function<void()>;

    PostgresTools(PostgresAddress address, Tick tick) : _address(std::move(address)), _tick(std::move(tick)) {}

    /// The schemas that Portico has migrated, sorted. @throws Refused
    std::vector<std::string> schemas() const;
    /// Writes these schemas, and the extensions, as SQL into a new file: one snapshot, during writes. @throws Refused
    void dump(const std::vector<std::string>& schemas, const std::filesystem::path& target) const;
    /// Runs such a file in one transaction that first renames the schemas that are in its way to `<name>_<suffix>`: whole or not at all.
    /// @throws Refused
    void load(const std::filesystem::path& dump, const std::vector<std::string>& inTheWay, const std::string& suffix) const;

private:
    /// Returns true if psql can be restricted to SQL.
    bool restricts() const;
    /// Returns the program's output, unless it goes to the descriptor `output`. The program reads from `input`; -1: nothing.
    std::string run(const std::string& program, std::vector<std::string> arguments, int input = -1, int output = -1) const;
    std::vector<std::string> query(const std::string& sql) const;

    const PostgresAddress _address;
    const Tick _tick;
};

} // namespace portico::host::backup
