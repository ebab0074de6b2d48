#pragma once

#include "portico/Database.h"

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace portico::host::data
{

/// Why migrations were refused or failed: file, place, expected, found and remedy.
class MigrationError : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

/// One numbered file of a set, `0001_what_it_does.sql` or its twin for the dialect.
struct Migration
{
    std::int64_t number = 0;
    std::string name;
    std::filesystem::path file;
    std::string sql;
    /// SHA-256 of the file in hex.
    std::string sha256;
};

/// Reads a set's directory for one dialect, in order. A number has either one common file or a `.sqlite.sql` and a `.postgresql.sql`;
/// numbers run from 1 without gaps. A directory that does not exist is an empty set. @throws MigrationError
std::vector<Migration> readMigrations(const std::filesystem::path& directory, Dialect dialect);

} // namespace portico::host::data
