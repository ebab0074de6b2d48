#pragma once

#include "portico/Export.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico
{

/// Outbound HTTP with limits: addresses of our own networks are refused unless the operator allows them (checked after name resolution, on
/// the address that is connected to), redirects are not followed. Blocks. Thread-safe.
class PORTICO_API HttpClient
{
public:
    struct Request
    {
        std::string method = "GET";
        std::string url;
        std::vector<std::pair<std::string, std::string>> headers;
        std::string body;
        std::chrono::milliseconds timeout{10'000};
        std::uint64_t maxResponseBytes = 1'048'576;
    };
    struct Response
    {
        int status = 0;
        std::vector<std::pair<std::string, std::string>> headers;
        std::string body;
    };
    virtual ~HttpClient();
    /// @throws Problem 502 `upstream_failed` (connection, TLS, time, size) or 400 `address_not_allowed`.
    virtual Response send(const Request& request) = 0;
};

} // namespace portico
