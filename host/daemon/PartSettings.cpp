#include "host/daemon/PartSettings.h"

#include "host/base/FileDescriptor.h"
#include "host/base/IpAddress.h"
#include "host/base/Text.h"
#include "host/config/Values.h"
#include "host/daemon/ServiceManager.h"
#include "host/daemon/StateDirectory.h"

#include "portico/interfaces/Webhooks.h"

#include <Poco/Environment.h>

#include <algorithm>
#include <cstdlib>
#include <netinet/in.h>
#include <optional>
#include <stdexcept>
#include <sys/socket.h>

namespace portico::host::daemon
{

namespace
{

using config::Configuration;
using std::chrono::milliseconds;

int whole(const Configuration& configuration, std::string_view key) { return static_cast<int>(configuration.integer(key)); }

std::size_t count(const Configuration& configuration, std::string_view key) { return static_cast<std::size_t>(configuration.integer(key)); }

unsigned threads(const Configuration& configuration, std::string_view key) { return static_cast<unsigned>(configuration.integer(key)); }

telemetry::LogSettings logSettings(const Configuration& configuration, int descriptor)
{
    telemetry::LogSettings settings;
    settings.level = telemetry::parseLogLevel(configuration.text("log.level")).value_or(LogLevel::Information);
    settings.format = telemetry::parseLogFormat(configuration.text("log.format")).value_or(telemetry::LogFormat::Text);
    // journald reads the level from the prefix; JSON contains the level.
    settings.priorityPrefix =
        configuration.text("log.file").empty() && settings.format == telemetry::LogFormat::Text && std::getenv("JOURNAL_STREAM");
    settings.descriptor = descriptor;
    return settings;
}

platform::MailSettings mailSettings(const Configuration& configuration)
{
    platform::MailSettings settings;
    settings.from = configuration.text("mail.from");
    settings.senders = configuration.list("mail.senders");
    settings.server = configuration.text("mail.server");
    settings.port = static_cast<std::uint16_t>(configuration.integer("mail.port"));
    const auto security = configuration.text("mail.security");
    settings.security = security == "tls"    ? platform::MailSecurity::Tls
                        : security == "none" ? platform::MailSecurity::None
                                             : platform::MailSecurity::StartTls;
    settings.user = configuration.text("mail.user");
    settings.passwordFile = configuration.text("mail.passwordFile");
    settings.certificateAuthorities = configuration.text("mail.certificateAuthorities");
    settings.folder = configuration.text("mail.directory");
    return settings;
}

platform::TraceSettings traceSettings(const Configuration& configuration)
{
    platform::TraceSettings settings;
    const auto endpoint = configuration.text("tracing.endpoint");
    if (endpoint.empty()) return settings;
    settings.endpoint = platform::tracesUrl(endpoint);
    settings.sampleOneIn = static_cast<std::uint64_t>(configuration.integer("tracing.sampleOneIn"));
    settings.headers = platform::parseHeaderLines(configuration.secret("tracing.headersFile"), "tracing.headersFile");
    settings.certificateAuthorities = configuration.text("outbound.certificateAuthorities");
    settings.resource = {PORTICO_VERSION, Poco::Environment::nodeName()};
    return settings;
}

std::optional<platform::RedisSettings> redisSettings(const Configuration& configuration)
{
    if (configuration.text("state.store") != "redis") return std::nullopt;
    const auto url = config::parseRedisUrl(configuration.text("state.redis.url")).value_or(config::RedisUrl());
    platform::RedisSettings settings;
    settings.host = url.host;
    settings.port = url.port;
    settings.database = url.database;
    settings.user = url.user;
    settings.password = configuration.secret("state.redis.passwordFile");
    settings.prefix = configuration.text("state.redis.prefix");
    settings.connections = count(configuration, "state.redis.connections");
    settings.timeout = milliseconds(configuration.integer("state.redis.timeoutMilliseconds"));
    return settings;
}

std::optional<platform::S3Settings> s3Settings(const Configuration& configuration)
{
    if (configuration.text("blobs.store") != "s3") return std::nullopt;
    platform::S3Settings settings;
    auto& bucket = settings.bucket;
    bucket.endpoint = configuration.text("blobs.s3.endpoint");
    bucket.region = configuration.text("blobs.s3.region");
    bucket.bucket = configuration.text("blobs.s3.bucket");
    bucket.pathStyle = configuration.text("blobs.s3.addressing") == "path";
    const auto key = configuration.secret("blobs.s3.accessKeyFile");
    const auto line = std::min(key.find('\n'), key.size());
    bucket.accessKeyId = trimmed(std::string_view(key).substr(0, line), whiteSpace);
    bucket.secretAccessKey = trimmed(std::string_view(key).substr(line), whiteSpace);
    if (bucket.secretAccessKey.empty())
        throw std::runtime_error(
            "blobs.s3.accessKeyFile: expected the id of the access key in the first line and its secret in the second");
    settings.publicEndpoint = configuration.text("blobs.s3.publicEndpoint");
    settings.prefix = configuration.text("blobs.s3.prefix");
    settings.timeout = configuration.seconds("blobs.s3.timeoutSeconds");
    return settings;
}

std::optional<http::TlsSettings> tls(const Configuration& configuration)
{
    const auto certificate = configuration.text("server.tls.certificateFile");
    if (certificate.empty()) return std::nullopt;
    return http::TlsSettings{certificate, configuration.text("server.tls.privateKeyFile")};
}

std::string socketAddress(const std::string& address, std::int64_t port)
{
    const bool isIPv6 = address.find(':') != std::string::npos && !address.starts_with('[');
    return (isIPv6 ? "[" + address + "]" : address) + ":" + std::to_string(port);
}

/// Ports that belong to one service, by number.
std::vector<std::pair<std::int64_t, std::string>> servicePorts(const Configuration& configuration)
{
    std::vector<std::pair<std::int64_t, std::string>> ports;
    for (const auto& [key, entry] : configuration.entries())
        if (const auto service = config::serviceIn("services.<id>.port", key); !service.empty() && configuration.integer(key) != 0)
            ports.emplace_back(configuration.integer(key), service);
    std::sort(ports.begin(), ports.end());
    return ports;
}

/// False where an IPv6 address cannot be bound because this machine has no IPv6.
bool machineHas(const std::string& address)
{
    const auto parsed = IpAddress::parse(address);
    if (!parsed || parsed->isIpv4()) return true;
    const FileDescriptor probe(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in6 any{};
    any.sin6_family = AF_INET6;
    std::ranges::copy(parsed->bytes, any.sin6_addr.s6_addr);
    return probe && ::bind(probe.get(), reinterpret_cast<const sockaddr*>(&any), sizeof any) == 0;
}

/// Configured addresses must exist; of the defaults, those that exist are used.
std::vector<std::string> addresses(const Configuration& configuration)
{
    auto all = configuration.list("server.bind");
    if (!configuration.find("server.bind")) std::erase_if(all, [](const std::string& address) { return !machineHas(address); });
    return all;
}

bool isPlainLoopback(std::string_view origin)
{
    if (!origin.starts_with("http://")) return false;
    auto host = origin.substr(7);
    if (const auto colon = host.rfind(':'); colon != std::string_view::npos && !host.ends_with(']')) host = host.substr(0, colon);
    if (host == "localhost" || host.ends_with(".localhost") || host == "[::1]") return true;
    // An address, not a name that begins like one.
    return host.starts_with("127.") && IpAddress::parse(host);
}

} // namespace

data::DatabaseSettings databaseSettings(const Configuration& configuration, const std::filesystem::path& state)
{
    data::DatabaseSettings settings;
    const auto url = configuration.text("database.url");
    if (url.starts_with("postgres"))
    {
        settings.engine = Dialect::PostgreSQL;
        settings.url = url;
        settings.passwordFile = configuration.text("database.passwordFile");
        if (configuration.text("database.pooler") == "transaction") settings.sessions = data::Sessions::OfTransaction;
        settings.directUrl = configuration.text("database.directUrl");
    }
    else
    {
        const auto directory = url.substr(std::min(url.find(':'), url.size() - 1) + 1);
        settings.directory = directory.empty() ? state / "data" : std::filesystem::path(directory);
    }
    settings.readers = whole(configuration, "database.readers");
    settings.connections = whole(configuration, "database.connections");
    settings.connectTimeout = configuration.seconds("database.connectSeconds");
    settings.statementTimeout = configuration.seconds("database.statementSeconds");
    settings.sessionWait = milliseconds(configuration.integer("database.waitMilliseconds"));
    settings.lockWait = milliseconds(configuration.integer("database.lockMilliseconds"));
    return settings;
}

platform::PlatformSettings platformSettings(const Configuration& configuration, const std::filesystem::path& state,
                                            const config::InstallLayout& layout, int logDescriptor, telemetry::LogTail* logTail)
{
    platform::PlatformSettings settings;
    settings.stateDirectory = state;
    settings.migrations = layout.migrations() / "platform";
    settings.database = databaseSettings(configuration, state);
    settings.log = logSettings(configuration, logDescriptor);
    settings.log.tail = logTail;
    settings.http.allowedNetworks = configuration.list("outbound.allowedNetworks");
    settings.http.allowedAddresses = configuration.list("outbound.allowedAddresses");
    settings.http.certificateAuthorities = configuration.text("outbound.certificateAuthorities");
    settings.http.connectTimeout = configuration.seconds("outbound.connectSeconds");
    settings.traces = traceSettings(configuration);
    settings.mail = mailSettings(configuration);
    settings.blobQuotaBytesPerScope = configuration.bytes("blobs.quotaBytes");
    settings.s3 = s3Settings(configuration);
    settings.stateLimitBytes = configuration.bytes("state.limitBytes");
    settings.redis = redisSettings(configuration);
    settings.metricSeriesLimit = count(configuration, "metrics.seriesLimit");
    settings.workThreads = count(configuration, "jobs.threads");
    settings.networkThreads = count(configuration, "jobs.networkThreads");
    settings.serverThreads = count(configuration, "jobs.serverThreads");
    settings.helperProcesses = count(configuration, "helpers.processes");
    settings.jobLease = configuration.seconds("jobs.leaseSeconds");
    settings.keepEvents = std::chrono::hours(configuration.integer("events.keepHours"));
    return settings;
}

bool hasConsole(const Configuration& configuration) { return configuration.text("admin.console") != "off"; }

routing::Settings routingSettings(const Configuration& configuration, const std::filesystem::path& state)
{
    routing::Settings settings;
    settings.accessLog = configuration.boolean("log.access");
    settings.rateLimits = configuration.text("limits.rates") == "on";
    settings.requestsPerMinute = configuration.integer("limits.requestsPerMinute");
    settings.anonymousRequestsPerMinute = configuration.integer("limits.anonymousRequestsPerMinute");
    settings.streamsPerCaller = configuration.integer("limits.streamsPerCaller");
    settings.streamsPerAddress = configuration.integer("limits.streamsPerAddress");
    settings.streamsPerOrigin = configuration.integer("limits.streamsPerOrigin");
    settings.jsonBytes = configuration.bytes("limits.jsonBytes");
    settings.uploadBytes = configuration.bytes("limits.uploadBytes");
    settings.cursorKey = configuration.secret("http.cursorKeyFile");
    if (settings.cursorKey.empty()) settings.cursorKey = hostSecret(state / "secrets" / "cursor-key");
    return settings;
}

routing::PageSettings pageSettings(const Configuration& configuration, bool plainLoopback)
{
    auto door = configuration.text("server.frontDoor");
    if (door.empty()) door = plainLoopback ? "page" : "off";
    auto origins = configuration.list("server.pageOrigins");
    // Pages load and upload blobs there.
    if (const auto bucket = s3Settings(configuration))
        if (const auto signer = platform::clientSigner(*bucket)) origins.push_back(signer->origin());
    return {std::move(origins), std::move(door), configuration.text("server.frontDoorNote")};
}

routing::IdempotencyTimes idempotencyTimes(const Configuration& configuration)
{
    routing::IdempotencyTimes times;
    times.running = std::max(times.running, configuration.seconds("http.totalSeconds"));
    return times;
}

plugins::HealthTimes healthTimes(const Configuration& configuration)
{
    return {configuration.seconds("plugins.healthSeconds"), configuration.seconds("plugins.healthAnswerSeconds")};
}

http::ServerSettings serverSettings(const Configuration& configuration, const std::filesystem::path& state)
{
    http::ServerSettings settings;
    settings.loops = threads(configuration, "http.loops");
    settings.workers = threads(configuration, "http.workers");
    settings.heavyWorkers = threads(configuration, "http.heavyWorkers");
    settings.longWorkers = threads(configuration, "http.longWorkers");
    settings.workerQueue = count(configuration, "http.queue");
    settings.heavyQueue = count(configuration, "http.heavyQueue");
    settings.longQueue = count(configuration, "http.longQueue");
    settings.maxConnections = count(configuration, "http.maxConnections");
    settings.connectionsPerAddress = count(configuration, "http.connectionsPerAddress");
    settings.bodyMemoryBytes = configuration.bytes("http.bodyMemoryBytes");
    settings.maxRequestsPerConnection = count(configuration, "http.requestsPerConnection");
    settings.headBytes = configuration.bytes("http.headBytes");
    settings.targetBytes = configuration.bytes("http.targetBytes");
    settings.headerCount = count(configuration, "http.headers");
    settings.idleTimeout = configuration.seconds("http.idleSeconds");
    settings.headTimeout = configuration.seconds("http.headSeconds");
    settings.bodyTimeout = configuration.seconds("http.bodySeconds");
    settings.bodyMinimumRate = configuration.bytes("http.bodyBytesPerSecond");
    settings.writeTimeout = configuration.seconds("http.writeSeconds");
    settings.writeMinimumRate = configuration.bytes("http.writeBytesPerSecond");
    settings.streamBeat = configuration.seconds("http.streamBeatSeconds");
    settings.streamCheck = configuration.seconds("http.streamCheckSeconds");
    settings.totalTimeout = configuration.seconds("http.totalSeconds");
    settings.compression = configuration.boolean("http.compression");
    settings.trustedProxies = configuration.list("server.trustedProxies");
    settings.strictTransportSecurity = configuration.seconds("http.strictTransportSeconds");
    const auto spool = configuration.text("http.spoolDirectory");
    settings.spoolDirectory = spool.empty() ? (state / "spool").string() : spool;
    std::filesystem::create_directories(settings.spoolDirectory);
    return settings;
}

std::vector<std::string> serviceOrigins(const Configuration& configuration, const std::string& serviceId)
{
    if (auto set = config::parseList(configuration.service(serviceId, "origins")); !set.empty()) return set;
    const bool secure = tls(configuration).has_value();
    const auto port = configuration.integer("server.port");
    std::string origin = (secure ? "https://" : "http://") + serviceId + ".localhost";
    if (port != (secure ? 443 : 80)) origin += ":" + std::to_string(port);
    return {origin};
}

bool serviceEnabled(const Configuration& configuration, const std::string& serviceId)
{
    return config::parseBoolean(configuration.service(serviceId, "enabled")).value_or(false);
}

platform::HostFacts hostFacts(const Configuration& started, const Configuration& current, const plugins::Discovery& discovery)
{
    platform::HostFacts facts;
    facts.version = PORTICO_VERSION;
    facts.plainHttp = true;
    facts.resettable = current.list("plugins.resettable");
    for (const auto& [id, plugin] : discovery.plugins)
    {
        // A manifest with errors may provide it, too.
        if (!plugin.manifest || plugin.manifest->offers(interfaces::Webhooks::interfaceName)) facts.hasWebhooks = true;
        if (!serviceEnabled(current, id)) continue;
        const auto origins = serviceOrigins(started, id);
        facts.origins.emplace(id, origins.front());
        facts.plainHttp = facts.plainHttp && std::all_of(origins.begin(), origins.end(), isPlainLoopback);
    }
    return facts;
}

std::vector<http::ListenerSettings> listeners(const Configuration& configuration)
{
    AdoptedSockets adopted;
    std::vector<http::ListenerSettings> all;
    const auto add = [&](const std::string& address, const std::string& service, int descriptor)
    {
        auto& listener = all.emplace_back();
        listener.address = address;
        listener.service = service;
        listener.descriptor = descriptor;
        if (!address.starts_with("unix:")) listener.tls = tls(configuration);
    };
    const auto open = [&](const std::string& address, const std::string& service) { add(address, service, adopted.take(address)); };
    const auto ports = servicePorts(configuration);
    for (const auto& address : addresses(configuration))
    {
        open(socketAddress(address, configuration.integer("server.port")), {});
        for (const auto& [port, service] : ports) open(socketAddress(address, port), service);
    }
    if (const auto path = configuration.text("server.unixSocket"); !path.empty()) open("unix:" + path, {});
    for (const auto& [descriptor, address] : adopted.rest()) add(address, {}, descriptor);
    return all;
}

} // namespace portico::host::daemon
