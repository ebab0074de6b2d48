#include "host/routing/pipeline/ProblemMapper.h"

#include "portico/Database.h"

#include <cerrno>
#include <exception>
#include <system_error>

namespace portico::host::routing
{

namespace
{

/// Somebody has to make room before trying again is of use.
constexpr long long fullRetrySeconds = 10;
constexpr long long retrySeconds = 1;

Problem noRoom()
{
    return Problem::unavailable("overloaded", "There is no room left to store anything; try again later.", fullRetrySeconds);
}

Problem outOfReach() { return Problem::unavailable("overloaded", "The service cannot reach its data; try again.", retrySeconds); }

Problem problemOf(const DatabaseError& error)
{
    using Kind = DatabaseError::Kind;
    switch (error.kind())
    {
    case Kind::Busy:
    case Kind::Serialization: // others were faster each time that the unit of work was run
        return Problem::unavailable("overloaded", "The service is busy; try again.", retrySeconds);
    case Kind::Unavailable:
        return error.sqlState() == "53100" ? noRoom() : outOfReach();
    default:
        return Problem::internal();
    }
}

/// What the machine cannot do now is no fault in the program: an operator sets it right.
Problem problemOf(const std::error_code& error)
{
    if (error.category() != std::generic_category() && error.category() != std::system_category()) return Problem::internal();
    switch (error.value())
    {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
        return noRoom();
    case EROFS:
    case EIO:
    case EACCES:
    case EPERM:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case EAGAIN:
        return outOfReach();
    default:
        return Problem::internal();
    }
}

} // namespace

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
        write(problemOf(error), request, response);
    }
    catch (const std::system_error& error)
    {
        logFailure(request, error.what());
        write(problemOf(error.code()), request, response);
    }
    catch (const std::exception& error)
    {
        logFailure(request, error.what());
        write(Problem::internal(), request, response);
    }
    catch (...)
    {
        logFailure(request, "something that is not a std::exception was thrown");
        write(Problem::internal(), request, response);
    }
}

void ProblemMapper::logFailure(const Request& request, std::string_view error) const
{
    _log.error("a request failed", {{"service", request.originService}, {"route", request.route}, {"error", error}});
}

} // namespace portico::host::routing
