#pragma once

#include "portico/Export.h"
#include "portico/HttpClient.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace portico
{

/// One of several requests that are sent at the same time. A value.
struct Call
{
    /// Id of a service of this host. Its route at `request.url`, a path with an optional query, is called without a socket. Empty:
    /// `request.url` is an http or https URL of another server.
    std::string service;
    /// Method, URL, headers with the credential, body, timeout and size limit. Redirects are never followed. `bodyFile`, `bodyInto` and
    /// `maxRedirects` must stay unset.
    HttpClient::Request request;
    /// Address that a service of this host sees as the client's; normally `Request::clientAddress` of the user's request.
    std::string clientAddress;
};

/// Result of one call. A value.
struct PORTICO_API CallResult
{
    enum class Outcome : std::uint8_t
    {
        Responded,  ///< `response` contains status, headers and body, whatever the status is
        TimedOut,   ///< no complete response within the call's timeout
        NotReached, ///< no connection, no such service, TLS not trusted, or a service with too many waiting calls
        NotAllowed, ///< the URL or its address is not allowed (`outbound.allowedNetworks`)
        TooLarge,   ///< the body exceeds `maxResponseBytes`
        Failed      ///< a malformed or truncated response
    };
    Outcome outcome = Outcome::Failed;
    HttpClient::Response response;
    std::chrono::milliseconds took{0};

    bool responded() const noexcept { return outcome == Outcome::Responded; }
};

/// Sends many requests at the same time, to services of this host and to other servers, and waits for them with one deadline. Thread-safe.
///
/// Calls to a service of this host pass the whole pipeline (authentication, permission, validation) with the credential in their headers.
/// They run on separate threads, at most two for each called service, and are not counted by rate limits. Calls to other servers
/// run on an event loop without a thread each, under the address check of HttpClient.
class PORTICO_API Calls
{
public:
    /// Receives a result that arrived after the deadline, with the call's index. Runs on a thread of the host, concurrently with other
    /// results. Dropped when the plugin is replaced. Must not throw.
    using Late = std::function<void(std::size_t index, CallResult result)>;

    virtual ~Calls();
    /// Sends all calls and returns when all have a result, at `deadline` at the latest. A result is empty if its call is still under way;
    /// it is passed to `late` when it arrives, and dropped without one. Calls that have not begun by then are TimedOut.
    /// @param deadline counted from now; a call's own timeout is counted from its begin
    /// @param parallel number of calls under way at the same time, in their order; 0: all
    /// @throws std::invalid_argument for a call that cannot be sent: a header that belongs to the client, a body from or into a file
    virtual std::vector<std::optional<CallResult>> send(std::vector<Call> calls, std::chrono::milliseconds deadline, Late late,
                                                        std::size_t parallel = 0) = 0;
    /// Sends one call and waits for its result, at most for its timeout.
    CallResult send(Call call);
};

} // namespace portico
