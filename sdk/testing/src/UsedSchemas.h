#pragma once

#include "portico/Database.h"

#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace portico::testing
{

/// A schema of the run's PostgreSQL with the tables of one service.
struct TestSchema
{
    std::unique_ptr<Database> database;
    std::string name;
    /// The migrations that made its tables, and how those looked then.
    std::string migrations;
    std::string tables;
};

/// Emptied schemas of earlier tests of this process on the run's PostgreSQL, for reuse: creating the tables of a service takes longer than
/// most tests. Unused ones are dropped when the process ends. Thread-safe.
class UsedSchemas
{
public:
    ~UsedSchemas();
    /// Returns a schema whose tables and rows are those of these migrations; nullopt: create one.
    std::optional<TestSchema> take(const std::string& migrations);
    /// To be called on a schema whose migrations have just run: keeps what they wrote for `giveBack`.
    static void remember(TestSchema& schema);
    /// Empties it. It is dropped instead when a test has changed its tables, or when the role may not empty it in one go.
    void giveBack(TestSchema schema) noexcept;

private:
    std::mutex _mutex;
    std::list<TestSchema> _free;
};

} // namespace portico::testing
