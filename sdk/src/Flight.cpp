#include "portico/Flight.h"

namespace portico
{

namespace detail
{

FlightConnection::~FlightConnection() = default;

FlightConnection* flightConnection(Connection& connection) noexcept
{
    // A cast costs more than a point read of SQLite may.
    return connection.dialect() == Dialect::PostgreSQL ? dynamic_cast<FlightConnection*>(&connection) : nullptr;
}

void throwNotRun()
{
    throw std::logic_error("the statement was dropped: its transaction was rolled back, or a statement of its flight failed before it");
}

} // namespace detail

std::shared_ptr<detail::FlightAnswer> Flight::put(std::string_view sql, std::span<const SqlValue> arguments)
{
    auto answer = std::make_shared<detail::FlightAnswer>();
    _flights->put(sql, arguments, answer);
    return answer;
}

InFlight<std::int64_t> Flight::executeValues(std::string_view sql, std::span<const SqlValue> arguments)
{
    if (!_flights) return InFlight<std::int64_t>(_connection.execute(sql, arguments));
    return {*_flights, put(sql, arguments), [](detail::FlightAnswer& answer) { return answer.changed; }};
}

} // namespace portico
