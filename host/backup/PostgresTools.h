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
    /// As `database.url`, without a password.
    std::string url;
    /// Empty: as libpq finds one itself (PGPASSFILE, ~/.pgpass, none at all).
    std::string password;
    /// Whose address it is: where this process is root's, the programs run as that user and know nothing of root's environment of libpq,
    /// as the address may name files to read and a server to send passwords to. None: as this process.
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
    /// Writes these schemas, and the extensions, as SQL into a new file: one snapshot, while others write. @throws Refused
    void dump(const std::vector<std::string>& schemas, const std::filesystem::path& target) const;
    /// Runs such a file in one transaction that first renames the schemas that are in its way to `<name>_<suffix>`: whole or not at all.
    /// @throws Refused
    void load(const std::filesystem::path& dump, const std::vector<std::string>& inTheWay, const std::string& suffix) const;

private:
    /// psql can be told to obey nothing but SQL.
    bool restricts() const;
    /// What it wrote to its output, unless that is the descriptor `output`. It reads from `input`; -1: nothing.
    std::string run(const std::string& program, std::vector<std::string> arguments, int input = -1, int output = -1) const;
    std::vector<std::string> query(const std::string& sql) const;

    const PostgresAddress _address;
    const Tick _tick;
};

} // namespace portico::host::backup
