#pragma once

#include "portico/Database.h"
#include "portico/Export.h"

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace portico
{

namespace detail
{
/// The answer to one statement of a flight; the connection shares it until it has arrived.
struct FlightAnswer
{
    bool arrived = false;
    std::int64_t changed = 0;
    std::unique_ptr<Cursor> rows = nullptr;
};

/// Implemented beside `Connection` where several statements can share a round trip. Used by one thread at a time, as the connection.
class PORTICO_API FlightConnection
{
public:
    virtual ~FlightConnection();
    /// Copies a statement, to be sent with the next one that is run, by `land`, or with COMMIT. A rollback drops it.
    /// @throws DatabaseError 22021
    virtual void put(std::string_view sql, std::span<const SqlValue> arguments, std::shared_ptr<FlightAnswer> answer) = 0;
    /// Sends all that wait and reads their answers. @throws DatabaseError that names the statement that failed
    virtual void land() = 0;
};

/// Null where statements are run one after another.
PORTICO_API FlightConnection* flightConnection(Connection& connection) noexcept;
[[noreturn]] PORTICO_API void throwNotRun();
} // namespace detail

/// An answer that a flight brings. It may outlive the transaction if that was committed. Used by the thread of the session.
template <class T>
class InFlight
{
public:
    using Read = std::function<T(detail::FlightAnswer&)>;

    explicit InFlight(T value) : _value(std::move(value)) {}
    InFlight(detail::FlightConnection& connection, std::shared_ptr<detail::FlightAnswer> answer, Read read)
        : _connection(&connection), _answer(std::move(answer)), _read(std::move(read))
    {
    }
    InFlight(InFlight&&) noexcept = default;
    InFlight& operator=(InFlight&&) noexcept = default;

    /// The answer; sends the flight if it waits.
    /// @throws DatabaseError if a statement of the flight failed, std::logic_error if this one was dropped by a failure or a rollback
    T& get()
    {
        if (_value) return *_value;
        // Shared by the connection while it waits.
        if (!_answer->arrived && _answer.use_count() > 1) _connection->land();
        if (!_answer->arrived) detail::throwNotRun();
        _value.emplace(_read(*_answer));
        return *_value;
    }
    T& operator*() { return get(); }
    T* operator->() { return &get(); }

private:
    std::optional<T> _value;
    detail::FlightConnection* _connection = nullptr;
    std::shared_ptr<detail::FlightAnswer> _answer;
    Read _read;
};

/// Statements of a session that do not depend on each other's answers, in one round trip. On PostgreSQL they wait until an answer is
/// requested, another statement of the session is run, or the transaction commits. They then travel together in this order, with BEGIN and
/// COMMIT. Elsewhere each is run at once.
/// Texts and bytes are copied. The call that sends the flight throws the first failure, and the statements after it are not run. A
/// statement that only reads is not sent if its answer is never requested and nothing follows. After a SAVEPOINT each statement of the
/// transaction is run at once. Must not outlive its session.
///
///     Flight flight(session);
///     auto note = flight.one<Note>("SELECT … WHERE id = $1", id);
///     auto tags = flight.all<Tag>("SELECT … WHERE note_id = $1", id);
///     use(*note, *tags); // one round trip
class PORTICO_API Flight
{
public:
    explicit Flight(Session& session) noexcept : _connection(session.connection()), _flights(detail::flightConnection(session.connection()))
    {
    }

    /// The first row as a record, or empty.
    template <class T, class... A>
    InFlight<std::optional<T>> one(std::string_view sql, const A&... arguments)
    {
        return add<std::optional<T>>(sql, values(arguments...), &readOne<T>);
    }
    /// The first column of the first row, or empty.
    template <class T, class... A>
    InFlight<std::optional<T>> value(std::string_view sql, const A&... arguments)
    {
        return add<std::optional<T>>(sql, values(arguments...), &readValue<T>);
    }
    /// All rows as records.
    template <class T, class... A>
    InFlight<std::vector<T>> all(std::string_view sql, const A&... arguments)
    {
        return add<std::vector<T>>(sql, values(arguments...), &readAll<T>);
    }
    /// The result of a function of all rows: `[](Rows& rows) { … }`. It is called when the answer is asked for, or at once.
    template <std::invocable<Rows&> F>
    auto readValues(std::string_view sql, std::span<const SqlValue> arguments, F reader) -> InFlight<std::invoke_result_t<F, Rows&>>
    {
        return add<std::invoke_result_t<F, Rows&>>(sql, arguments,
                                                   [reader = std::move(reader)](detail::FlightAnswer& answer)
                                                   {
                                                       Rows rows(std::move(answer.rows));
                                                       return reader(rows);
                                                   });
    }
    template <std::invocable<Rows&> F, class... A>
    auto read(F reader, std::string_view sql, const A&... arguments) -> InFlight<std::invoke_result_t<F, Rows&>>
    {
        return readValues(sql, values(arguments...), std::move(reader));
    }
    /// Number of rows changed by INSERT, UPDATE or DELETE.
    template <class... A>
    InFlight<std::int64_t> execute(std::string_view sql, const A&... arguments)
    {
        return executeValues(sql, values(arguments...));
    }
    InFlight<std::int64_t> executeValues(std::string_view sql, std::span<const SqlValue> arguments);
    /// Inserts a record by its Schema; see `Session::insert`.
    template <class T, class... A>
    void insert(std::string_view table, const T& record, std::initializer_list<std::string_view> extraColumns, const A&... extra)
    {
        std::vector<SqlValue> given;
        std::vector<std::string> keep;
        detail::recordValues(detail::typeOf<T>, &record, given, keep);
        (given.push_back(SqlValue(extra)), ...);
        executeValues(detail::insertText(detail::typeOf<T>, table, {extraColumns.begin(), extraColumns.size()}), given);
    }

private:
    /// Views of the arguments of one call.
    template <class... A>
    static std::vector<SqlValue> values(const A&... arguments)
    {
        return {SqlValue(arguments)...};
    }
    template <class R>
    InFlight<R> add(std::string_view sql, std::span<const SqlValue> arguments, const typename InFlight<R>::Read& reader)
    {
        if (_flights) return InFlight<R>(*_flights, put(sql, arguments), reader);
        detail::FlightAnswer answer{true, 0, _connection.query(sql, arguments)};
        return InFlight<R>(reader(answer));
    }
    template <class T>
    static std::optional<T> readOne(detail::FlightAnswer& answer)
    {
        if (!answer.rows->next()) return std::nullopt;
        return Row(*answer.rows).template as<T>();
    }
    template <class T>
    static std::optional<T> readValue(detail::FlightAnswer& answer)
    {
        if (!answer.rows->next()) return std::nullopt;
        return Row(*answer.rows).template get<T>(0);
    }
    template <class T>
    static std::vector<T> readAll(detail::FlightAnswer& answer)
    {
        std::vector<T> records;
        while (answer.rows->next()) records.push_back(Row(*answer.rows).template as<T>());
        return records;
    }
    std::shared_ptr<detail::FlightAnswer> put(std::string_view sql, std::span<const SqlValue> arguments);

    detail::Connection& _connection;
    detail::FlightConnection* _flights;
};

} // namespace portico
