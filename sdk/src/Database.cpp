#include "portico/Database.h"

#include <algorithm>
#include <random>
#include <thread>

namespace portico
{

DatabaseError::DatabaseError(Kind kind, std::string sqlState, std::string constraint, const std::string& message)
    : std::runtime_error(message), _kind(kind), _sqlState(std::move(sqlState)), _constraint(std::move(constraint))
{
}

DatabaseError::DatabaseError(const DatabaseError&) = default;
DatabaseError::~DatabaseError() = default;

Session::Session(detail::Connection& connection, void (*release)(void*, detail::Connection&, bool), void* owner) noexcept
    : _connection(&connection), _release(release), _owner(owner)
{
}

Session::Session(Session&& other) noexcept
    : _connection(std::exchange(other._connection, nullptr)), _release(other._release), _owner(other._owner)
{
}

Session::~Session()
{
    // The connection detects itself whether it is broken.
    if (_connection) _release(_owner, *_connection, false);
}

Transaction::Transaction(Session&& session, bool write) : Session(std::move(session)) { _connection->begin(write); }

Transaction::Transaction(Transaction&& other) noexcept : Session(std::move(other)), _open(std::exchange(other._open, false)) {}

Transaction::~Transaction()
{
    if (_connection && _open) _connection->rollback();
}

void Transaction::commit()
{
    if (!_open) throw std::logic_error("Transaction::commit was called a second time: begin a new transaction");
    _connection->commit();
    _open = false;
}

bool Transaction::isAwaited() const noexcept { return _connection->isAwaited(); }

Database::~Database() = default;

void Database::waitBeforeRetry(int attempt)
{
    constexpr int longestMillis = 100;
    std::random_device source;
    std::uniform_int_distribution<int> spread(1, std::min(longestMillis, 5 << attempt));
    std::this_thread::sleep_for(std::chrono::milliseconds(spread(source)));
}

namespace detail
{

Cursor::~Cursor() = default;
Connection::~Connection() = default;

void throwUnexpectedNull(const Cursor& cursor, int column)
{
    throw std::logic_error("column '" + std::string(cursor.columnName(column)) +
                           "' is null: read it as std::optional, or make the column NOT NULL");
}

void throwBadColumn(const Cursor& cursor, int column)
{
    throw std::logic_error("column '" + std::string(cursor.columnName(column)) + "' holds a value that is not of the type it is read as");
}

} // namespace detail

} // namespace portico
