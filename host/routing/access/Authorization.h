#pragma once

#include "host/plugins/package/Manifest.h"

#include "portico/Access.h"
#include "portico/Request.h"

namespace portico::host::routing
{

/// A session has one active context for all its tabs: what a tab was made for before it was switched elsewhere must not be written into
/// the other one (conventions, "Credentials"). A request without the header passes. @param request Has its caller.
/// @throws Problem 409 `context_changed`
void checkActiveContext(const Request& request);

/// The stage that answers whether the caller may: the context of the service, the scope of a key, the permission, then the resources that
/// the key is narrowed to. A route that names no permission is about the caller's own things.
/// @param service The one that answers. @param request Has its caller and path parameters.
/// @throws Problem 403 `service_access_denied`, `insufficient_scope`, `permission_denied`, `resource_not_bound`
void checkAccess(const Request& request, const Access& access, const plugins::Manifest& service);

} // namespace portico::host::routing
