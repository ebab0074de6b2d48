#include "host/data/postgres/PostgresEngine.h"

#include "host/base/ReadFiles.h"
#include "host/data/postgres/PostgresConnection.h"
#include "host/data/postgres/PostgresNotifier.h"

#include "portico/Crypto.h"

#include <Poco/Data/PostgreSQL/Connector.h>

#include <algorithm>
#include <libpq-fe.h>
#include <map>
#include <memory>
#include <stdexcept>

namespace portico::host::data
{

namespace
{

using Options = std::map<std::string, std::string>;

Options parseUrl(const std::string& url)
{
    char* message = nullptr;
    std::unique_ptr<PQconninfoOption, void (*)(PQconninfoOption*)> parsed(PQconninfoParse(url.c_str(), &message), &PQconninfoFree);
    const std::unique_ptr<char, void (*)(void*)> freeMessage(message, &PQfreemem);
    // libpq's own message may quote the text, and with it the password.
    if (!parsed)
        throw std::invalid_argument("the database URL cannot be read: expected postgresql://user:password@host:port/database, with special "
                                    "characters percent-encoded");
    Options options;
    for (const auto* option = parsed.get(); option->keyword; ++option)
        if (option->val && *option->val) options[option->keyword] = option->val;
    return options;
}

std::string readPassword(const std::filesystem::path& file)
{
    if (auto line = firstLineOf(file)) return *std::move(line);
    throw std::invalid_argument("the database password file '" + file.string() +
                                "' cannot be read: expected the password on its first line");
}

std::string escaped(const std::string& key, const std::string& value)
{
    std::string out;
    for (char c : value)
    {
        // POCO splits the text at spaces, whether they are quoted or not.
        if (static_cast<unsigned char>(c) <= ' ')
            throw std::invalid_argument("the database option '" + key +
                                        "' holds white space, which cannot be passed on: expected a value without it");
        if (c == '\\' || c == '\'') out += '\\';
        out += c;
    }
    return out;
}

using RawConnection = std::unique_ptr<PGconn, void (*)(PGconn*)>;

RawConnection connect(const std::string& connectionString)
{
    RawConnection connection(PQconnectdb(connectionString.c_str()), &PQfinish);
    if (PQstatus(connection.get()) == CONNECTION_OK) return connection;
    std::string reason = PQerrorMessage(connection.get());
    std::replace(reason.begin(), reason.end(), '\n', ' ');
    throw DatabaseError(DatabaseError::Kind::Unavailable, "08001", {}, "SQLSTATE 08001: PostgreSQL cannot be reached: " + reason);
}

/// The only value of the only row; empty for null.
std::string valueOf(PGconn& connection, const std::string& sql)
{
    const std::unique_ptr<PGresult, void (*)(PGresult*)> result(PQexec(&connection, sql.c_str()), &PQclear);
    if (PQresultStatus(result.get()) != PGRES_TUPLES_OK || PQntuples(result.get()) != 1)
        throw DatabaseError(DatabaseError::Kind::Unavailable, "08006", {}, "SQLSTATE 08006: PostgreSQL did not answer the first question");
    return PQgetvalue(result.get(), 0, 0);
}

} // namespace

namespace
{

std::string connectionString(const DatabaseSettings& settings, const std::string& url)
{
    auto options = parseUrl(url);
    if (!settings.passwordFile.empty()) options["password"] = readPassword(settings.passwordFile);
    options.try_emplace("application_name", "portico");
    options.try_emplace("client_encoding", "UTF8");
    options.try_emplace("connect_timeout", std::to_string(std::max<std::chrono::seconds::rep>(2, settings.connectTimeout.count())));
    // Detects a vanished server while a statement waits for it.
    options.try_emplace("keepalives_idle", "30");
    options.try_emplace("tcp_user_timeout", "30000");
    std::string text;
    for (const auto& [key, value] : options) text += (text.empty() ? "" : " ") + key + "=" + escaped(key, value);
    return text;
}

} // namespace

std::string pocoConnectionString(const DatabaseSettings& settings) { return connectionString(settings, settings.url); }

std::string directConnectionString(const DatabaseSettings& settings)
{
    if (settings.sessions == Sessions::OfConnection) return pocoConnectionString(settings);
    return settings.directUrl.empty() ? std::string() : connectionString(settings, settings.directUrl);
}

void requireReachable(const std::string& connectionString) { connect(connectionString); }

void requireSessionsOfOwn(const std::string& connectionString)
{
    const auto one = connect(connectionString);
    const auto other = connect(connectionString);
    const std::string mark = randomToken();
    // A pooler lends the session that is free to the next statement of whichever connection.
    valueOf(*one, "SELECT set_config('portico.session_mark', '" + mark + "', false)");
    const auto found = valueOf(*other, "SELECT current_setting('portico.session_mark', true)");
    const auto kept = valueOf(*one, "SELECT current_setting('portico.session_mark', true)");
    if (found != mark && kept == mark) return;
    throw DatabaseError(
        DatabaseError::Kind::Other, "", {},
        "a pooler in front of PostgreSQL lends its sessions for a transaction or a statement at a time, as PgBouncer does "
        "with pool_mode = transaction; set database.pooler = transaction for it, or pool_mode = session, or the address of PostgreSQL "
        "itself");
}

void PostgresEngine::check(const DatabaseSettings& settings) const
{
    if (settings.sessions == Sessions::OfTransaction) requireReachable(pocoConnectionString(settings));
    if (const auto direct = directConnectionString(settings); !direct.empty()) requireSessionsOfOwn(direct);
}

std::unique_ptr<WorkNotifier> PostgresEngine::notifier(const DatabaseSettings& settings, WorkNotifier::OnWork onWork) const
{
    auto direct = directConnectionString(settings);
    if (direct.empty()) return nullptr; // each service looks for itself
    return std::make_unique<PostgresNotifier>(std::move(direct), PostgresNotifier::Times{}, std::move(onWork));
}

PostgresEngine::PostgresEngine() { Poco::Data::PostgreSQL::Connector::registerConnector(); }

PostgresEngine::~PostgresEngine() { Poco::Data::PostgreSQL::Connector::unregisterConnector(); }

std::unique_ptr<ServiceDatabase> PostgresEngine::open(const DatabaseSettings& settings, std::string_view serviceId) const
{
    const int maximum = std::max(1, settings.connections);
    const auto connection = pocoConnectionString(settings);
    auto source = std::make_unique<SessionSource>(Poco::Data::PostgreSQL::Connector::KEY, connection, maximum);
    auto open = [connection, &from = *source, settings, schema = std::string(serviceId)](std::atomic<std::uint64_t>& prepared)
    {
        requireReachable(connection);
        return std::make_unique<PostgresConnection>(from.open(), settings, schema, prepared);
    };
    auto sessions = std::make_unique<ConnectionPool>(poolLimits(settings, maximum), std::move(open));
    return std::make_unique<ServiceDatabase>(Dialect::PostgreSQL, std::string(serviceId), std::move(source), std::move(sessions), nullptr,
                                             nullptr, nullptr, settings.currentSpan);
}

} // namespace portico::host::data
