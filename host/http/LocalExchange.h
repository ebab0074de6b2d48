#pragma once

#include "host/http/Application.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico::host::http
{

/// A request that this process sends to itself. Views live during the call.
struct LocalRequest
{
    Method method = Method::Get;
    /// The service whose route is called.
    std::string_view service;
    /// The value that a Host header would have.
    std::string_view host;
    bool secure = false;
    /// Percent-encoded path, and query without `?`.
    std::string_view path;
    std::string_view query;
    const std::vector<std::pair<std::string, std::string>>& headers;
    std::string_view body;
    std::string_view clientAddress;
    /// A longer response body is cut off and reported.
    std::uint64_t maxResponseBytes = 0;
};

struct LocalResponse
{
    enum class End : std::uint8_t
    {
        Whole,
        TooLarge,
        Broken ///< a body that could not be read to its end, or a stream without one
    };
    End end = End::Whole;
    int status = 0;
    std::vector<std::pair<std::string, std::string>> headers;
    std::string body;
};

/// Passes a request through the application on the calling thread: admission, preparation, handler, body. There is no connection: no
/// content coding, ranges or conditional requests. @throws std::bad_alloc
LocalResponse callLocally(Application& application, const LocalRequest& request);

} // namespace portico::host::http
