#pragma once

#include "portico/Plugin.h"

#include <memory>

namespace portico::launchpad
{

/// Returns the person behind the refresh cookie of a request without another credential.
/// @throws Problem 401 `authentication_required` without a cookie, `session_ended` for one that is not valid; 403 `service_access_denied`
std::shared_ptr<const Caller> behindCookie(PluginContext& context, const Request& request);
/// Returns the person behind the refresh cookie for a page that visitors see, too; null for a visitor. An operator who acts as a person is
/// a visitor: only people themselves buy.
std::shared_ptr<const Caller> personBehind(PluginContext& context, const Request& request);

} // namespace portico::launchpad
