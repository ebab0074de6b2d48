#pragma once

#include "host/data/NativeConnection.h"
#include "host/data/StatementCache.h"
#include "host/data/postgres/PostgresAnswer.h"
#include "host/data/postgres/PostgresArguments.h"

#include <chrono>
#include <string>
#include <vector>

namespace portico::host::data
{

struct PostgresOptions
{
    std::string schema;
    std::chrono::milliseconds lockWait{2'000};
    std::chrono::milliseconds statementTimeout{30'000};
    /// How long an answer may take; the server ends statements before.
    std::chrono::milliseconds patience{35'000};
    /// How long the answer to a sign of life may take.
    std::chrono::milliseconds signPatience{3'000};
    std::size_t statements = 128;
};

/// A connection to PostgreSQL whose search path is one service's schema (made if it is missing), then `public` for extensions. Outside of a
/// transaction that writes it only reads, as on SQLite. One round trip a statement, once it is prepared.
class PostgresConnection final : public NativeConnection
{
public:
    PostgresConnection(Poco::Data::Session session, const PostgresOptions& options, std::atomic<std::uint64_t>& statementsPrepared);
    ~PostgresConnection() override;

    Dialect dialect() const noexcept override { return Dialect::PostgreSQL; }
    std::int64_t execute(std::string_view sql, std::span<const SqlValue> arguments) override;
    std::unique_ptr<portico::detail::Cursor> query(std::string_view sql, std::span<const SqlValue> arguments) override;
    bool isUsable(bool thorough) noexcept override;
    bool restore() noexcept override;
    void runScript(std::string_view script) override;
    void lockForMigration() override;

private:
    struct Prepared
    {
        std::string name;
        bool isInUse() const noexcept { return false; } // a result stands on its own
    };

    /// A write is READ COMMITTED: guard what was read by `FOR UPDATE`, a version in the WHERE clause or a unique key. Otherwise a read-only
    /// snapshot (REPEATABLE READ).
    void beginNow(bool write) override;
    void commitNow() override;
    void rollbackNow() noexcept override;
    PostgresResult run(std::string_view sql, std::span<const SqlValue> arguments);
    PostgresResult runPrepared(std::string_view sql, std::span<const SqlValue> arguments);
    const Prepared& statementFor(std::string_view sql);
    void deallocateDropped();
    /// True when a statement has to be prepared again: its tables changed, or the server forgot it. It is dropped.
    bool dropIfStale(std::string_view sql, const PGresult* result);
    /// A command without arguments, not prepared. @throws DatabaseError
    PostgresResult command(const char* sql);
    /// Of what has been sent, if it could be.
    PostgresResult answer(int sent, std::string_view sql);
    void makeSchema(const std::string& schema);
    ScriptError scriptError(std::string_view script, std::size_t start, const PGresult* result);

    PGconn* _connection;
    StatementCache<Prepared> _statements;
    PostgresArguments _arguments;
    std::vector<std::string> _dropped;
    std::uint64_t _prepared = 0;
    std::string _schema;
    const std::chrono::milliseconds _signPatience;
    const std::chrono::milliseconds _usualPatience;
    /// Now: migrations take what they take.
    std::chrono::milliseconds _patience;
    /// Not used again: a SET or LISTEN would outlive its unit of work, or the server cannot write.
    bool _discarded = false;
};

} // namespace portico::host::data
