#include "host/data/postgres/PostgresConnection.h"

#include "host/base/Text.h"
#include "host/data/SqlText.h"
#include "host/data/postgres/PostgresExchange.h"
#include "host/data/postgres/PostgresScript.h"

#include <Poco/Data/PostgreSQL/Utility.h>

#include <poll.h>

#include <cstring>
#include <optional>
#include <utility>

namespace portico::host::data
{

namespace
{

bool isGood(const PGresult* result) noexcept
{
    const auto status = PQresultStatus(result);
    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_EMPTY_QUERY;
}

std::int64_t changedRows(PGresult* result)
{
    if (std::strncmp(PQcmdStatus(result), "SELECT", 6) == 0) return 0;
    return parseNumber<std::int64_t>(PQcmdTuples(result)).value_or(0);
}

std::string setupCommand(const DatabaseSettings& settings, std::string_view schema)
{
    return "SET search_path TO " + inQuotes(schema, '"') + ", public; SET lock_timeout TO " + std::to_string(settings.lockWait.count()) +
           "; SET statement_timeout TO " + std::to_string(settings.statementTimeout.count()) +
           "; SET client_encoding TO 'UTF8'; SET standard_conforming_strings TO on; SET bytea_output TO 'hex'; SET extra_float_digits TO "
           "1; "
           "SET client_min_messages TO warning; SET default_transaction_isolation TO 'read committed'; SET default_transaction_read_only "
           "TO on; "
           "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = " +
           inQuotes(schema, '\'');
}

void dropNotice(void*, const PGresult*) {}

} // namespace

PostgresConnection::PostgresConnection(Poco::Data::Session session, const DatabaseSettings& settings, std::string schema,
                                       std::atomic<std::uint64_t>& statementsPrepared)
    : NativeConnection(std::move(session), statementsPrepared),
      _connection(*Poco::Data::PostgreSQL::Utility::handle(*_session)),
      _statements(settings.statementsPerConnection),
      _schema(std::move(schema)),
      _signPatience(settings.connectTimeout),
      _usualPatience(settings.statementTimeout + settings.answerGrace),
      _patience(_usualPatience)
{
    // libpq would write them to the daemon's standard error.
    PQsetNoticeReceiver(_connection, &dropNotice, nullptr);
    auto result = command(setupCommand(settings, _schema).c_str());
    if (PQntuples(result.get()) == 0) makeSchema();
}

PostgresConnection::~PostgresConnection()
{
    // POCO leaves a broken connection open for ever, its memory and its socket.
    PGconn* broken = PQstatus(_connection) == CONNECTION_OK ? nullptr : _connection;
    closeSession();
    PQfinish(broken);
}

void PostgresConnection::makeSchema()
{
    const auto name = inQuotes(_schema, '"');
    // Hosts that start at the same time would fail on each other without the lock.
    command(("BEGIN READ WRITE; SELECT pg_advisory_xact_lock(hashtextextended('portico schema', 0)); CREATE SCHEMA IF NOT EXISTS " + name +
             "; COMMIT")
                .c_str());
}

PostgresResult PostgresConnection::command(const char* sql)
{
    auto result = answer(PQsendQuery(_connection, sql), sql);
    if (!isGood(result.get())) throw postgresError(_connection, result.get(), sql);
    return result;
}

PostgresResult PostgresConnection::answer(int sent, std::string_view sql)
{
    if (sent == 0) return nullptr;
    return awaitAnswer(_connection, _patience, sql);
}

void PostgresConnection::deallocateDropped()
{
    for (const auto& name : _dropped) command(("DEALLOCATE " + name).c_str());
    _dropped.clear();
}

const PostgresConnection::Prepared& PostgresConnection::statementFor(std::string_view sql)
{
    if (auto* kept = _statements.find(sql)) return *kept;
    deallocateDropped();
    Prepared prepared{"p" + std::to_string(++_prepared)};
    const auto result = answer(PQsendPrepare(_connection, prepared.name.c_str(), std::string(sql).c_str(), 0, nullptr), sql);
    if (!isGood(result.get())) throw postgresError(_connection, result.get(), sql);
    countPreparedStatement();
    return _statements.insert(sql, std::move(prepared), [this](Prepared& dropped) { _dropped.push_back(std::move(dropped.name)); });
}

bool PostgresConnection::dropIfStale(std::string_view sql, const PGresult* result)
{
    const auto sqlState = errorField(result, PG_DIAG_SQLSTATE);
    const bool tablesChanged = sqlState == "0A000" && errorField(result, PG_DIAG_SOURCE_FUNCTION) == "RevalidateCachedQuery";
    const bool forgotten = sqlState == "26000";
    if (!tablesChanged && !forgotten) return false;
    if (tablesChanged) _dropped.push_back(_statements.find(sql)->name);
    _statements.erase(sql);
    return true;
}

PostgresResult PostgresConnection::send(const Prepared& statement, std::string_view sql)
{
    const auto put = [&]
    {
        return PQsendQueryPrepared(_connection, statement.name.c_str(), _arguments.count(), _arguments.values(), _arguments.lengths(),
                                   _arguments.formats(), 0);
    };
    const auto* due = std::exchange(_toBegin, nullptr);
    if (!due) return answer(put(), sql);
    PQenterPipelineMode(_connection);
    const bool sent = PQsendQueryParams(_connection, due, 0, nullptr, nullptr, nullptr, nullptr, 0) != 0 && put() != 0;
    // Answers come in order: where it could not begin, the statement was not run.
    const auto begun = answer(PQpipelineSync(_connection), due);
    auto result = sent ? answer(1, sql) : nullptr;
    answer(1, due);
    PQexitPipelineMode(_connection);
    requireBegun(begun.get(), due);
    return result;
}

PostgresResult PostgresConnection::runPrepared(std::string_view sql, std::span<const SqlValue> arguments)
{
    _arguments.set(arguments, sql);
    for (bool again = true;; again = false)
    {
        const auto& statement = statementFor(sql);
        auto result = send(statement, sql);
        if (isGood(result.get())) return result;
        if (!dropIfStale(sql, result.get())) throw postgresError(_connection, result.get(), sql);
        // Inside a transaction it is spoiled: the whole unit of work runs again.
        if (inTransaction() || !again)
            throw sqlError(DatabaseError::Kind::Serialization, "40001", "the statement's tables changed since it was prepared", sql);
    }
}

PostgresResult PostgresConnection::run(std::string_view sql, std::span<const SqlValue> arguments)
{
    return guarded(sql,
                   [&]
                   {
                       auto result = runPrepared(sql, arguments);
                       const std::string_view tag = PQcmdStatus(result.get());
                       if (tag == "SET" || tag == "LISTEN") _discarded = true;
                       return result;
                   });
}

std::int64_t PostgresConnection::execute(std::string_view sql, std::span<const SqlValue> arguments)
{
    return changedRows(run(sql, arguments).get());
}

std::unique_ptr<portico::detail::Cursor> PostgresConnection::query(std::string_view sql, std::span<const SqlValue> arguments)
{
    return std::make_unique<PostgresCursor>(run(sql, arguments));
}

void PostgresConnection::beginIfDue()
{
    const auto* due = std::exchange(_toBegin, nullptr);
    if (due) requireBegun(answer(PQsendQuery(_connection, due), due).get(), due);
}

void PostgresConnection::requireBegun(const PGresult* result, const char* command)
{
    if (isGood(result)) return;
    const auto error = postgresError(_connection, result, command);
    if (error.sqlState() != "0A000") throw error;
    // A standby says so. After a failover the next connection may find the server that writes.
    _discarded = true;
    throw DatabaseError(DatabaseError::Kind::Unavailable, "25006", {},
                        std::string("SQLSTATE 25006: this server only reads: ") + error.what());
}

void* PostgresConnection::pocoSession() noexcept
{
    try
    {
        beginIfDue();
    }
    catch (const DatabaseError& error)
    {
        failure(error);
    }
    return NativeConnection::pocoSession();
}

void PostgresConnection::commitNow()
{
    // Also where nothing was done: who commits learns whether the server writes.
    beginIfDue();
    const auto result = command("COMMIT");
    // The server answers COMMIT of a spoiled transaction with a ROLLBACK that "succeeds".
    if (std::strcmp(PQcmdStatus(result.get()), "COMMIT") != 0)
        throw sqlError(DatabaseError::Kind::Other, "25P02", "the transaction had failed before and was rolled back instead of committed",
                       "COMMIT");
    _patience = _usualPatience;
}

void PostgresConnection::rollbackNow() noexcept
{
    _toBegin = nullptr;
    try
    {
        if (PQtransactionStatus(_connection) != PQTRANS_IDLE) answer(PQsendQuery(_connection, "ROLLBACK"), "ROLLBACK");
    }
    catch (const std::exception&)
    {
        // The connection is cut, and with it what was begun.
    }
    _patience = _usualPatience;
}

bool PostgresConnection::isUsable(bool thorough) noexcept
{
    if (PQstatus(_connection) != CONNECTION_OK) return false;
    // A server that went away has closed the socket, which then is readable: looking costs no round trip.
    pollfd socket{PQsocket(_connection), POLLIN, 0};
    while (poll(&socket, 1, 0) > 0)
        if (PQconsumeInput(_connection) == 0) return false;
    if (!thorough) return true;
    try
    {
        return PQsendQuery(_connection, "") != 0 && isGood(awaitAnswer(_connection, _signPatience, "").get());
    }
    catch (const std::exception&)
    {
        return false;
    }
}

bool PostgresConnection::restore() noexcept
{
    if (_discarded) return false;
    rollback();
    return PQstatus(_connection) == CONNECTION_OK && PQtransactionStatus(_connection) == PQTRANS_IDLE;
}

void PostgresConnection::lockForMigration()
{
    _patience = patientForEver;
    beginIfDue();
    command("SET LOCAL lock_timeout TO 0; SET LOCAL statement_timeout TO 0");
    command(("SELECT pg_advisory_xact_lock(hashtextextended(" + inQuotes("portico migration " + _schema, '\'') + ", 0))").c_str());
}

void PostgresConnection::runScript(std::string_view script)
{
    const auto starts = statementStarts(script);
    if (auto found = findTransactionCommand(script, starts))
        throw ScriptError(failure(sqlError(DatabaseError::Kind::Other, "42501",
                                           "a migration may not begin or end transactions: it runs in one", script.substr(*found))),
                          lineAt(script, *found));
    beginIfDue();
    if (PQsendQuery(_connection, std::string(script).c_str()) == 0)
        throw ScriptError(failure(postgresError(_connection, nullptr, script)), 0);

    std::optional<ScriptError> failed;
    std::size_t completed = 0;
    // The server answers statement by statement and stops at the first failure.
    while (PostgresResult result{PQgetResult(_connection)})
    {
        if (isGood(result.get()))
            ++completed;
        else if (!failed)
            failed.emplace(scriptError(script, completed < starts.size() ? starts[completed] : 0, result.get()));
    }
    if (failed) throw *failed;
}

ScriptError PostgresConnection::scriptError(std::string_view script, std::size_t start, const PGresult* result)
{
    // The server knows the place within the statement for most faults, though not for all.
    auto offset = start;
    if (const auto character = parseNumber<std::size_t>(errorField(result, PG_DIAG_STATEMENT_POSITION)))
        offset = byteOfCharacter(script, *character);
    return ScriptError(failure(postgresError(_connection, result, script.substr(start))), lineAt(script, offset));
}

} // namespace portico::host::data
