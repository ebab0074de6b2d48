#pragma once

#include "portico/Calls.h"
#include "portico/Plugin.h"
#include "portico/Problem.h"
#include "portico/Request.h"

#include <optional>
#include <string>
#include <string_view>

namespace portico::launchpad
{

/// Calls a public route of another service of this host for a visitor: without a socket and without a credential.
/// @param path with the query
/// @param body JSON text; empty: GET.
/// @return the response; empty if the service cannot be reached or does not answer in time
std::optional<HttpClient::Response> callLocally(PluginContext& context, const Request& visitor, std::string_view service, std::string path,
                                                std::string body = {});

/// The problem that a response contains, with status, code and detail. 503 `service_unavailable` for a response of another form.
Problem problemOf(const HttpClient::Response& response);

} // namespace portico::launchpad
