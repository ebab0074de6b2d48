#pragma once

#include "portico/Request.h"
#include "portico/Response.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string_view>

namespace portico::host::http
{

/// How the server receives a request's body before the handler runs.
enum class BodyMode : std::uint8_t
{
    None,   ///< A body is refused by length or read and dropped; `Request::body` is empty.
    Memory, ///< Whole, in `Request::body`.
    File    ///< Whole, in `Request::file`: small ones in memory, larger ones in an unlinked temporary file.
};

/// Where `Application::handle` runs.
enum class Lane : std::uint8_t
{
    Loop,   ///< On the connection's event loop: only for work that never blocks.
    Worker, ///< On the bounded pool of workers.
    Heavy   ///< On the small pool for password hashing and the like.
};

/// What the application wants done with a request whose head has been read.
struct Admission
{
    BodyMode body = BodyMode::None;
    std::uint64_t bodyLimit = 0;
    Lane lane = Lane::Worker;
    /// The response is filled already: no `prepare`, no `handle`. The body that may follow is drained or the connection closed.
    bool answered = false;
    /// Run `prepare` on a worker before the body is asked for (`100 Continue`) or read.
    bool prepareFirst = false;
};

/// What the application keeps with a request from `admit` to `finished`: the lease, the route, what the access log needs.
class ExchangeState
{
public:
    virtual ~ExchangeState() = default;
};

/// One request and its response on one connection.
struct Exchange
{
    Request request;
    Response response;
    std::unique_ptr<ExchangeState> state;

    /// As received: the value of Host (or the authority of an absolute target), lower-case, without a default port.
    std::string_view host;
    /// Service that the listener is bound to (a per-service port), or empty: the Host header decides.
    std::string_view listenerService;
    /// Peer address as the kernel tells; `request.clientAddress` is the one after trusted proxies.
    std::string_view peerAddress;
    std::chrono::steady_clock::time_point started{};
    std::uint64_t bodyBytes = 0;
    std::uint64_t sentBytes = 0;
    /// Set by the server before `finished`: the client got the whole response.
    bool delivered = false;
};

/// What the HTTP server serves. Calls for one exchange come one after another, on whichever thread; calls for different exchanges come at
/// once. None of them throws.
class Application
{
public:
    virtual ~Application() = default;

    /// On the connection's loop, once the head is complete and strict: must not block.
    virtual Admission admit(Exchange& exchange) noexcept = 0;
    /// On a worker, only if asked for; false: the response is filled and the body is not wanted.
    virtual bool prepare(Exchange& exchange) noexcept = 0;
    /// On the admission's lane, once the body is complete.
    virtual void handle(Exchange& exchange) noexcept = 0;
    /// Fills the response for a request that the server itself refuses (400, 408, 413, 414, 417, 431, 501, 503, 505). `request` may be
    /// incomplete.
    virtual void refuse(Exchange& exchange, int status, std::string_view code, std::string_view detail) noexcept = 0;
    /// On any thread, after the last byte was sent or the connection was lost; the response's source is destroyed before.
    virtual void finished(Exchange& exchange) noexcept = 0;
};

} // namespace portico::host::http
