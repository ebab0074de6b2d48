#include "host/routing/ProblemMapper.h"

#include "portico/Database.h"

#include <exception>

namespace portico::host::routing
{

void ProblemMapper::write(const Problem& problem, const Request& request, Response& response) const
{
    response.clear();
    response.status = problem.status();
    response.contentType = "application/problem+json";
    response.cacheControl = "no-store";
    response.body = problem.toJson(request.requestId);
    for (const auto& [name, value] : problem.headers()) response.addHeader(name, value);
    if (problem.status() == 503 && !response.hasHeader("Retry-After")) response.addHeader("Retry-After", "1");
}

void ProblemMapper::writeCurrent(const Request& request, Response& response) const
{
    try
    {
        throw;
    }
    catch (const Problem& problem)
    {
        write(problem, request, response);
    }
    catch (const DatabaseError& error)
    {
        logFailure(request, error.what());
        // Serialization: others were faster each time that the unit of work was run.
        using Kind = DatabaseError::Kind;
        const bool passes = error.kind() == Kind::Busy || error.kind() == Kind::Unavailable || error.kind() == Kind::Serialization;
        write(passes ? Problem::unavailable("overloaded", "The service is busy; try again.", 1) : Problem::internal(), request, response);
    }
    catch (const std::exception& error)
    {
        logFailure(request, error.what());
        write(Problem::internal(), request, response);
    }
    catch (...)
    {
        logFailure(request, "something that is no std::exception was thrown");
        write(Problem::internal(), request, response);
    }
}

void ProblemMapper::logFailure(const Request& request, std::string_view error) const
{
    _log.error("a request failed",
               {{"requestId", request.requestId}, {"service", request.originService}, {"route", request.route}, {"error", error}});
}

} // namespace portico::host::routing
