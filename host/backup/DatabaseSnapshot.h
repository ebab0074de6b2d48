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

/// A snapshot of an SQLite database while other processes write: a read transaction that lasts as long as this object. In WAL mode it
/// blocks no writer; only the write-ahead log grows until it ends. Used by one thread.
class DatabaseSnapshot
{
public:
    /// @throws Refused when there is no such database or it cannot be read.
    explicit DatabaseSnapshot(std::filesystem::path file);

    /// Writes it into a new file, page by page. Unlike SQLite's backup, concurrent writes do not restart it: all steps read within the one
    /// transaction. @throws Refused
    void copyTo(const std::filesystem::path& target, Throttle& throttle);
    /// The highest number of each set of migrations that was applied.
    std::map<std::string, std::int64_t> migrations();
    /// How large the copy will be.
    std::uint64_t bytes();

private:
    std::filesystem::path _file;
    Database _database;
};

/// Lists the faults of a database file without writers: pages, indexes, constraints and foreign keys; empty if there are none.
/// @throws Refused when it cannot be opened.
std::vector<std::string> faultsOf(const std::filesystem::path& file);

} // namespace portico::host::backup
