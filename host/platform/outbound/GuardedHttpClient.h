#pragma once

#include "host/platform/outbound/AddressPolicy.h"
#include "host/platform/outbound/HttpTarget.h"
#include "host/platform/outbound/Redirect.h"
#include "host/platform/outbound/SocketDeadlines.h"
#include "host/telemetry/TraceContext.h"

#include "portico/HttpClient.h"
#include "portico/Logger.h"

#include <Poco/Net/Context.h>
#include <Poco/Net/StreamSocket.h>

#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace portico::host::platform
{

/// For connections to other servers: TLS 1.2 or newer, with checks of the server's certificate and name.
/// @param certificateAuthorities file or folder of those to trust in addition to the system's; empty: none
Poco::Net::Context::Ptr tlsClientContext(const std::string& certificateAuthorities);

struct HttpClientSettings
{
    /// Networks that services may reach beside the public ones, as CIDR.
    std::vector<std::string> allowedNetworks;
    /// File or folder of certificates to trust beside those of the system; empty: none.
    std::string certificateAuthorities;
    std::string userAgent = "Portico";
    /// How long opening a connection may take, within the request's timeout.
    std::chrono::milliseconds connectTimeout{5'000};
    /// Single addresses with a port that services may reach, too: `127.0.0.1:8087`.
    std::vector<std::string> allowedAddresses = {};
    /// Log of refused addresses, which names the settings that allow them; null: none. Must outlive the client.
    Logger* log = nullptr;
};

/// Outbound HTTP/1.1 on POCO's sessions. A name is resolved once and every address must pass the AddressPolicy. The connection goes to one
/// of these addresses, so a second, different DNS answer changes nothing. Host, SNI and the certificate check use the name. Each hop of a
/// redirect is checked in the same way.
/// `Request::timeout` bounds the whole exchange except the name server's own time limit. The trace of the current thread is sent as
/// `traceparent` and `tracestate`, unless the request sets them. Thread-safe.
class GuardedHttpClient final : public HttpClient
{
public:
    /// Numeric addresses of a host name; may throw when there are none.
    using Resolver = std::function<std::vector<std::string>(const std::string& host)>;

    /// @throws std::invalid_argument for a network that is not a CIDR.
    explicit GuardedHttpClient(const HttpClientSettings& settings);
    GuardedHttpClient(const HttpClientSettings& settings, Resolver resolve);

    /// Headers that frame or route the message (Host, Content-Length, Connection, …) are the client's own. @throws std::invalid_argument
    /// for these and for a method or header that cannot be sent, beside what HttpClient says.
    Response send(const Request& request) override;
    void requireAllowed(std::string_view url) const override;
    bool isAllowedByOperator(std::string_view url) const override;
    /// Cuts every exchange, under way or still to come, as if its time were over: for the end of the host.
    void interrupt() { _deadlines.expireAll(); }

    // For HttpLoop, which sends under the same rules.

    /// Resolves a name and checks every address. Blocks unless `needsNoNameServer`. @throws HttpFailure
    std::vector<std::string> permittedAddresses(const std::string& host, std::uint16_t port) const;
    /// True for numeric addresses.
    static bool needsNoNameServer(const std::string& host);
    /// Made for the first request that needs it: the system's certificates take half a megabyte.
    Poco::Net::Context::Ptr tls() const;
    const HttpClientSettings& settings() const noexcept { return _settings; }

private:
    using Target = HttpTarget;
    struct Exchange;

    void requirePermitted(const std::string& host, std::uint16_t port, const std::vector<std::string>& addresses) const;
    Poco::Net::StreamSocket connect(const Target& target, SocketDeadlines::TimePoint deadline) const;
    Response follow(Exchange& exchange);
    Response sendTraced(const Target& target, const HttpHop& hop, Exchange& exchange);
    Response sendTo(const Target& target, const HttpHop& hop, const telemetry::TraceContext* trace, Exchange& exchange);

    const HttpClientSettings _settings;
    const AddressPolicy _policy;
    const Resolver _resolve;
    mutable std::once_flag _tlsMade;
    mutable Poco::Net::Context::Ptr _tls;
    SocketDeadlines _deadlines;
};

} // namespace portico::host::platform
