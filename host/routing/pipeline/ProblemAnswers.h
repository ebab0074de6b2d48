#pragma once

#include "portico/Logger.h"
#include "portico/Problem.h"
#include "portico/Response.h"
#include "portico/system/HostRequest.h"

namespace portico::host::routing
{

struct RequestState;

/// Turns a fault into an answer, at one place: a problem document (RFC 9457), the route's own format, or a page for a browser. Exception
/// texts are logged and never sent to the caller. Thread-safe. Replaces the contents of the response.
void answerProblem(const Problem& problem, const system::HostRequest& request, Response& response, const RequestState& state);
/// Answers with the exception that is being handled: call it in a catch block, while the code that threw is still in memory.
void answerException(Logger& log, const system::HostRequest& request, Response& response, const RequestState& state);

} // namespace portico::host::routing
