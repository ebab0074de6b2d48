#pragma once

#include "portico/Logger.h"
#include "portico/Problem.h"
#include "portico/Request.h"
#include "portico/Response.h"

namespace portico::host::routing
{

/// The one place where a fault becomes an answer (RFC 9457). What an exception says goes to the log and never to the caller. Thread-safe.
/// Replaces whatever is in the response.
void answerProblem(const Problem& problem, const Request& request, Response& response);
/// Answers with the exception that is being handled: call it in a catch block, while the code that threw is still in memory.
void answerException(Logger& log, const Request& request, Response& response);

} // namespace portico::host::routing
