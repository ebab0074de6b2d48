#pragma once

#include "portico/Logger.h"
#include "portico/Problem.h"
#include "portico/Response.h"
#include "portico/system/HostRequest.h"

namespace portico::host::routing
{

/// The one place where a fault becomes an answer: a problem document (RFC 9457), SCIM's error document, or a page for who looks with a
/// browser. What an exception says goes to the log and never to the caller. Thread-safe. Replaces whatever is in the response.
void answerProblem(const Problem& problem, const system::HostRequest& request, Response& response, bool asScim = false);
/// Answers with the exception that is being handled: call it in a catch block, while the code that threw is still in memory.
void answerException(Logger& log, const system::HostRequest& request, Response& response, bool asScim = false);

} // namespace portico::host::routing
