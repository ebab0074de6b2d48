#pragma once

#include "host/plugins/package/Manifest.h"

#include "portico/Access.h"
#include "portico/Caller.h"

namespace portico::host::routing
{

/// The stage that answers whether the caller may: the context of the service, the scope of a key, then the permission. A route that names
/// no permission is about the caller's own things.
class Authorization
{
public:
    /// `service` is the one that answers. @throws Problem 403 `service_access_denied`, `insufficient_scope`, `permission_denied`
    static void check(const Caller& caller, const Access& access, const plugins::Manifest& service);
};

} // namespace portico::host::routing
