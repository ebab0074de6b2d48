#pragma once

#include "portico/Export.h"
#include "portico/Instant.h"
#include "portico/Schema.h"

#include <concepts>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace portico
{

enum class Dialect : std::uint8_t
{
    SQLite,
    PostgreSQL
};

/// Bytes that are bound or read as a binary value (BLOB, bytea).
struct Bytes
{
    std::string data;
    auto operator<=>(const Bytes&) const = default;
};

/// One bound argument: views live until `execute` or `query` returns. Text with a zero byte is rejected (22021): bind it as Bytes. A bool
/// is stored as BOOLEAN, an Instant as BIGINT. PostgreSQL derives the type of a placeholder from the statement.
struct SqlValue
{
    std::variant<std::monostate, bool, std::int64_t, double, std::string_view, std::span<const char>> value;

    SqlValue(std::nullptr_t) noexcept {}
    SqlValue(bool v) noexcept : value(v) {}
    template <std::integral I>
    requires(!std::same_as<I, bool>) SqlValue(I v)
    noexcept : value(static_cast<std::int64_t>(v)) {}
    SqlValue(double v) noexcept : value(v) {}
    SqlValue(std::string_view v) noexcept : value(v) {}
    SqlValue(const std::string& v) noexcept : value(std::string_view(v)) {}
    SqlValue(const char* v) noexcept : value(std::string_view(v)) {}
    SqlValue(Instant v) noexcept : value(toMillis(v)) {}
    SqlValue(const Bytes& v) noexcept : value(std::span<const char>(v.data)) {}
    /// Ids and tenants.
    template <class T>
    requires std::same_as<decltype(std::declval<const T&>().text()), const std::string&> ||
        std::same_as<decltype(std::declval<const T&>().text()), std::string_view>
        SqlValue(const T& id)
    noexcept : value(std::string_view(id.text())) {}
    template <class T>
    SqlValue(const std::optional<T>& v) noexcept
    {
        if (v) *this = SqlValue(*v);
    }
};

/// Why a statement failed, by SQLSTATE: the same classes on both engines. The text is for the log only; a handler that lets it escape
/// answers 500 `internal` (503 `overloaded` for Unavailable and Busy).
class PORTICO_API DatabaseError : public std::runtime_error
{
public:
    enum class Kind : std::uint8_t
    {
        Other,
        UniqueViolation,     ///< 23505
        ForeignKeyViolation, ///< 23503
        CheckViolation,      ///< 23514, 23502
        Serialization,       ///< 40001, 40P01, SQLITE_BUSY_SNAPSHOT: run the unit of work again
        Busy,                ///< lock or pool wait timed out
        Unavailable,         ///< the database cannot be reached, is read-only or full
    };
    DatabaseError(Kind kind, std::string sqlState, std::string constraint, const std::string& message);
    DatabaseError(const DatabaseError&);
    ~DatabaseError() override;
    Kind kind() const noexcept { return _kind; }
    /// Five characters; on SQLite the SQLSTATE that PostgreSQL reports for the same error.
    const std::string& sqlState() const noexcept { return _sqlState; }
    /// PostgreSQL: the constraint's or index's name. SQLite: `table.column[, table.column]`. May be empty.
    const std::string& constraint() const noexcept { return _constraint; }

private:
    Kind _kind;
    std::string _sqlState;
    std::string _constraint;
};

namespace detail
{
/// A running statement, implemented by the host for each engine. Columns are counted from 0; text views live until the next call of `next`.
class PORTICO_API Cursor
{
public:
    virtual ~Cursor();
    /// Moves to the next row (the first at the first call); false after the last.
    virtual bool next() = 0;
    virtual int columnCount() const noexcept = 0;
    virtual std::string_view columnName(int column) const noexcept = 0;
    virtual bool isNull(int column) const noexcept = 0;
    virtual std::int64_t integer(int column) const = 0;
    virtual double number(int column) const = 0;
    virtual bool boolean(int column) const = 0;
    virtual std::string_view text(int column) const = 0;
    virtual std::string bytes(int column) const = 0;
};

/// A borrowed connection, implemented by the host for each engine.
class PORTICO_API Connection
{
public:
    virtual ~Connection();
    virtual Dialect dialect() const noexcept = 0;
    /// Runs a statement to its end and returns the number of changed rows.
    virtual std::int64_t execute(std::string_view sql, std::span<const SqlValue> arguments) = 0;
    /// Runs a statement that returns rows. A connection has at most one open cursor per SQL text.
    virtual std::unique_ptr<Cursor> query(std::string_view sql, std::span<const SqlValue> arguments) = 0;
    virtual void begin(bool write) = 0;
    /// @throws DatabaseError when the transaction did not take effect, also when it had been aborted before.
    virtual void commit() = 0;
    virtual void rollback() noexcept = 0;
    /// The POCO session under it (`Poco::Data::Session*`), for `portico/poco.h`.
    virtual void* pocoSession() noexcept = 0;
    /// True if another caller is waiting for this connection.
    virtual bool isAwaited() const noexcept { return false; }
};

PORTICO_API void readRecord(const Cursor& cursor, const Type& type, void* record);
/// Text of the columns of a record type, `id, first_name, …`, with an optional prefix (`c.`), and of an INSERT and UPDATE of them.
PORTICO_API std::string columnList(const Type& type, std::string_view prefix);
PORTICO_API std::string insertText(const Type& type, std::string_view table, std::span<const std::string_view> extraColumns);
PORTICO_API std::string updateText(const Type& type, std::string_view table, std::span<const std::string_view> extraColumns,
                                   std::span<const std::string_view> keyColumns);
/// Values of the columns in that order; texts that must be made live in `keep`.
PORTICO_API void recordValues(const Type& type, const void* record, std::vector<SqlValue>& values, std::vector<std::string>& keep);

template <class T>
T columnValue(const Cursor& cursor, int column);
} // namespace detail

/// One row of a result, valid until the next one is read.
class Row
{
public:
    explicit Row(const detail::Cursor& cursor) noexcept : _cursor(&cursor) {}
    /// A column by position: bool, integers, double, std::string, Instant, Bytes, Id<…>, and std::optional of these for columns that may be
    /// null.
    /// @throws std::logic_error when a null is read into a type that cannot hold it.
    template <class T>
    T get(int column) const
    {
        return detail::columnValue<T>(*_cursor, column);
    }
    bool isNull(int column) const noexcept { return _cursor->isNull(column); }
    /// Text without a copy; lives until the next row.
    std::string_view text(int column) const { return _cursor->text(column); }
    /// A record by its Schema: columns are matched by name (`firstName` is `first_name`), lists, maps and nested records are JSON text.
    template <class T>
    T as() const
    {
        static_assert(detail::DescribedRecord<T>, "a record has a schema; one column is read by get, value and values");
        T record{};
        detail::readRecord(*_cursor, detail::typeOf<T>, &record);
        return record;
    }

private:
    const detail::Cursor* _cursor;
};

/// Rows of a query, read on demand: `for (Row row : session.query(…))`. Must not outlive its session.
class Rows
{
public:
    explicit Rows(std::unique_ptr<detail::Cursor> cursor) : _cursor(std::move(cursor)) {}
    class Iterator
    {
    public:
        explicit Iterator(detail::Cursor* cursor) : _cursor(cursor) { advance(); }
        Row operator*() const { return Row(*_cursor); }
        Iterator& operator++()
        {
            advance();
            return *this;
        }
        bool operator==(std::default_sentinel_t) const { return _cursor == nullptr; }

    private:
        void advance()
        {
            if (!_cursor->next()) _cursor = nullptr;
        }
        detail::Cursor* _cursor;
    };
    Iterator begin() { return Iterator(_cursor.get()); }
    std::default_sentinel_t end() const { return {}; }
    /// The next row, for results read by hand.
    std::optional<Row> next()
    {
        if (!_cursor->next()) return std::nullopt;
        return Row(*_cursor);
    }

private:
    std::unique_ptr<detail::Cursor> _cursor;
};

/// A borrowed database session for one unit of work on one thread. Returned to the pool at the end of its scope. SQL with `$1`
/// placeholders works on both engines. Statements are prepared once per connection.
class PORTICO_API Session
{
public:
    /// Created by `Database`; `release` returns the connection.
    Session(detail::Connection& connection, void (*release)(void*, detail::Connection&, bool broken), void* owner) noexcept;
    Session(Session&& other) noexcept;
    Session& operator=(Session&&) = delete;
    ~Session();

    Dialect dialect() const noexcept { return _connection->dialect(); }
    /// Runs INSERT, UPDATE, DELETE or DDL. @return number of changed rows @throws DatabaseError
    template <class... A>
    std::int64_t execute(std::string_view sql, const A&... arguments)
    {
        const SqlValue values[] = {SqlValue(arguments)..., SqlValue(nullptr)};
        return _connection->execute(sql, {values, sizeof...(A)});
    }
    std::int64_t executeValues(std::string_view sql, std::span<const SqlValue> values) { return _connection->execute(sql, values); }
    /// Runs a statement that returns rows. Do not call it on a temporary session, which would end before the rows are read. @throws
    /// DatabaseError here or while the rows are read.
    template <class... A>
    Rows query(std::string_view sql, const A&... arguments) &
    {
        const SqlValue values[] = {SqlValue(arguments)..., SqlValue(nullptr)};
        return Rows(_connection->query(sql, {values, sizeof...(A)}));
    }
    Rows queryValues(std::string_view sql, std::span<const SqlValue> values) & { return Rows(_connection->query(sql, values)); }
    /// The first row as a record, or empty.
    template <class T, class... A>
    std::optional<T> one(std::string_view sql, const A&... arguments)
    {
        auto rows = query(sql, arguments...);
        auto row = rows.next();
        if (!row) return std::nullopt;
        return row->template as<T>();
    }
    /// The first column of the first row, or empty.
    template <class T, class... A>
    std::optional<T> value(std::string_view sql, const A&... arguments)
    {
        auto rows = query(sql, arguments...);
        auto row = rows.next();
        if (!row) return std::nullopt;
        return row->template get<T>(0);
    }
    /// The first column of all rows.
    template <class T, class... A>
    std::vector<T> values(std::string_view sql, const A&... arguments)
    {
        std::vector<T> found;
        for (Row row : query(sql, arguments...)) found.push_back(row.template get<T>(0));
        return found;
    }
    /// All rows as records.
    template <class T, class... A>
    std::vector<T> all(std::string_view sql, const A&... arguments)
    {
        std::vector<T> records;
        for (Row row : query(sql, arguments...)) records.push_back(row.template as<T>());
        return records;
    }
    /// Inserts a record by its Schema, with columns that are not in it (the tenant): `insert("contact", contact, {"organization_id"},
    /// caller.tenant())`.
    template <class T, class... A>
    void insert(std::string_view table, const T& record, std::initializer_list<std::string_view> extraColumns, const A&... extra)
    {
        std::vector<SqlValue> values;
        std::vector<std::string> keep;
        detail::recordValues(detail::typeOf<T>, &record, values, keep);
        (values.push_back(SqlValue(extra)), ...);
        _connection->execute(detail::insertText(detail::typeOf<T>, table, {extraColumns.begin(), extraColumns.size()}), values);
    }
    /// Writes a record by its Schema into the rows that the key columns name, with columns that are not in it; the number of rows changed:
    /// `update("contact", contact, {"sort_name"}, {"organization_id", "id"}, sortName, caller.tenant(), contact.id)`.
    template <class T, class... A>
    std::int64_t update(std::string_view table, const T& record, std::initializer_list<std::string_view> extraColumns,
                        std::initializer_list<std::string_view> keyColumns, const A&... extraAndKeys)
    {
        std::vector<SqlValue> values;
        std::vector<std::string> keep;
        detail::recordValues(detail::typeOf<T>, &record, values, keep);
        (values.push_back(SqlValue(extraAndKeys)), ...);
        return _connection->execute(detail::updateText(detail::typeOf<T>, table, {extraColumns.begin(), extraColumns.size()},
                                                       {keyColumns.begin(), keyColumns.size()}),
                                    values);
    }
    detail::Connection& connection() noexcept { return *_connection; }

protected:
    detail::Connection* _connection;
    void (*_release)(void*, detail::Connection&, bool);
    void* _owner;
};

/// A transaction: rolled back at the end of its scope unless it was committed. After a failed statement, later statements and the commit
/// fail with 25P02 on both engines. To continue after a failure, use `ON CONFLICT`, or SAVEPOINT and ROLLBACK TO.
class PORTICO_API Transaction : public Session
{
public:
    explicit Transaction(Session&& session, bool write = true);
    Transaction(Transaction&& other) noexcept;
    ~Transaction();
    /// Makes the changes visible to other sessions. They are durable when the transaction's scope ends, which waits for the disk if
    /// `commit` did not. Do not report success before the scope ends.
    /// @throws DatabaseError if the changes did not take effect.
    void commit();
    /// True if another caller waits for this session (on SQLite: for the single writer). Long work should then commit where possible and
    /// continue in a new transaction.
    bool isAwaited() const noexcept;

private:
    bool _open = true;
};

/// The service's own database (SQLite file or PostgreSQL schema). Thread-safe.
class PORTICO_API Database
{
public:
    virtual ~Database();
    virtual Dialect dialect() const noexcept = 0;
    /// Returns a read-only session; statements that write are rejected on both engines (25006). On SQLite one of several readers. Waits a
    /// bounded time.
    /// @throws DatabaseError Busy when the pool stays exhausted, Unavailable when the database cannot be reached.
    virtual Session session() = 0;
    /// Begins a transaction for writing. SQLite has a single writer, so transactions run one after another: keep them short and never wait
    /// in them. PostgreSQL uses READ COMMITTED, so protect what you read: `FOR UPDATE`, a version in the WHERE clause, or a unique key.
    /// @throws DatabaseError as session.
    virtual Transaction begin() = 0;
    /// A consistent snapshot for reading: of the first statement that reads. @throws DatabaseError as session.
    virtual Transaction snapshot() = 0;

    /// Runs a unit of work in a transaction and commits it; on a serialization failure runs it again, at most four times. The function
    /// must have no side effects outside of the transaction.
    template <class F>
    auto transact(F&& work) -> std::invoke_result_t<F, Transaction&>
    {
        for (int attempt = 1;; ++attempt)
        {
            try
            {
                auto transaction = begin();
                if constexpr (std::is_void_v<std::invoke_result_t<F, Transaction&>>)
                {
                    work(transaction);
                    transaction.commit();
                    return;
                }
                else
                {
                    auto result = work(transaction);
                    transaction.commit();
                    return result;
                }
            }
            catch (const DatabaseError& error)
            {
                if (error.kind() != DatabaseError::Kind::Serialization || attempt == 5) throw;
                waitBeforeRetry(attempt);
            }
        }
    }

protected:
    /// Waits a few milliseconds, randomly spread, growing with the attempt.
    static void waitBeforeRetry(int attempt);
};

/// `id, first_name, …`: the columns of a record, for SELECT.
template <class T>
std::string columns(std::string_view prefix = {})
{
    return detail::columnList(detail::typeOf<T>, prefix);
}

namespace detail
{
[[noreturn]] PORTICO_API void throwUnexpectedNull(const Cursor& cursor, int column);
[[noreturn]] PORTICO_API void throwBadColumn(const Cursor& cursor, int column);

template <class T>
struct IsOptional : std::false_type
{
};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type
{
};

template <class T>
T columnValue(const Cursor& cursor, int column)
{
    if constexpr (IsOptional<T>::value)
    {
        if (cursor.isNull(column)) return std::nullopt;
        return columnValue<typename T::value_type>(cursor, column);
    }
    else
    {
        if (cursor.isNull(column)) throwUnexpectedNull(cursor, column);
        if constexpr (std::same_as<T, bool>)
            return cursor.boolean(column);
        else if constexpr (std::same_as<T, Instant>)
            return fromMillis(cursor.integer(column));
        else if constexpr (std::integral<T>)
            return static_cast<T>(cursor.integer(column));
        else if constexpr (std::floating_point<T>)
            return static_cast<T>(cursor.number(column));
        else if constexpr (std::same_as<T, std::string>)
            return std::string(cursor.text(column));
        else if constexpr (std::same_as<T, Bytes>)
            return Bytes{cursor.bytes(column)};
        else
        {
            auto parsed = T::parse(cursor.text(column));
            if (!parsed) throwBadColumn(cursor, column);
            return *std::move(parsed);
        }
    }
}
} // namespace detail

} // namespace portico
