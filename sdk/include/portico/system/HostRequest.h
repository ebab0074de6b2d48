#pragma once

#include "portico/Request.h"

#include <string>
#include <string_view>

namespace portico::system
{

/// A request as the host fills it before a handler sees it.
class PORTICO_API HostRequest : public Request
{
public:
    /// Key that signs cursors. Lives as long as the request.
    void signCursorsWith(std::string_view key) noexcept { _cursorKey = key; }
    /// The route's method and pattern, which cursors are bound to. Lives as long as the request.
    void setRoute(std::string_view route) noexcept { _route = route; }
    std::string_view route() const noexcept { return _route; }

    /// @throws std::length_error beyond `maxPathParameters`
    void addPathParameter(std::string value);
    void dropPathParameters() noexcept { _pathParameterCount = 0; }

    /// Returns to the state of a new request and keeps the memory.
    void clear();
};

} // namespace portico::system
