#pragma once

#include "portico/Logger.h"
#include "portico/Problem.h"
#include "portico/Request.h"
#include "portico/Response.h"

#include <string_view>

namespace portico::host::routing
{

/// The one place where a fault becomes an answer (RFC 9457). What an exception says goes to the log and never to the caller. Thread-safe.
class ProblemMapper
{
public:
    explicit ProblemMapper(Logger& log) : _log(log) {}
    /// Replaces whatever is in the response.
    void write(const Problem& problem, const Request& request, Response& response) const;
    /// Maps the exception that is being handled: call it in a catch block, while the code that threw is still in memory.
    void writeCurrent(const Request& request, Response& response) const;

private:
    void logFailure(const Request& request, std::string_view error) const;

    Logger& _log;
};

} // namespace portico::host::routing
