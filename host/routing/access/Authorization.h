#pragma once

#include "host/plugins/package/Manifest.h"

#include "portico/Access.h"
#include "portico/Request.h"

namespace portico::host::routing
{

/// The stage that answers whether the caller may: the context of the service, the scope of a key, the permission, then the resources that
/// the key is narrowed to. A route that names no permission is about the caller's own things.
/// @param service The one that answers. @param request Has its caller and path parameters.
/// @throws Problem 403 `service_access_denied`, `insufficient_scope`, `permission_denied`, `resource_not_bound`
void checkAccess(const Request& request, const Access& access, const plugins::Manifest& service);

} // namespace portico::host::routing
