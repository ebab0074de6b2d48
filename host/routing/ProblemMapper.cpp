#include "host/routing/ProblemMapper.h"

#include "portico/Database.h"

#include <exception>

namespace portico::host::routing
{

void ProblemMapper::write(const Problem& problem, std::string_view requestId, Response& response) const
{
    response.clear();
    response.status = problem.status();
    response.contentType = "application/problem+json";
    response.cacheControl = "no-store";
    response.body = problem.toJson(requestId);
    for (const auto& [name, value] : problem.headers()) response.addHeader(name, value);
    if (problem.status() == 503 && !response.hasHeader("Retry-After")) response.addHeader("Retry-After", "1");
}

void ProblemMapper::writeCurrent(const Request& request, std::string_view requestId, Response& response) const
{
    try
    {
        throw;
    }
    catch (const Problem& problem)
    {
        write(problem, requestId, response);
    }
    catch (const DatabaseError& error)
    {
        logFailure(request, requestId, error.what());
        const bool passes = error.kind() == DatabaseError::Kind::Busy || error.kind() == DatabaseError::Kind::Unavailable;
        write(passes ? Problem::unavailable("overloaded", "The service is busy; try again.", 1) : Problem::internal(), requestId, response);
    }
    catch (const std::exception& error)
    {
        logFailure(request, requestId, error.what());
        write(Problem::internal(), requestId, response);
    }
    catch (...)
    {
        logFailure(request, requestId, "something that is no std::exception was thrown");
        write(Problem::internal(), requestId, response);
    }
}

void ProblemMapper::logFailure(const Request& request, std::string_view requestId, std::string_view error) const
{
    _log.error("a request failed",
               {{"requestId", requestId}, {"service", request.originService}, {"route", request.route}, {"error", error}});
}

} // namespace portico::host::routing
