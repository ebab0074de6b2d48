#pragma once

#include "host/base/IpAddress.h"

#include "portico/Request.h"

#include <string>
#include <string_view>
#include <vector>

namespace portico::host::http
{

/// Client data that trusted proxies reported. Empty members were not sent.
struct Forwarding
{
    /// An address in its usual form, whatever form the proxy gave it.
    std::string client;
    std::string_view host;
    std::string_view scheme;
};

/// Proxies that may report client data. Immutable, so any number of threads may use it.
class TrustedProxies
{
public:
    /// @param entries `10.0.0.0/8`, `::1`, `unix`. @throws std::invalid_argument that names a malformed entry.
    explicit TrustedProxies(const std::vector<std::string>& entries);

    /// @param peer Address as text, or `unix`.
    bool trusts(std::string_view peer) const noexcept;
    /// Reads `Forwarded` or, if there is none, `X-Forwarded-For`, `-Host` and `-Proto` of a request whose peer is trusted. The client is
    /// the last address of the chain that is not a trusted proxy: addresses before it may be forged.
    Forwarding read(const Request& request) const;

private:
    bool trustsAddress(const IpAddress& address) const noexcept;
    Forwarding readForwarded(std::string_view value) const;
    Forwarding readCustomary(const Request& request) const;

    std::vector<IpNetwork> _networks;
    bool _unixPeers = false;
};

} // namespace portico::host::http
