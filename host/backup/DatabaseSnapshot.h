#pragma once

#include "host/backup/Files.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

struct sqlite3;

namespace portico::host::backup
{

struct CloseDatabase
{
    void operator()(sqlite3* database) const noexcept;
};
using Database = std::unique_ptr<sqlite3, CloseDatabase>;

/// An SQLite database as it is at one moment, while others go on writing: a transaction that reads, held from the making to the end. In WAL
/// mode it stops nobody; only the write-ahead log grows until it ends. Used by one thread.
class DatabaseSnapshot
{
public:
    /// @throws Refused when there is no such database or it cannot be read.
    explicit DatabaseSnapshot(std::filesystem::path file);

    /// Writes it into a new file, page by page. Steps do not begin anew when somebody writes, as those of SQLite's backup otherwise would:
    /// they all read within the one transaction. @throws Refused
    void copyTo(const std::filesystem::path& target, Throttle& throttle);
    /// The highest number of each set of migrations that was applied.
    std::map<std::string, std::int64_t> migrations();
    /// How large the copy will be.
    std::uint64_t bytes();

private:
    std::filesystem::path _file;
    Database _database;
};

/// What is wrong with a database file that nobody writes: pages, indexes, constraints and foreign keys; empty for one that is sound.
/// @throws Refused when it cannot be opened.
std::vector<std::string> faultsOf(const std::filesystem::path& file);

} // namespace portico::host::backup
