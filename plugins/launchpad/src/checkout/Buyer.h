#pragma once

#include "portico/Plugin.h"
#include "portico/Request.h"

#include <memory>

namespace portico::launchpad
{

/// Returns the person behind the access token of a request to an open route; null for a request without one.
/// @throws Problem 401 `invalid_token`; 403 `permission_denied` for services, keys and impersonated sessions; 409 `context_changed`; 503
/// `validation_unavailable` without identity
std::shared_ptr<const Caller> buyerOf(PluginContext& context, const Request& request);

} // namespace portico::launchpad
