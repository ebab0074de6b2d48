#include "portico/Problem.h"

#include "portico/Http.h"
#include "portico/Json.h"
#include "portico/detail/Type.h"

namespace portico
{

Problem::Problem(int status, std::string_view code, std::string_view detail) : _status(status), _code(code), _detail(detail) {}
Problem::Problem(const Problem&) = default;
Problem::Problem(Problem&&) noexcept = default;
Problem& Problem::operator=(const Problem&) = default;
Problem& Problem::operator=(Problem&&) noexcept = default;
Problem::~Problem() = default;

Problem Problem::invalid(std::vector<FieldError> errors)
{
    Problem problem(400, "validation_failed",
                    errors.size() == 1 ? "1 field is not valid" : std::to_string(errors.size()) + " fields are not valid");
    problem._errors = std::move(errors);
    return problem;
}

Problem Problem::invalid(std::string_view field, std::string_view code, std::string_view message)
{
    return invalid({FieldError{std::string(field), std::string(code), std::string(message)}});
}

Problem Problem::badRequest(std::string_view code, std::string_view detail) { return {400, code, detail}; }
Problem Problem::unauthorized(std::string_view code, std::string_view detail) { return {401, code, detail}; }
Problem Problem::forbidden(std::string_view code, std::string_view detail)
{
    if (detail.empty() && code == "permission_denied") detail = "Your role here does not allow this.";
    if (detail.empty() && code == "service_access_denied") detail = "This service is not open to you in this context.";
    return {403, code, detail};
}
Problem Problem::notFound(std::string_view detail) { return {404, "not_found", detail}; }
Problem Problem::conflict(std::string_view code, std::string_view detail) { return {409, code, detail}; }
Problem Problem::gone(std::string_view code, std::string_view detail) { return {410, code, detail}; }
Problem Problem::tooLarge(std::string_view detail) { return {413, "payload_too_large", detail}; }
Problem Problem::internal() { return {500, "internal", "Something went wrong on our side. The request id finds it in the log."}; }

Problem Problem::versionConflict(long long currentVersion)
{
    return Problem(412, "version_conflict", "The record was changed by another request.")
        .withDetails("{\"currentVersion\":" + std::to_string(currentVersion) + "}");
}

Problem Problem::rateLimited(long long retryAfterSeconds, std::string_view code)
{
    return Problem(429, code, "Too many requests. Try again later.").withHeader("Retry-After", std::to_string(retryAfterSeconds));
}

Problem Problem::unavailable(std::string_view code, std::string_view detail, long long retryAfterSeconds)
{
    return Problem(503, code, detail).withHeader("Retry-After", std::to_string(retryAfterSeconds));
}

Problem& Problem::with(FieldError error)
{
    _errors.push_back(std::move(error));
    return *this;
}

Problem& Problem::withDetails(std::string json)
{
    _details = std::move(json);
    return *this;
}

Problem& Problem::withHeader(std::string_view name, std::string_view value)
{
    _headers.emplace_back(name, value);
    return *this;
}

const char* Problem::what() const noexcept { return _code.c_str(); }

std::string Problem::toJson(std::string_view requestId) const
{
    std::string out = "{\"type\":\"about:blank\",\"title\":";
    appendJsonString(out, reason(_status));
    out += ",\"status\":" + std::to_string(_status) + ",\"code\":";
    appendJsonString(out, _code);
    out += ",\"detail\":";
    appendJsonString(out, _detail);
    out += ",\"requestId\":";
    appendJsonString(out, requestId);
    out += ",\"errors\":[";
    for (const auto& error : _errors)
    {
        if (&error != &_errors.front()) out += ',';
        out += "{\"field\":";
        appendJsonString(out, error.field);
        out += ",\"code\":";
        appendJsonString(out, error.code);
        out += ",\"message\":";
        appendJsonString(out, error.message);
        out += '}';
    }
    out += "],\"details\":" + (_details.empty() ? std::string("{}") : _details) + "}";
    return out;
}

} // namespace portico
