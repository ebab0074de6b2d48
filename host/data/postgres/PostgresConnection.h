#pragma once

#include "host/data/DatabaseEngine.h"
#include "host/data/NativeConnection.h"
#include "host/data/StatementCache.h"
#include "host/data/postgres/PostgresExchange.h"

#include "portico/Flight.h"

#include <chrono>
#include <initializer_list>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace portico::host::data
{

/// A connection to PostgreSQL whose search path is one service's schema (created if missing), then `public` for extensions. Outside of
/// write transactions it only reads, as on SQLite. One round trip per statement, once it is prepared; a transaction begins with its first
/// statement, in the same round trip.
///
/// Behind a pooler in transaction mode no setting or name lasts longer than a transaction: each begins with its settings, and a statement
/// outside of one is a transaction for the server. Both travel with the statement, in its round trip.
///
/// Statements of a `Flight` wait for the next executed statement, or for COMMIT, and are sent with it up to one `Sync`: after a failure the
/// server runs none of the rest.
class PostgresConnection final : public NativeConnection, public portico::detail::FlightConnection
{
public:
    PostgresConnection(Poco::Data::Session session, const DatabaseSettings& settings, std::string schema,
                       std::atomic<std::uint64_t>& statementsPrepared);
    ~PostgresConnection() override;

    Dialect dialect() const noexcept override { return Dialect::PostgreSQL; }
    std::int64_t execute(std::string_view sql, std::span<const SqlValue> arguments) override;
    std::unique_ptr<portico::detail::Cursor> query(std::string_view sql, std::span<const SqlValue> arguments) override;
    void put(std::string_view sql, std::span<const SqlValue> arguments, std::shared_ptr<portico::detail::FlightAnswer> answer) override;
    void land() override;
    bool isUsable(bool thorough) noexcept override;
    bool restore() noexcept override;
    void runScript(std::string_view script) override;
    void lockForMigration() override;
    void* pocoSession() noexcept override;

private:
    struct Prepared
    {
        std::string name;
        bool isInUse() const noexcept { return false; } // results do not depend on it
    };

    /// A statement that waits for its flight.
    struct Pending
    {
        std::string sql;
        PostgresArguments arguments;
        std::shared_ptr<portico::detail::FlightAnswer> answer;
        /// The prepared statement, and whether it is prepared already.
        std::string name;
        bool prepared = true;
        PostgresResult result = nullptr;
    };
    /// A message of a flight, and its answer.
    struct Message
    {
        enum class Kind : std::uint8_t
        {
            Begin,
            Prepare,
            Run,
            Commit
        };
        Kind kind;
        std::string_view sql;
        Pending* statement = nullptr;
    };
    /// The first failure of a flight.
    struct Fault
    {
        const Message* message;
        DatabaseError error;
        PostgresResult result;
    };
    static constexpr std::size_t maxPending = 64;

    /// READ COMMITTED to write: guard what was read by `FOR UPDATE`, a version or a unique key. Else REPEATABLE READ, which only reads.
    void beginNow(bool write) override;
    bool isPooled() const noexcept { return !_settings.empty(); }
    void commitNow() override;
    void rollbackNow() noexcept override;
    /// For what is not sent by `runPrepared`: nothing waits before it. @throws DatabaseError
    void beginIfDue();
    /// @throws DatabaseError when this is no answer to a transaction that has begun
    void requireBegun(const PGresult* result, const char* command);
    [[noreturn]] void refuseToBegin(const DatabaseError& error);
    void addPending(std::string_view sql, std::span<const SqlValue> arguments, std::shared_ptr<portico::detail::FlightAnswer> answer);
    /// Sends what waits, and COMMIT where it is asked for. @return the last answer @throws DatabaseError
    PostgresResult fly(bool commit);
    /// False: a statement was prepared for tables that have changed, so that all are to be sent again. @throws DatabaseError
    bool flyOnce(std::list<Pending>& flying, bool commit, PostgresResult& last);
    std::vector<Message> messagesOf(std::list<Pending>& flying, bool commit);
    /// Finds or names the prepared statement.
    void nameStatement(Pending& statement);
    bool sendMessage(const Message& message);
    /// Sends all up to one `Sync`, and reads all answers.
    std::optional<Fault> exchange(const std::vector<Message>& messages, PostgresResult& last);
    bool mendOrThrow(const Fault& fault);
    PostgresResult run(std::string_view sql, std::span<const SqlValue> arguments);
    /// Notes the effect of a statement on the transaction and the session.
    void noteEffect(PGresult* result);
    PostgresResult runPrepared(std::string_view sql, std::span<const SqlValue> arguments);
    PostgresResult runUnnamed(std::string_view sql, std::span<const SqlValue> arguments);
    /// Sends the commands and then what `put` sends, in one flight. @throws DatabaseError when a command failed
    template <class Put>
    PostgresResult sendAfter(std::initializer_list<const char*> commands, std::string_view sql, Put&& put);
    PostgresResult send(const Prepared& statement, std::string_view sql);
    const Prepared& statementFor(std::string_view sql);
    void deallocateDropped();
    /// True when a statement has to be prepared again: its tables changed, or the server forgot it. It is dropped.
    bool dropIfStale(std::string_view sql, const PGresult* result);
    /// A command without arguments, not prepared. @throws DatabaseError
    PostgresResult command(const char* sql);
    /// Returns the result of a sent command. @param sent result of the send function
    PostgresResult answer(int sent, std::string_view sql);
    void makeSchema();
    ScriptError scriptError(std::string_view script, std::size_t start, const PGresult* result);

    static constexpr const char* beginToWrite = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE";
    static constexpr const char* beginToRead = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

    PGconn* _connection;
    /// How the transaction begins that is open here, but not yet on the server; else null.
    const char* _toBegin = nullptr;
    StatementCache<Prepared> _statements;
    PostgresArguments _arguments;
    std::vector<std::string> _dropped;
    std::list<Pending> _pending;
    /// The transaction has a savepoint: a failure has to be thrown where it can be rolled back to.
    bool _hasSavepoint = false;
    /// A transaction to write is open.
    bool _mayWrite = false;
    std::uint64_t _prepared = 0;
    const std::string _schema;
    /// Statements that set up a transaction behind a pooler, and one that only reads; else empty.
    const std::string _settings;
    const std::string _settingsToRead;
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
