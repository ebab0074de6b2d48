#include "host/data/postgres/PostgresEngine.h"

#include "host/data/postgres/PostgresConnection.h"
#include "host/data/postgres/PostgresUrl.h"

#include <Poco/Data/PostgreSQL/Connector.h>

#include <algorithm>

namespace portico::host::data
{

PostgresEngine::PostgresEngine() { Poco::Data::PostgreSQL::Connector::registerConnector(); }

PostgresEngine::~PostgresEngine() { Poco::Data::PostgreSQL::Connector::unregisterConnector(); }

std::unique_ptr<ServiceDatabase> PostgresEngine::open(const DatabaseSettings& settings, std::string_view serviceId) const
{
    const int maximum = std::max(1, settings.connections);
    const auto connection = pocoConnectionString(settings);
    auto source = std::make_unique<SessionSource>(Poco::Data::PostgreSQL::Connector::KEY, connection, maximum);
    const PostgresOptions options{std::string(serviceId),    settings.lockWait,
                                  settings.statementTimeout, settings.statementTimeout + settings.answerGrace,
                                  settings.connectTimeout,   settings.statementsPerConnection};
    auto open = [connection, &from = *source, options](std::atomic<std::uint64_t>& prepared)
    {
        requireReachable(connection);
        return std::make_unique<PostgresConnection>(from.open(), options, prepared);
    };
    auto sessions = std::make_unique<ConnectionPool>(poolLimits(settings, maximum), std::move(open));
    return std::make_unique<ServiceDatabase>(Dialect::PostgreSQL, std::string(serviceId), std::move(source), std::move(sessions), nullptr,
                                             nullptr, settings.currentSpan);
}

} // namespace portico::host::data
