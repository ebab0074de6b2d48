#include "host/routing/pipeline/ProblemAnswers.h"

#include "host/routing/pages/HostPages.h"
#include "host/routing/pipeline/RequestState.h"

#include "portico/Database.h"

#include <cerrno>
#include <exception>
#include <string_view>
#include <system_error>

namespace portico::host::routing
{

namespace
{

/// Retry time after a full disk: an operator has to make room first.
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
    case Kind::Serialization: // other writers were faster in each attempt
        return Problem::unavailable("overloaded", "The service is busy; try again.", retrySeconds);
    case Kind::Unavailable:
        return error.sqlState() == "53100" ? noRoom() : outOfReach();
    default:
        return Problem::internal();
    }
}

/// Problem of a system error. A full or exhausted machine is not a fault of the program: an operator resolves it.
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

Problem problemOf(const std::exception& error)
{
    if (const auto* ofDatabase = dynamic_cast<const DatabaseError*>(&error)) return problemOf(*ofDatabase);
    if (const auto* ofSystem = dynamic_cast<const std::system_error*>(&error)) return problemOf(ofSystem->code());
    return Problem::internal();
}

void logFailure(Logger& log, const system::HostRequest& request, std::string_view error)
{
    log.error("a request failed", {{"service", request.originService}, {"route", request.route()}, {"error", error}});
}

} // namespace

void answerProblem(const Problem& problem, const system::HostRequest& request, Response& response, const RequestState& state)
{
    response.clear();
    response.status = problem.status();
    response.cacheControl = "no-store";
    response.body = state.ownProblemBody(problem);
    const bool hasOwn = !response.body.empty();
    response.contentType = hasOwn ? state.problemRoute->info->problemMediaType : "application/problem+json";
    if (!hasOwn) response.body = problem.toJson(request.requestId);
    for (const auto& [name, value] : problem.headers()) response.addHeader(name, value);
    if (problem.status() == 503 && !response.hasHeader("Retry-After")) response.addHeader("Retry-After", "1");
    if (!hasOwn) showAsPage(problem, request, response);
}

void answerException(Logger& log, const system::HostRequest& request, Response& response, const RequestState& state)
try
{
    throw;
}
catch (const Problem& problem)
{
    answerProblem(problem, request, response, state);
}
catch (const std::exception& error)
{
    logFailure(log, request, error.what());
    answerProblem(problemOf(error), request, response, state);
}
catch (...)
{
    logFailure(log, request, "something that is not a std::exception was thrown");
    answerProblem(Problem::internal(), request, response, state);
}

} // namespace portico::host::routing
