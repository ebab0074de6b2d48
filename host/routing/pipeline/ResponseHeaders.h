#pragma once

#include "host/routing/pipeline/RequestState.h"

#include "portico/Request.h"
#include "portico/Response.h"

namespace portico::host::routing
{

/// The last stage: headers that follow from the request, the route and the kind of answer, whatever made it.
void completeHeaders(const Request& request, const RequestState& state, Response& response);

/// Answers OPTIONS on a path that has these methods: a preflight for `entry` (null: the asked method is not there), or a plain question.
void answerOptions(const Request& request, const RouteEntry* entry, MethodSet methods, const AllowedOrigins& allowed, Response& response);

} // namespace portico::host::routing
