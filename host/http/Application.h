#pragma once

#include "portico/Response.h"
#include "portico/system/HostRequest.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
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
    Heavy,  ///< On the small pool for password hashing and the like.
    Long    ///< On the small pool for what works for seconds. `prepare`, and what is read and written of bodies, is left to `Worker`.
};

/// The application's decision about a request whose head has been read.
struct Admission
{
    BodyMode body = BodyMode::None;
    /// 0: the server's default, `ServerSettings::bodyBytes` (`drainBytes` with `BodyMode::None`).
    std::uint64_t bodyLimit = 0;
    Lane lane = Lane::Worker;
    /// The response is filled already: no `prepare`, no `handle`. The body that may follow is drained or the connection closed.
    bool answered = false;
    /// Run `prepare` on a worker before the body is asked for (`100 Continue`) or read.
    bool prepareFirst = false;
    /// The application needs what it does not have yet: `fetch` and `resume` come before all else.
    bool waits = false;
};

/// Base of the application's data for a request, from `admit` to `finished`: the lease, the route, fields of the access log.
class ExchangeState
{
public:
    virtual ~ExchangeState() = default;
};

/// One request and its response on one connection.
struct Exchange
{
    system::HostRequest request;
    Response response;
    /// The server leaves it alone: one that stays after `finished` comes back with a later exchange, so that its memory can be used again.
    std::unique_ptr<ExchangeState> state;

    /// Host, the authority of an absolute target, or what a trusted proxy says that it was; lower-case, without a default port.
    std::string_view host;
    /// Service that the listener is bound to (a per-service port), or empty: the Host header decides.
    std::string_view listenerService;
    /// Peer address from the kernel; `request.clientAddress` is the address after trusted proxies.
    std::string_view peerAddress;
    /// Tenant of the work in `handle`, set by `admit` or `prepare`. One tenant gets at most half of the threads for `Lane::Long`. 0: no
    /// tenant.
    std::uint64_t tenant = 0;
    std::chrono::steady_clock::time_point started{};
    /// Length of the request's body from its head; nullopt for a chunked body, whose length is unknown.
    std::optional<std::uint64_t> announcedBytes = 0;
    /// Bytes of the request's body, decoded, and of the response on the wire, head included.
    std::uint64_t bodyBytes = 0;
    std::uint64_t sentBytes = 0;
    /// Set by the server before `finished`: the client got the whole response.
    bool delivered = false;
    /// The host calls itself on behalf of a request that limits have counted already.
    bool local = false;
};

/// The application behind the HTTP server. Calls for one exchange are sequential, on any thread; calls for different exchanges are
/// concurrent. No member throws.
class Application
{
public:
    virtual ~Application() = default;

    /// On the connection's loop, once the head is complete and strict: must not block.
    virtual Admission admit(Exchange& exchange) noexcept = 0;
    /// On the loop, where the admission waits: calls `ready` once, on any thread, when `resume` can follow.
    virtual void fetch(Exchange&, std::function<void()> ready) noexcept { ready(); }
    /// On the loop: completes the admission. Must not block.
    virtual void resume(Exchange&, Admission&) noexcept {}
    /// On the loop, for `Lane::Loop`; false: nothing was done, and `handle` is to run on a worker.
    virtual bool handleOnLoop(Exchange& exchange) noexcept
    {
        handle(exchange);
        return true;
    }
    /// On a worker, only if requested. Returns false if the response is filled and the body is not needed.
    virtual bool prepare(Exchange& exchange) noexcept = 0;
    /// On the admission's lane, once the body is complete.
    virtual void handle(Exchange& exchange) noexcept = 0;
    /// Fills the response, which is empty, for a request that the server itself refuses (400, 408, 413, 414, 416, 417, 431, 500, 501, 503,
    /// 505). `request` may be incomplete. It may follow `admit`, `prepare` or `handle`, or be the only call before `finished`.
    virtual void refuse(Exchange& exchange, int status, std::string_view code, std::string_view detail) noexcept = 0;
    /// Fills the response, which is empty, after the body could not be kept (a full disk): called on a worker while the exception that says
    /// why is being handled. `handle` does not follow.
    virtual void storingFailed(Exchange& exchange) noexcept { refuse(exchange, 500, "internal", {}); }
    /// Once for every exchange that was admitted or refused, on any thread, after the last byte was sent or the connection was lost; the
    /// response's source is destroyed before. Must not block.
    virtual void finished(Exchange& exchange) noexcept = 0;
};

} // namespace portico::host::http
