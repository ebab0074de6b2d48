#include "oauth/OAuthError.h"

#include "web/Fields.h"

#include "portico/Json.h"
#include "portico/Problem.h"

namespace portico::identity
{

namespace
{

struct ErrorBody
{
    std::string error;
    std::string description;
};

constexpr auto schemaOf(const ErrorBody*)
{
    return describe(field<&ErrorBody::error>(), field<&ErrorBody::description>("error_description").omitEmpty());
}

/// Names the parameters: the developer of the client reads nothing else.
std::string descriptionOf(const Problem& problem)
{
    std::string text;
    for (const auto& error : problem.errors()) text += (text.empty() ? "" : "; ") + error.field + ": " + error.message;
    return text.empty() ? problem.detail() : text;
}

} // namespace

OAuthError::OAuthError(int status, std::string_view error, std::string_view description)
    : _status(status), _error(error), _description(description)
{
}

OAuthError OAuthError::invalidClient(bool byHeader)
{
    OAuthError error(401, "invalid_client", "The client is unknown, or its authentication failed.");
    if (byHeader) error.withHeader("WWW-Authenticate", R"(Basic realm="oauth")");
    return error;
}

OAuthError& OAuthError::withHeader(std::string_view headerName, std::string_view value)
{
    _headers.emplace_back(headerName, value);
    return *this;
}

Response OAuthError::response() const
{
    auto response = jsonAnswer(toJson(ErrorBody{_error, _description}), _status);
    for (const auto& [headerName, value] : _headers) response.addHeader(headerName, value);
    return response;
}

std::string requiredField(const std::vector<std::pair<std::string, std::string>>& form, std::string_view name)
{
    auto value = fieldOf(form, name);
    if (value.empty()) throw OAuthError::invalidRequest(std::string(name) + " is missing.");
    return value;
}

Response answerOAuth(const std::function<Response()>& handler)
{
    try
    {
        return handler();
    }
    catch (const OAuthError& error)
    {
        return error.response();
    }
    catch (const Problem& problem)
    {
        // Other problems, such as a missing permission or an unreadable form, become standard errors.
        if (problem.status() >= 500 || problem.status() == 429) throw;
        const auto code = problem.status() == 403 ? "access_denied" : "invalid_request";
        return OAuthError(400, code, descriptionOf(problem)).response();
    }
}

Response jsonAnswer(std::string text, int status)
{
    Response response;
    response.json(status, std::move(text));
    return response;
}

} // namespace portico::identity
