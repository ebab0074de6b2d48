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

std::string findSchema(std::string_view schema)
{
    return "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = " + inQuotes(schema, '\'');
}

std::string sessionSettings(const DatabaseSettings& settings, std::string_view schema)
{
    return "SET search_path TO " + inQuotes(schema, '"') + ", public; SET lock_timeout TO " + std::to_string(settings.lockWait.count()) +
           "; SET statement_timeout TO " + std::to_string(settings.statementTimeout.count()) + "; " + std::string(goneClientSettings) +
           " SET client_encoding TO 'UTF8'; SET standard_conforming_strings TO on; SET bytea_output TO 'hex'; SET extra_float_digits TO "
           "1; "
           "SET client_min_messages TO warning; SET default_transaction_isolation TO 'read committed'; SET default_transaction_read_only "
           "TO on; ";
}

/// One statement, since a flight accepts no text with several. Empty if the session is the connection's own.
std::string transactionSettings(const DatabaseSettings& settings, std::string_view schema, bool write)
{
    if (settings.sessions == Sessions::OfConnection) return {};
    const auto set = [](std::string_view name, std::string_view value)
    { return "set_config('" + std::string(name) + "', " + inQuotes(value, '\'') + ", true)"; };
    return "SELECT " + set("search_path", inQuotes(schema, '"') + ", public") + ", " +
           set("lock_timeout", std::to_string(settings.lockWait.count())) + ", " +
           set("statement_timeout", std::to_string(settings.statementTimeout.count())) + ", " + set("bytea_output", "hex") +
           (write ? std::string() : ", " + set("transaction_read_only", "on"));
}

/// Decides by the first word.
bool onlyReads(std::string_view sql) noexcept
{
    const auto word = takeWord(sql);
    return equalsIgnoreCase(word, "SELECT") || equalsIgnoreCase(word, "WITH");
}

/// Rejects a statement whose effect the pooler would pass on to another service. @throws DatabaseError
void requireNothingForTheSession(std::string_view sql)
{
    auto rest = sql;
    const auto word = takeWord(rest);
    if (equalsIgnoreCase(word, "SET"))
    {
        const auto scope = takeWord(rest);
        for (std::string_view ofTransaction : {"LOCAL", "TRANSACTION", "CONSTRAINTS"})
            if (equalsIgnoreCase(scope, ofTransaction)) return;
    }
    else if (!equalsIgnoreCase(word, "LISTEN") && !equalsIgnoreCase(word, "PREPARE"))
        return;
    throw sqlError(DatabaseError::Kind::Other, "0A000",
                   "with database.pooler = transaction a session ends with its transaction: SET LOCAL is possible, SET, LISTEN and PREPARE "
                   "are not",
                   sql);
}

} // namespace

PostgresConnection::PostgresConnection(Poco::Data::Session session, const DatabaseSettings& settings, std::string schema,
                                       std::atomic<std::uint64_t>& statementsPrepared)
    : NativeConnection(std::move(session), statementsPrepared),
      _connection(*Poco::Data::PostgreSQL::Utility::handle(*_session)),
      _statements(settings.statementsPerConnection),
      _schema(std::move(schema)),
      _settings(transactionSettings(settings, _schema, true)),
      _settingsToRead(transactionSettings(settings, _schema, false)),
      _signPatience(settings.connectTimeout),
      _usualPatience(settings.statementTimeout + settings.answerGrace),
      _patience(_usualPatience)
{
    ignoreNotices(*_connection);
    const auto setup = (isPooled() ? std::string() : sessionSettings(settings, _schema)) + findSchema(_schema);
    auto result = command(setup.c_str());
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

template <class Put>
PostgresResult PostgresConnection::sendAfter(std::initializer_list<const char*> commands, std::string_view sql, Put&& put)
{
    PQenterPipelineMode(_connection);
    bool sent = true;
    for (const auto* text : commands) sent = sent && PQsendQueryParams(_connection, text, 0, nullptr, nullptr, nullptr, nullptr, 0) != 0;
    sent = sent && put() != 0;
    const int synced = PQpipelineSync(_connection);
    // Answers come in order: where a command failed, what follows it was not run.
    PostgresResult begun;
    const char* begin = nullptr;
    for (const auto* text : commands)
    {
        auto answered = answer(synced, text);
        if (begin && !isGood(begun.get())) continue;
        begun = std::move(answered);
        begin = text;
    }
    auto result = sent ? answer(1, sql) : nullptr;
    answer(1, sql); // the end of the flight
    PQexitPipelineMode(_connection);
    requireBegun(begun.get(), begin);
    return result;
}

PostgresResult PostgresConnection::send(const Prepared& statement, std::string_view sql)
{
    const auto put = [&]
    {
        return PQsendQueryPrepared(_connection, statement.name.c_str(), _arguments.count(), _arguments.values(), _arguments.lengths(),
                                   _arguments.formats(), 0);
    };
    const auto* due = std::exchange(_toBegin, nullptr);
    return due ? sendAfter({due}, sql, put) : answer(put(), sql);
}

PostgresResult PostgresConnection::runUnnamed(std::string_view sql, std::span<const SqlValue> arguments)
{
    requireNothingForTheSession(sql);
    _arguments.set(arguments, sql);
    const auto put = [this, text = std::string(sql)]
    {
        return PQsendQueryParams(_connection, text.c_str(), _arguments.count(), nullptr, _arguments.values(), _arguments.lengths(),
                                 _arguments.formats(), 0);
    };
    const auto* due = std::exchange(_toBegin, nullptr);
    auto result = due               ? sendAfter({due, _settings.c_str()}, sql, put)
                  : inTransaction() ? answer(put(), sql)
                                    : sendAfter({_settingsToRead.c_str()}, sql, put);
    if (!isGood(result.get())) throw postgresError(_connection, result.get(), sql);
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
                       PostgresResult result;
                       if (!_pending.empty())
                       {
                           addPending(sql, arguments, nullptr);
                           result = fly(false);
                       }
                       else
                           result = isPooled() ? runUnnamed(sql, arguments) : runPrepared(sql, arguments);
                       noteEffect(result.get());
                       return result;
                   });
}

void PostgresConnection::noteEffect(PGresult* result)
{
    const std::string_view tag = PQcmdStatus(result);
    if (tag == "SET" || tag == "LISTEN") _discarded = true;
    if (tag == "SAVEPOINT") _hasSavepoint = true;
    if (inTransaction() && changedRows(result) > 0) noteWrite();
}

void PostgresConnection::addPending(std::string_view sql, std::span<const SqlValue> arguments,
                                    std::shared_ptr<portico::detail::FlightAnswer> answer)
{
    if (isPooled()) requireNothingForTheSession(sql);
    std::list<Pending> added;
    auto& statement = added.emplace_back();
    statement.sql = sql;
    statement.arguments.keep(arguments, sql);
    statement.answer = std::move(answer);
    _pending.splice(_pending.end(), added);
}

void PostgresConnection::put(std::string_view sql, std::span<const SqlValue> arguments,
                             std::shared_ptr<portico::detail::FlightAnswer> answer)
{
    guarded(sql,
            [&]
            {
                addPending(sql, arguments, std::move(answer));
                return true;
            });
    // A write outside of a transaction for writing fails here: no commit would report it.
    if (_hasSavepoint || _pending.size() >= maxPending || !(_mayWrite || onlyReads(sql))) land();
}

void PostgresConnection::land()
{
    if (_pending.empty()) return;
    const auto sql = _pending.front().sql;
    guarded(sql, [&] { return fly(false); });
}

PostgresResult PostgresConnection::fly(bool commit)
{
    auto flying = std::exchange(_pending, {});
    PostgresResult last;
    if (!flyOnce(flying, commit, last) && !flyOnce(flying, commit, last))
        throw sqlError(DatabaseError::Kind::Serialization, "40001", "tables changed since their statements were prepared",
                       flying.front().sql);
    for (auto& statement : flying)
    {
        if (!statement.answer) continue; // the caller's own
        noteEffect(statement.result.get());
        statement.answer->changed = changedRows(statement.result.get());
        statement.answer->rows = std::make_unique<PostgresCursor>(std::move(statement.result));
        statement.answer->arrived = true;
    }
    return commit ? std::move(last) : std::move(flying.back().result);
}

bool PostgresConnection::flyOnce(std::list<Pending>& flying, bool commit, PostgresResult& last)
{
    if (!isPooled()) deallocateDropped();
    const auto messages = messagesOf(flying, commit);
    const auto fault = exchange(messages, last);
    for (const auto& message : messages)
    {
        if (message.kind != Message::Kind::Prepare || message.statement->prepared) continue;
        _statements.erase(message.sql);
        std::erase(_dropped, message.statement->name);
    }
    return !fault || mendOrThrow(*fault);
}

std::vector<PostgresConnection::Message> PostgresConnection::messagesOf(std::list<Pending>& flying, bool commit)
{
    using Kind = Message::Kind;
    std::vector<Message> messages;
    const auto* due = std::exchange(_toBegin, nullptr);
    if (due) messages.push_back({Kind::Begin, due});
    if (isPooled() && (due || !inTransaction())) messages.push_back({Kind::Begin, due ? _settings : _settingsToRead});
    for (auto& statement : flying)
    {
        if (!isPooled()) nameStatement(statement);
        if (!statement.prepared) messages.push_back({Kind::Prepare, statement.sql, &statement});
        messages.push_back({Kind::Run, statement.sql, &statement});
    }
    if (commit) messages.push_back({Kind::Commit, "COMMIT"});
    return messages;
}

void PostgresConnection::nameStatement(Pending& statement)
{
    const auto* kept = _statements.find(statement.sql);
    statement.prepared = kept != nullptr;
    statement.name = kept ? kept->name : "p" + std::to_string(++_prepared);
    if (kept) return;
    _statements.insert(statement.sql, Prepared{statement.name}, [this](Prepared& dropped) { _dropped.push_back(std::move(dropped.name)); });
}

bool PostgresConnection::sendMessage(const Message& message)
{
    // Views of text with an end: constants, members and the waiting statement's own.
    const char* text = message.sql.data();
    if (message.kind == Message::Kind::Prepare) return PQsendPrepare(_connection, message.statement->name.c_str(), text, 0, nullptr) != 0;
    if (message.kind != Message::Kind::Run) return PQsendQueryParams(_connection, text, 0, nullptr, nullptr, nullptr, nullptr, 0) != 0;
    const auto& given = message.statement->arguments;
    if (isPooled())
        return PQsendQueryParams(_connection, text, given.count(), nullptr, given.values(), given.lengths(), given.formats(), 0) != 0;
    return PQsendQueryPrepared(_connection, message.statement->name.c_str(), given.count(), given.values(), given.lengths(),
                               given.formats(), 0) != 0;
}

std::optional<PostgresConnection::Fault> PostgresConnection::exchange(const std::vector<Message>& messages, PostgresResult& last)
{
    std::optional<Fault> fault;
    // Its text is the connection's until the next call.
    const auto fail = [&](const Message& message, PostgresResult result)
    {
        if (fault) return;
        auto error = postgresError(_connection, result.get(), message.sql);
        fault.emplace(Fault{&message, std::move(error), std::move(result)});
    };
    PQenterPipelineMode(_connection);
    std::size_t sent = 0;
    while (sent < messages.size() && sendMessage(messages[sent])) ++sent;
    if (sent < messages.size()) fail(messages[sent], nullptr);
    const int synced = PQpipelineSync(_connection);
    // Answers come in order; those behind a failure say only that they were not run.
    for (const auto& message : std::span(messages).first(sent))
    {
        auto result = answer(synced, message.sql);
        if (!isGood(result.get()))
            fail(message, std::move(result));
        else if (message.kind == Message::Kind::Prepare)
        {
            message.statement->prepared = true;
            countPreparedStatement();
        }
        else if (message.kind == Message::Kind::Run)
            message.statement->result = std::move(result);
        else
            last = std::move(result);
    }
    answer(synced, "the end of a flight");
    PQexitPipelineMode(_connection);
    return fault;
}

bool PostgresConnection::mendOrThrow(const Fault& fault)
{
    const auto& sql = fault.message->sql;
    if (fault.message->kind == Message::Kind::Begin) refuseToBegin(fault.error);
    const bool stale = fault.message->kind == Message::Kind::Run && !isPooled() && _statements.find(sql) != nullptr &&
                       dropIfStale(sql, fault.result.get());
    if (!stale) throw fault.error;
    // Inside a transaction it is spoiled: the whole unit of work runs again.
    if (inTransaction())
        throw sqlError(DatabaseError::Kind::Serialization, "40001", "the statement's tables changed since it was prepared", sql);
    return false;
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
    if (!_pending.empty())
    {
        fly(false);
        return;
    }
    const auto* due = std::exchange(_toBegin, nullptr);
    if (!due) return;
    const auto text = isPooled() ? std::string(due) + "; " + _settings : std::string(due);
    requireBegun(answer(PQsendQuery(_connection, text.c_str()), text).get(), due);
}

void PostgresConnection::requireBegun(const PGresult* result, const char* command)
{
    if (!isGood(result)) refuseToBegin(postgresError(_connection, result, command));
}

void PostgresConnection::refuseToBegin(const DatabaseError& error)
{
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
        // Behind a pooler an open transaction keeps the session until the connection is returned.
        if (isPooled() && !inTransaction() && PQtransactionStatus(_connection) == PQTRANS_IDLE)
            command(("BEGIN READ ONLY; " + _settingsToRead).c_str());
        beginIfDue();
    }
    catch (const DatabaseError& error)
    {
        failure(error);
    }
    return NativeConnection::pocoSession();
}

void PostgresConnection::beginNow(bool write)
{
    _toBegin = write ? beginToWrite : beginToRead;
    _mayWrite = write;
}

void PostgresConnection::commitNow()
{
    // Begins even an empty transaction, so that the commit fails if the server does not write.
    const auto result = _toBegin || !_pending.empty() ? fly(true) : command("COMMIT");
    // The server answers COMMIT of a spoiled transaction with a ROLLBACK that "succeeds".
    if (std::strcmp(PQcmdStatus(result.get()), "COMMIT") != 0)
        throw sqlError(DatabaseError::Kind::Other, "25P02", "the transaction had failed before and was rolled back instead of committed",
                       "COMMIT");
    _patience = _usualPatience;
    _hasSavepoint = false;
    _mayWrite = false;
}

void PostgresConnection::rollbackNow() noexcept
{
    _toBegin = nullptr;
    _pending.clear();
    _hasSavepoint = false;
    _mayWrite = false;
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
    // A stopped server has closed the socket, which is then readable: this check needs no round trip.
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
