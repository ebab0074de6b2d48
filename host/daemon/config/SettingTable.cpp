#include "host/daemon/config/Setting.h"

namespace portico::host::config
{

namespace
{

constexpr auto live = Applies::Live;
constexpr auto restart = Applies::Restart;

constexpr Setting serverSettings[] = {
    {"server.bind", Kind::List, "127.0.0.1,::1", restart,
     "Addresses to listen on. An address of the default that this machine lacks is left out; one that is set here must be there."},
    {"server.port", Kind::Integer, "8080", restart, "TCP port on which every service answers by the name in the Host header.", 1, 65535},
    {"server.unixSocket", Kind::Path, "", restart,
     "Unix socket that serves HTTP too, for a reverse proxy on the same machine. Empty: none."},
    {"server.trustedProxies", Kind::List, "", restart,
     "Addresses or networks (10.0.0.0/8) of reverse proxies whose X-Forwarded-For, X-Forwarded-Proto and X-Request-Id are believed."},
    {"server.tls.certificateFile", Kind::Path, "", live,
     "PEM file with the certificate and its chain. Set it together with server.tls.privateKeyFile to serve https instead of http."},
    {"server.tls.privateKeyFile", Kind::SecretFile, "", live, "PEM file with the private key of the certificate."},
    {"server.drainSeconds", Kind::Seconds, "30", restart, "How long running requests may take to end when the daemon stops.", 0, 3600},
};

constexpr Setting serviceSettings[] = {
    {"services.<id>.enabled", Kind::Boolean, "true", live,
     "Whether the service runs. porticoctl enable and disable change it while serving."},
    {"services.<id>.origins", Kind::Origin, "", restart,
     "Web origins at which browsers reach the service; the first is the canonical one. Empty: http://<id>.localhost and the port."},
    {"services.<id>.port", Kind::Integer, "0", restart,
     "A further port of the listening addresses that serves this one, whatever the Host header says. 0: none.", 0, 65535},
    {"plugins.directories", Kind::List, "", restart,
     "Directories whose subdirectories are plugins. Empty: lib/portico/plugins of the place where porticod is installed."},
    {"plugins.unmap", Kind::Boolean, "true", restart, "Whether the code of a stopped plugin is removed from memory."},
};

constexpr Setting httpSettings[] = {
    {"http.loops", Kind::Integer, "0", restart, "Event loops that own the connections. 0: one for each processor.", 0, 256},
    {"http.workers", Kind::Integer, "0", restart, "Threads that run handlers. 0: chosen by the number of processors.", 0, 1024},
    {"http.heavyWorkers", Kind::Integer, "0", restart,
     "Threads for password hashing and the like, apart from the others so that logins cannot starve them. 0: chosen by the number of "
     "processors.",
     0, 256},
    {"http.queue", Kind::Integer, "1024", restart, "Requests that may wait for a worker; more are answered 503 with Retry-After.", 1,
     1000000},
    {"http.maxConnections", Kind::Integer, "20000", restart, "Open connections; more are refused.", 1, 1000000},
    {"http.maxHeadBytes", Kind::Bytes, "32K", restart, "Size of a request line with its headers.", 1024, 1048576},
    {"http.maxHeaders", Kind::Integer, "100", restart, "Number of headers in a request.", 8, 10000},
    {"http.headSeconds", Kind::Seconds, "10", restart, "Time to send a request head.", 1, 3600},
    {"http.bodySeconds", Kind::Seconds, "300", restart, "Time to send a request body.", 1, 86400},
    {"http.idleSeconds", Kind::Seconds, "75", restart, "How long a connection without a request stays open.", 1, 86400},
    {"http.writeSeconds", Kind::Seconds, "60", restart, "How long a client may take no data of a response.", 1, 86400},
    {"http.totalSeconds", Kind::Seconds, "900", restart, "Time from the first byte of a request to the last of its response.", 1, 86400},
};

constexpr Setting limitSettings[] = {
    {"limits.rates", Kind::Choice, "on", restart, "Request rate limits. off is for load tests only.", 0, unbounded, "on|off"},
    {"limits.requestsPerMinute", Kind::Integer, "600", restart, "Requests of one user or key a minute; a key may have a limit of its own.",
     1, 10000000},
    {"limits.anonymousRequestsPerMinute", Kind::Integer, "600", restart, "Requests of one address without credentials a minute.", 1,
     10000000},
    {"limits.jsonBytes", Kind::Bytes, "256K", restart, "Size of a JSON body where a route does not say its own.", 1024, 67108864},
    {"limits.uploadBytes", Kind::Bytes, "64M", restart, "Size of an upload where a route does not say its own.", 1024, 107374182400},
};

constexpr Setting databaseSettings[] = {
    {"database.url", Kind::Database, "sqlite:", restart,
     "Where the services keep their data: sqlite: (one file for each service in the state directory), sqlite:DIRECTORY, or "
     "postgresql://user@host:port/database (one schema for each service)."},
    {"database.passwordFile", Kind::SecretFile, "", restart, "File with the password of the PostgreSQL user."},
    {"database.readers", Kind::Integer, "4", restart, "SQLite: sessions of a service that read at the same time; beside them one writes.",
     1, 64},
    {"database.connections", Kind::Integer, "16", restart, "PostgreSQL: connections of one service, at most.", 1, 1000},
    {"database.connectSeconds", Kind::Seconds, "3", restart, "PostgreSQL: how long a connection may take to open.", 2, 60},
    {"database.statementSeconds", Kind::Seconds, "30", restart, "PostgreSQL: how long a statement may run; migrations are exempt.", 1,
     3600},
    {"database.waitMilliseconds", Kind::Integer, "2000", restart, "How long a request waits for a free session before it gets 503.", 1,
     60000},
    {"database.lockMilliseconds", Kind::Integer, "2000", restart,
     "How long a statement waits for the lock of another before its request gets 503.", 1, 60000},
};

constexpr Setting storageSettings[] = {
    {"blobs.directory", Kind::Path, "", restart, "Where uploaded files are kept. Empty: blobs in the state directory."},
    {"blobs.quotaBytes", Kind::Bytes, "10G", restart, "Room for the files of one organization in one service."},
};

constexpr Setting mailSettings[] = {
    {"mail.transport", Kind::Choice, "file", restart, "file writes each mail into a directory; smtp sends it.", 0, unbounded, "file|smtp"},
    {"mail.directory", Kind::Path, "", restart, "Directory of the transport file. Empty: mail in the state directory."},
    {"mail.from", Kind::Text, "Portico <no-reply@localhost>", restart, "Sender of every mail."},
    {"mail.smtp.host", Kind::Text, "127.0.0.1", restart, "Mail server of the transport smtp."},
    {"mail.smtp.port", Kind::Integer, "25", restart, "Its port.", 1, 65535},
    {"mail.smtp.security", Kind::Choice, "starttls", restart, "How the connection is protected.", 0, unbounded, "none|starttls|tls"},
    {"mail.smtp.user", Kind::Text, "", restart, "Name to sign in with. Empty: no sign-in."},
    {"mail.smtp.passwordFile", Kind::SecretFile, "", restart, "File with the password for it."},
};

constexpr Setting outboundSettings[] = {
    {"outbound.timeoutSeconds", Kind::Seconds, "10", restart, "Time for a request that a service sends.", 1, 300},
    {"outbound.maxBytes", Kind::Bytes, "8M", restart, "Size of an answer to it."},
    {"outbound.allowPrivate", Kind::List, "", restart,
     "Private addresses or networks that services may reach nevertheless; loopback and private networks are refused otherwise."},
};

constexpr Setting operationSettings[] = {
    {"log.level", Kind::Choice, "information", live, "The least that is logged.", 0, unbounded, "debug|information|warning|error"},
    {"log.format", Kind::Choice, "text", restart, "Lines for people, or one JSON object a line.", 0, unbounded, "text|json"},
    {"log.file", Kind::Path, "", restart, "File to append the log to. Empty: standard error, which journald takes."},
    {"log.access", Kind::Boolean, "false", live, "Whether each request is logged."},
    {"control.socket", Kind::Path, "", restart,
     "Socket on which porticoctl reaches the daemon. Empty: control.sock in the state directory."},
    {"metrics.listen", Kind::Text, "", restart, "Address and port (127.0.0.1:9464) that serve /metrics for Prometheus. Empty: nowhere."},
};

constexpr SettingGroup groups[] = {
    {"Listening", serverSettings},    {"Services and plugins", serviceSettings},
    {"HTTP", httpSettings},           {"Limits", limitSettings},
    {"Database", databaseSettings},   {"Files", storageSettings},
    {"Mail", mailSettings},           {"Outgoing requests", outboundSettings},
    {"Operation", operationSettings},
};

} // namespace

std::span<const SettingGroup> settingGroups() noexcept { return groups; }

} // namespace portico::host::config
