#include "host/config/Catalog.h"

namespace portico::host::config
{

namespace
{

constexpr auto live = Applies::Live;
constexpr auto restart = Applies::Restart;

constexpr Setting serverSettings[] = {
    {"server.bind", Kind::List, "127.0.0.1,::1", restart,
     "Addresses to listen on. Default addresses that this machine lacks are left out; configured ones must exist."},
    {"server.port", Kind::Integer, "8080", restart, "TCP port on which every service answers by the name in the Host header.", 1, 65535},
    {"server.unixSocket", Kind::Path, "", restart,
     "Unix socket that serves HTTP too, for a reverse proxy on the same machine. Empty: none."},
    {"server.trustedProxies", Kind::List, "", restart,
     "Addresses or networks (10.0.0.0/8) of reverse proxies whose client data is trusted: Forwarded, else X-Forwarded-For, "
     "-Proto and -Host, and X-Request-Id. unix: proxies at server.unixSocket."},
    {"server.tls.certificateFile", Kind::Path, "", restart,
     "PEM file with the certificate and its chain. Set it together with server.tls.privateKeyFile to serve https instead of http. "
     "After a renewal, porticoctl config reload reads the files at these paths again; other paths need a restart."},
    {"server.tls.privateKeyFile", Kind::SecretFile, "", restart, "PEM file with the private key of the certificate."},
    {"server.pageOrigins", Kind::Origin, "", restart,
     "Further web origins that the pages of all services may send to and load pictures from, for example a bucket that browsers upload "
     "to. "
     "A server there can read the data that pages send."},
    {"server.frontDoor", Kind::Text, "", restart,
     "Answer of http://localhost: page (a list of the services, with links), the id of a service to redirect to, or "
     "off. "
     "Empty: page if every origin is plain http on this machine, else off."},
    {"server.frontDoorNote", Kind::Text, "", restart, "A sentence on that page. All users of this machine can read it."},
    {"server.drainSeconds", Kind::Seconds, "30", restart, "How long running requests may take to end when the daemon stops.", 0, 3600},
};

constexpr Setting serviceSettings[] = {
    {"services.<id>.enabled", Kind::Boolean, "true", live,
     "Whether the service runs. porticoctl enable and disable change it while serving."},
    {"services.<id>.origins", Kind::Origin, "", restart,
     "Web origins at which browsers reach the service; the first is the canonical one. Empty: http://<id>.localhost and the port."},
    {"services.<id>.port", Kind::Integer, "0", restart,
     "Another port of the listening addresses that serves only this service, for any Host header. 0: none.", 0, 65535},
    {"plugins.directories", Kind::List, "", restart,
     "Directories whose subdirectories are plugins. Empty: lib/portico/plugins of porticod's installation."},
    {"plugins.trustedKeys", Kind::Path, "", restart,
     "Directory of the public keys (*.pub) that may sign plugins; it is read each time that a plugin is loaded. Empty: "
     "trusted-keys.d beside the configuration file."},
    {"plugins.allowUnsigned", Kind::List, "", restart,
     "Ids of plugins that did not come with porticod and are loaded without a signature. A plugin whose files differ from its "
     "SHA256SUMS is never loaded."},
    {"plugins.resettable", Kind::List, "", live,
     "Ids of services whose data porticoctl dev reset deletes. For a plugin developer's daemon only."},
    {"plugins.override", Kind::List, "", restart,
     "Ids of services that came with porticod, for example crm, and may be replaced by a plugin from another directory. The plugin must be "
     "trusted like any other."},
    {"plugins.safeMode", Kind::Boolean, "false", restart,
     "Whether only the plugins that came with porticod are started; porticod --safe-mode does the same once."},
    {"plugins.unmap", Kind::Boolean, "true", restart, "Whether the code of a stopped plugin is removed from memory."},
    {"plugins.healthSeconds", Kind::Seconds, "10", restart, "Interval at which services report the health of their dependencies.", 1, 3600},
    {"plugins.healthAnswerSeconds", Kind::Seconds, "2", restart, "Maximum time for that report; without it the service is failing.", 1, 60},
};

constexpr Setting httpSettings[] = {
    {"http.loops", Kind::Integer, "0", restart, "Event loops that own the connections. 0: one for each processor.", 0, 256},
    {"http.workers", Kind::Integer, "0", restart, "Threads that run handlers. 0: two for each processor, at least 4.", 0, 1024},
    {"http.heavyWorkers", Kind::Integer, "0", restart,
     "Separate threads for password hashing and similar work, so that sign-ins cannot block other requests. 0: one for two processors.", 0,
     256},
    {"http.longWorkers", Kind::Integer, "0", restart,
     "Separate threads for requests that take seconds, such as imports. One tenant gets at most half of them. 0: one "
     "for two "
     "processors, at least 2.",
     0, 256},
    {"http.queue", Kind::Integer, "1024", restart, "Requests that may wait for a worker; one more is answered 503 with Retry-After.", 1,
     1000000},
    {"http.heavyQueue", Kind::Integer, "64", restart, "The same for the threads of http.heavyWorkers.", 1, 1000000},
    {"http.longQueue", Kind::Integer, "64", restart, "The same for the threads of http.longWorkers.", 1, 1000000},
    {"http.maxConnections", Kind::Integer, "20000", restart, "Open connections; one more is answered 503 and closed.", 1, 1000000},
    {"http.connectionsPerAddress", Kind::Integer, "1000", restart,
     "Open connections of one address; an IPv6 address is counted by its /64 network. Not counted: the addresses of this machine, and of "
     "the proxies in "
     "server.trustedProxies, which forward for many clients. 0: any number.",
     0, 1000000},
    {"http.bodyMemoryBytes", Kind::Bytes, "256M", restart,
     "Memory for all request bodies together. A body above it is answered 503 with Retry-After, and uploads are written to "
     "http.spoolDirectory sooner. Requests without credentials may use half of it.",
     1048576, 1099511627776},
    {"http.requestsPerConnection", Kind::Integer, "0", restart, "Requests after which a connection is closed. 0: any number.", 0,
     1000000000},
    {"http.headBytes", Kind::Bytes, "32K", restart, "Size of a request line with its headers.", 1024, 1048576},
    {"http.targetBytes", Kind::Bytes, "8K", restart, "Size of the path and query of a request.", 256, 1048576},
    {"http.headers", Kind::Integer, "100", restart, "Number of headers in a request.", 8, 10000},
    {"http.headSeconds", Kind::Seconds, "15", restart, "Time to send a request head, and for a TLS handshake.", 1, 3600},
    {"http.bodySeconds", Kind::Seconds, "30", restart, "Longest pause within a request body.", 1, 3600},
    {"http.bodyBytesPerSecond", Kind::Bytes, "500", restart, "Minimum average speed of a request body that takes longer. 0: any.", 0,
     1048576},
    {"http.idleSeconds", Kind::Seconds, "75", restart, "How long a connection without a request stays open.", 1, 86400},
    {"http.writeSeconds", Kind::Seconds, "30", restart,
     "Time after which the speed of a client that receives a response is checked; a client that receives nothing is disconnected.", 1,
     86400},
    {"http.writeBytesPerSecond", Kind::Bytes, "1000", restart,
     "Minimum average speed from then on, by acknowledged bytes. These extend the time at this speed, by at most "
     "the time of 64 KiB. 0: any speed.",
     0, 1048576},
    {"http.streamBeatSeconds", Kind::Seconds, "20", restart,
     "Silence after which an event stream sends a comment, so that proxies and clients keep it open.", 1, 3600},
    {"http.streamCheckSeconds", Kind::Seconds, "60", restart,
     "Interval at which credential and permission of an event stream's client are checked again.", 1, 3600},
    {"http.totalSeconds", Kind::Seconds, "3600", restart,
     "Time from the head of a request to the last byte of its response. Event streams last longer.", 1, 86400},
    {"http.compression", Kind::Boolean, "true", restart, "Whether text is compressed for clients that accept it."},
    {"http.spoolDirectory", Kind::Path, "", restart,
     "Directory for uploads that do not fit into memory. Empty: spool in the state directory."},
    {"http.cursorKeyFile", Kind::SecretFile, "", restart,
     "File with the secret that signs the cursors of lists and seals the answers kept for Idempotency-Keys; hosts behind one load balancer "
     "share it. Empty: one is made in the state directory."},
    {"http.strictTransportSeconds", Kind::Seconds, "31536000", restart, "max-age of Strict-Transport-Security under TLS. 0: none is sent.",
     0, 315360000},
};

constexpr Setting limitSettings[] = {
    {"limits.rates", Kind::Choice, "on", restart, "Request rate limits. off is for load tests only.", 0, unbounded, "on|off"},
    {"limits.requestsPerMinute", Kind::Integer, "600", restart, "Requests of one user or key a minute; a key may have another limit.", 1,
     10000000},
    {"limits.anonymousRequestsPerMinute", Kind::Integer, "600", restart, "Requests of one address without credentials a minute.", 1,
     10000000},
    {"limits.streamsPerCaller", Kind::Integer, "20", restart,
     "Open event streams of one user or key; one more is answered 429. 0: any number.", 0, 1000000},
    {"limits.streamsPerAddress", Kind::Integer, "200", restart, "The same for one address without credentials.", 0, 1000000},
    {"limits.streamsPerOrigin", Kind::Integer, "2000", restart,
     "The same for the pages of one other web origin without credentials, in one service.", 0, 1000000},
    {"limits.jsonBytes", Kind::Bytes, "256K", restart, "Size of a JSON body, unless the route has another limit.", 1024, 67108864},
    {"limits.uploadBytes", Kind::Bytes, "64M", restart, "Size of an upload, unless the route has another limit.", 1024, 107374182400},
};

constexpr Setting databaseSettings[] = {
    {"database.url", Kind::Database, "sqlite:", restart,
     "Database of the services: sqlite: (one file for each service in the state directory), sqlite:DIRECTORY, or "
     "postgresql://user@host:port/database (one schema for each service)."},
    {"database.passwordFile", Kind::SecretFile, "", restart, "File with the password of the PostgreSQL user."},
    {"database.pooler", Kind::Choice, "session", restart,
     "PostgreSQL: how long a pooler at database.url lends a session of the server: session, as long as a connection is open (also "
     "without a pooler), or transaction.",
     0, unbounded, "session|transaction"},
    {"database.directUrl", Kind::Database, "", restart,
     "With database.pooler = transaction: PostgreSQL itself, in the form of database.url, for notifications between hosts and for backups. "
     "Without it a host polls for the work of other hosts every two seconds, and backups are refused."},
    {"database.readers", Kind::Integer, "4", restart, "SQLite: concurrent reading sessions of a service; one more writes.", 1, 64},
    {"database.connections", Kind::Integer, "16", restart, "PostgreSQL: maximum connections of one service.", 1, 1000},
    {"database.connectSeconds", Kind::Seconds, "3", restart, "PostgreSQL: how long a connection may take to open.", 2, 60},
    {"database.statementSeconds", Kind::Seconds, "30", restart,
     "How long a statement may run before its request gets 503; migrations are exempt.", 1, 3600},
    {"database.waitMilliseconds", Kind::Integer, "2000", restart, "How long a request waits for a free session before it gets 503.", 1,
     60000},
    {"database.lockMilliseconds", Kind::Integer, "2000", restart,
     "How long a statement waits for the lock of another before its request gets 503.", 1, 60000},
};

constexpr Setting storageSettings[] = {
    {"blobs.quotaBytes", Kind::Bytes, "10G", restart, "Maximum size of all files of one organization in one service."},
    {"blobs.store", Kind::Choice, "files", restart,
     "Storage of the services' files: files in the state directory, or s3, a bucket that several hosts share.", 0, unbounded, "files|s3"},
    {"blobs.s3.endpoint", Kind::Text, "", restart,
     "URL of the S3 service, without bucket and path: https://s3.eu-central-1.amazonaws.com. Required with blobs.store = s3."},
    {"blobs.s3.publicEndpoint", Kind::Text, "", restart,
     "URL at which browsers and other clients reach the S3 service. With it, downloads are answered by a redirect to the bucket, and pages "
     "upload to it. Empty: all bytes pass through this host."},
    {"blobs.s3.region", Kind::Text, "us-east-1", restart, "Region that requests are signed for."},
    {"blobs.s3.bucket", Kind::Text, "", restart, "Name of the bucket, which must exist. Required with blobs.store = s3."},
    {"blobs.s3.prefix", Kind::Text, "", restart,
     "Beginning of the name of every object, such as portico/. Empty: the bucket contains nothing else."},
    {"blobs.s3.addressing", Kind::Choice, "path", restart,
     "Whether URLs name the bucket in their path (https://host/bucket/object) or as the first label of the host name.", 0, unbounded,
     "path|host"},
    {"blobs.s3.accessKeyFile", Kind::SecretFile, "", restart,
     "File with the access key: its id in the first line, its secret in the second. Required with blobs.store = s3."},
    {"blobs.s3.timeoutSeconds", Kind::Seconds, "10", restart,
     "How long the bucket may take to answer; a body has a second more for each 512 KiB.", 1, 300},
    {"state.store", Kind::Choice, "memory", restart,
     "Storage of short-lived values (counters of failed sign-ins, one-time codes): memory of this host, or "
     "redis, for hosts behind one load balancer.",
     0, unbounded, "memory|redis"},
    {"state.limitBytes", Kind::Bytes, "64M", restart, "Memory for the short-lived values of one service, with state.store = memory.",
     1048576},
    {"state.redis.url", Kind::Text, "redis://127.0.0.1:6379/0", restart,
     "Redis in the form redis://user@host:port/database; user, port and database may be left out. The server must not evict keys "
     "(maxmemory-policy noeviction)."},
    {"state.redis.passwordFile", Kind::SecretFile, "", restart, "File with the password for Redis. Empty: no sign-in."},
    {"state.redis.prefix", Kind::Text, "portico", restart,
     "Beginning of every key in Redis. Hosts that work together use the same; other hosts on one Redis need another."},
    {"state.redis.connections", Kind::Integer, "8", restart, "Maximum connections of this host to Redis.", 1, 1000},
    {"state.redis.timeoutMilliseconds", Kind::Integer, "1000", restart,
     "How long Redis may take to accept a connection and to answer before the request gets 503.", 10, 60000},
};

constexpr Setting backgroundSettings[] = {
    {"jobs.threads", Kind::Integer, "4", restart, "Threads that run the jobs of services and deliver events to them.", 1, 256},
    {"jobs.networkThreads", Kind::Integer, "4", restart, "Threads that wait for other servers: mail and webhooks.", 1, 256},
    {"jobs.serverThreads", Kind::Integer, "8", restart,
     "Threads for jobs of services that wait for other servers, such as publishing posts.", 1, 256},
    {"jobs.leaseSeconds", Kind::Seconds, "60", restart, "After this time without a sign of life a job is given to another host.", 5, 3600},
    {"helpers.processes", Kind::Integer, "2", restart,
     "Concurrent helper processes of all services, for example for thumbnails; further work waits.", 1, 64},
    {"events.keepHours", Kind::Integer, "168", restart, "How long delivered events are kept.", 1, 8760},
};

constexpr Setting mailSettings[] = {
    {"mail.from", Kind::Text, "Portico <noreply@localhost>", restart, "Sender of every mail."},
    {"mail.senders", Kind::List, "", restart,
     "Addresses (billing@example.org) and domains (@example.org) that services may send mail from instead. Empty: none."},
    {"mail.server", Kind::Text, "", restart, "Host name of the mail server. Empty: each mail becomes a file in mail.directory."},
    {"mail.port", Kind::Integer, "587", restart, "Its port.", 1, 65535},
    {"mail.security", Kind::Choice, "starttls", restart, "How the connection is protected.", 0, unbounded, "none|starttls|tls"},
    {"mail.user", Kind::Text, "", restart, "Name to sign in with. Empty: no sign-in."},
    {"mail.passwordFile", Kind::SecretFile, "", restart, "File with the password for it."},
    {"mail.certificateAuthorities", Kind::Path, "", restart, "PEM file or directory of certificates to trust beside those of the system."},
    {"mail.directory", Kind::Path, "", restart, "Directory for mails without a server. Empty: mail in the state directory."},
};

constexpr Setting outboundSettings[] = {
    {"outbound.allowedNetworks", Kind::List, "", restart,
     "Networks (10.1.0.0/16) that services may connect to in addition to public ones; other loopback and private networks are blocked."},
    {"outbound.allowedAddresses", Kind::List, "", restart,
     "Single addresses with a port (127.0.0.1:8087) that services may connect to in addition to those networks and public ones."},
    {"outbound.certificateAuthorities", Kind::Path, "", restart,
     "PEM file or directory of certificates to trust beside those of the system."},
    {"outbound.connectSeconds", Kind::Seconds, "5", restart, "How long opening a connection may take.", 1, 300},
};

constexpr Setting operationSettings[] = {
    {"log.level", Kind::Choice, "information", live, "Lowest level that is logged.", 0, unbounded, "debug|information|warning|error"},
    {"log.format", Kind::Choice, "text", restart, "Lines for people, or one JSON object a line.", 0, unbounded, "text|json"},
    {"log.file", Kind::Path, "", restart,
     "File to append the log to; a reload of the configuration reopens it, for example after logrotate has moved it. Empty: standard "
     "error, "
     "which journald records. The packaged unit allows files below /var/log/portico and /var/lib/portico."},
    {"log.access", Kind::Boolean, "false", restart, "Whether each request is logged."},
    {"control.socket", Kind::Path, "", restart,
     "Socket on which porticoctl reaches the daemon. Empty: control.sock in RUNTIME_DIRECTORY (packaged: /run/portico), else in the state "
     "directory."},
    {"admin.console", Kind::Text, "admin", restart,
     "The service whose pages let operators inspect the host and reload, enable and disable services; it must have come with the host. "
     "The newest log records and the load of the last hour are kept in memory for it, in 5 MiB at most. off: no console; use "
     "porticoctl."},
    {"metrics.seriesLimit", Kind::Integer, "1000", restart, "Maximum sets of labels of one metric.", 10, 1000000},
    {"metrics.listen", Kind::Text, "", restart, "Address and port (127.0.0.1:9464) that serve /metrics for Prometheus. Empty: not served."},
};

constexpr Setting tracingSettings[] = {
    {"tracing.endpoint", Kind::Text, "", restart,
     "URL of a collector of spans by OTLP over HTTP (http://127.0.0.1:4318); without a path, /v1/traces. Empty: nothing is "
     "recorded, and the traceparent of a request is only passed on."},
    {"tracing.sampleOneIn", Kind::Integer, "1", restart,
     "One of this many requests without a traceparent is recorded. 0: none. Requests with one are recorded if it is sampled.", 0,
     1000000000},
    {"tracing.headersFile", Kind::SecretFile, "", restart,
     "File with headers for the collector, one a line: Authorization: Bearer SECRET."},
};

constexpr SettingGroup groups[] = {
    {"Listening", serverSettings},
    {"Services and plugins", serviceSettings},
    {"HTTP", httpSettings},
    {"Limits", limitSettings},
    {"Database", databaseSettings},
    {"Storage", storageSettings},
    {"Background work", backgroundSettings},
    {"Mail", mailSettings},
    {"Outgoing requests", outboundSettings},
    {"Operation", operationSettings},
    {"Tracing", tracingSettings},
};

} // namespace

std::span<const SettingGroup> settingGroups() noexcept { return groups; }

} // namespace portico::host::config
