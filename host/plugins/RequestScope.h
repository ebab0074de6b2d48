#pragma once

#include <string_view>

namespace portico::host::plugins
{

/// Says which request the current thread works for, so that every line a plugin logs meanwhile carries its id. The text must outlive the
/// scope; scopes nest.
class RequestScope
{
public:
    explicit RequestScope(std::string_view requestId) noexcept;
    RequestScope(const RequestScope&) = delete;
    RequestScope& operator=(const RequestScope&) = delete;
    ~RequestScope();
    /// Empty outside of all scopes.
    static std::string_view currentId() noexcept;

private:
    const std::string_view _outer;
};

} // namespace portico::host::plugins
