#pragma once

#include "portico/Access.h"
#include "portico/Caller.h"

namespace portico::host::routing
{

/// The stage that answers whether the caller may: the scope of a key, then the permission. A route that names no permission is about the
/// caller's own things.
class Authorization
{
public:
    /// @throws Problem 403 `insufficient_scope`, `permission_denied`
    static void check(const Caller& caller, const Access& access);
};

} // namespace portico::host::routing
