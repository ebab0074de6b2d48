#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico::host::platform
{

/// Destination of an outbound URL.
struct HttpTarget
{
    bool secure = false;
    std::string host;
    std::uint16_t port = 0;
    std::string pathAndQuery;
    std::vector<std::string> addresses;

    /// @throws HttpFailure 400 `address_not_allowed` for a URL that is not http or https, names no host or has credentials
    explicit HttpTarget(const std::string& url);
    /// Value of Host.
    std::string authority() const;
};

/// Rejects a method and headers that cannot be sent, and those that the client itself sets (Host, Content-Length, …).
/// @throws std::invalid_argument
void requireSendable(std::string_view method, const std::vector<std::pair<std::string, std::string>>& headers);

} // namespace portico::host::platform
