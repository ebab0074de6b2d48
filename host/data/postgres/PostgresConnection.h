#pragma once

#include "host/data/DatabaseEngine.h"
#include "host/data/NativeConnection.h"
#include "host/data/StatementCache.h"
#include "host/data/postgres/PostgresExchange.h"

#include <chrono>
#include <string>
#include <vector>

namespace portico::host::data
{

/// A connection to PostgreSQL whose search path is one service's schema (made if it is missing), then `public` for extensions. Outside of a
/// transaction that writes it only reads, as on SQLite. One round trip a statement, once it is prepared; a transaction begins with its
/// first one, in the same round trip.
class PostgresConnection final : public NativeConnection
{
public:
    PostgresConnection(Poco::Data::Session session, const DatabaseSettings& settings, std::string schema,
                       std::atomic<std::uint64_t>& statementsPrepared);
    ~PostgresConnection() override;

    Dialect dialect() const noexcept override { return Dialect::PostgreSQL; }
    std::int64_t execute(std::string_view sql, std::span<const SqlValue> arguments) override;
    std::unique_ptr<portico::detail::Cursor> query(std::string_view sql, std::span<const SqlValue> arguments) override;
    bool isUsable(bool thorough) noexcept override;
    bool restore() noexcept override;
    void runScript(std::string_view script) override;
    void lockForMigration() override;
    void* pocoSession() noexcept override;

private:
    struct Prepared
    {
        std::string name;
        bool isInUse() const noexcept { return false; } // a result stands on its own
    };

    /// READ COMMITTED to write: guard what was read by `FOR UPDATE`, a version or a unique key. Else REPEATABLE READ, which only reads.
    void beginNow(bool write) override { _toBegin = write ? beginToWrite : beginToRead; }
    void commitNow() override;
    void rollbackNow() noexcept override;
    /// For what is not sent by `runPrepared`. @throws DatabaseError
    void beginIfDue();
    /// @throws DatabaseError when this is no answer to a transaction that has begun
    void requireBegun(const PGresult* result, const char* command);
    PostgresResult run(std::string_view sql, std::span<const SqlValue> arguments);
    PostgresResult runPrepared(std::string_view sql, std::span<const SqlValue> arguments);
    PostgresResult send(const Prepared& statement, std::string_view sql);
    const Prepared& statementFor(std::string_view sql);
    void deallocateDropped();
    /// True when a statement has to be prepared again: its tables changed, or the server forgot it. It is dropped.
    bool dropIfStale(std::string_view sql, const PGresult* result);
    /// A command without arguments, not prepared. @throws DatabaseError
    PostgresResult command(const char* sql);
    /// Of what has been sent, if it could be.
    PostgresResult answer(int sent, std::string_view sql);
    void makeSchema();
    ScriptError scriptError(std::string_view script, std::size_t start, const PGresult* result);

    static constexpr const char* beginToWrite = "BEGIN READ WRITE";
    static constexpr const char* beginToRead = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

    PGconn* _connection;
    /// How the transaction begins that is open here, but not yet on the server; else null.
    const char* _toBegin = nullptr;
    StatementCache<Prepared> _statements;
    PostgresArguments _arguments;
    std::vector<std::string> _dropped;
    std::uint64_t _prepared = 0;
    const std::string _schema;
    /// How long the answer to a sign of life may take.
    const std::chrono::milliseconds _signPatience;
    /// How long an answer may take; the server ends statements before.
    const std::chrono::milliseconds _usualPatience;
    /// Now: migrations take what they take.
    std::chrono::milliseconds _patience;
    /// Not used again: a SET or LISTEN would outlive its unit of work, or the server cannot write.
    bool _discarded = false;
};

} // namespace portico::host::data
