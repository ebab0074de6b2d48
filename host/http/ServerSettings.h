#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace portico::host::http
{

/// Certificate of a listener, as PEM files. Both are read again by `Server::reloadCertificates`.
struct TlsSettings
{
    /// The server's certificate first, then the intermediate ones.
    std::string certificateChainFile;
    /// Must not be encrypted: a daemon has no user to ask for a passphrase.
    std::string privateKeyFile;
};

/// One place where the server accepts connections.
struct ListenerSettings
{
    /// `127.0.0.1:8080`, `[::]:443`, `localhost:0` (any free port) or `unix:/run/portico/http.sock`. Ignored when `descriptor` is given.
    std::string address{};
    /// A listening socket that another process has bound (systemd's `LISTEN_FDS`); the server owns it from then on. -1: bind `address`.
    int descriptor = -1;
    /// The service that every request of this listener is for; empty: the Host header decides.
    std::string service{};
    std::optional<TlsSettings> tls{};
    int backlog = 1024;
};

/// The operator's settings of the HTTP server. Sizes are in bytes. A time of zero means no limit.
struct ServerSettings
{
    /// Event loops; 0: one a core.
    unsigned loops = 0;
    /// Threads that run handlers; 0: twice the cores, at least 4.
    unsigned workers = 0;
    /// Threads of the lane for password hashing and the like; 0: half the cores, at least 1.
    unsigned heavyWorkers = 0;
    /// Threads of the lane for work that lasts seconds; 0: half the cores, at least 2. One tenant gets at most half of them.
    unsigned longWorkers = 0;
    /// Requests that may wait for a worker; one more is answered 503 `overloaded`.
    std::size_t workerQueue = 1024;
    std::size_t heavyQueue = 64;
    std::size_t longQueue = 64;

    /// Connections at once; one more is answered 503 `overloaded` and closed.
    std::size_t maxConnections = 20'000;
    /// The same for one address, an IPv6 one with its /64 network; 0: any number.
    std::size_t connectionsPerAddress = 1000;
    /// Addresses of peers that may forward for many clients: their connections are not counted. Trusted proxies are not counted either.
    std::vector<std::string> uncountedPeers{"127.0.0.0/8", "::1"};
    /// Requests that one connection may make before it is closed; 0: any number.
    std::uint64_t maxRequestsPerConnection = 0;

    /// Request line and headers together (431), the target alone (414), number of headers (431).
    std::size_t headBytes = 32 * 1024;
    std::size_t targetBytes = 8 * 1024;
    std::size_t headerCount = 100;
    /// Body limit of an admission that does not say its own (413).
    std::uint64_t bodyBytes = 1024 * 1024;
    /// A body that the handler does not read is read and dropped up to this size, so that the connection can be reused. Above it the
    /// connection is closed.
    std::uint64_t drainBytes = 64 * 1024;
    /// Limit of all bodies in memory together. A body above it is answered 503 `overloaded`; an upload goes to its file instead. Requests
    /// without an authenticated caller may use half of it.
    std::uint64_t bodyMemoryBytes = 256ULL * 1024 * 1024;
    /// Uploads above this size go to an unlinked file in `spoolDirectory`.
    std::size_t spoolThreshold = 64 * 1024;
    std::string spoolDirectory = "/tmp";

    /// Between two requests of a connection.
    std::chrono::milliseconds idleTimeout{75'000};
    /// From the first byte of a head to its last (408), and for a TLS handshake.
    std::chrono::milliseconds headTimeout{15'000};
    /// Longest pause within a body (408).
    std::chrono::milliseconds bodyTimeout{30'000};
    /// A body must come faster than this on average (408), in bytes a second, once `bodyTimeout` has passed; 0: any pace.
    std::uint64_t bodyMinimumRate = 500;
    /// Time after which it is looked at how much of the response a client has taken.
    std::chrono::milliseconds writeTimeout{30'000};
    /// Minimum bytes per second that the client must acknowledge within `writeTimeout`. Acknowledged bytes extend the deadline, by at most
    /// the time of 64 KiB, since TCP may acknowledge in such steps. 0: any progress is enough.
    std::uint64_t writeMinimumRate = 1000;
    /// Limits for reading and dropping input after the last response on a connection, so that the client receives the response instead of a
    /// reset: total time, pause, bytes, and number of such connections.
    std::chrono::milliseconds lingerTime{30'000};
    std::chrono::milliseconds lingerPause{5'000};
    std::uint64_t lingerBytes = 256ULL * 1024 * 1024;
    std::size_t maxLingering = 1024;
    /// A live body sends a heartbeat after this silence. The client must have received the previous one by then.
    std::chrono::milliseconds streamBeat{20'000};
    /// Time after which it is asked again whether the reader of a live body may read.
    std::chrono::milliseconds streamCheck{60'000};
    /// From the end of the head to the last byte of the response, whatever happens; live bodies last longer.
    std::chrono::milliseconds totalTimeout{3'600'000};

    /// Compress text of at least `compressionBytes` with brotli or gzip when the client accepts it.
    bool compression = true;
    std::size_t compressionBytes = 1024;

    /// Peers whose `Forwarded`, `X-Forwarded-*` and `X-Request-Id` are trusted: `10.0.0.0/8`, `::1`, or `unix` for peers of Unix sockets.
    /// Such a proxy must set or append these headers itself, never only pass on those of a client.
    std::vector<std::string> trustedProxies;
    /// `max-age` of Strict-Transport-Security on answers under TLS; zero sends none.
    std::chrono::seconds strictTransportSecurity{31'536'000};
};

} // namespace portico::host::http
