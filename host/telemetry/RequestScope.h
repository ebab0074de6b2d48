#pragma once

#include <string_view>

namespace portico::host::plugins
{

/// Says which request the current thread works for, so that every line a plugin logs meanwhile carries its id, and a crash its route, too.
/// The texts must outlive the scope; scopes nest.
class RequestScope
{
public:
    /// `route` is looked at when somebody asks: it may be found later. May be null.
    explicit RequestScope(std::string_view requestId, const std::string_view* route = nullptr) noexcept;
    RequestScope(const RequestScope&) = delete;
    RequestScope& operator=(const RequestScope&) = delete;
    ~RequestScope();
    /// Empty outside of all scopes.
    static std::string_view currentId() noexcept;
    /// Empty outside of all scopes, and before the route is found.
    static std::string_view currentRoute() noexcept;

private:
    const std::string_view _outer;
    const std::string_view* const _outerRoute;
};

} // namespace portico::host::plugins
