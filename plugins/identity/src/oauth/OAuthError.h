#pragma once

#include "portico/Response.h"

#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico::identity
{

/// Error of the endpoints under /oauth, which replaces the problem document (RFC 6749, 5.2).
class OAuthError : public std::exception
{
public:
    OAuthError(int status, std::string_view error, std::string_view description = {});

    static OAuthError invalidRequest(std::string_view description) { return {400, "invalid_request", description}; }
    static OAuthError invalidGrant(std::string_view description = {}) { return {400, "invalid_grant", description}; }
    /// Returns 401, with a challenge if the client used a header (RFC 6749, 5.2).
    static OAuthError invalidClient(bool byHeader);

    OAuthError& withHeader(std::string_view headerName, std::string_view value);
    const std::string& error() const noexcept { return _error; }
    const std::string& description() const noexcept { return _description; }
    const char* what() const noexcept override { return _error.c_str(); }
    Response response() const;

private:
    int _status;
    std::string _error;
    std::string _description;
    std::vector<std::pair<std::string, std::string>> _headers;
};

/// Returns a required parameter. @throws OAuthError invalid_request
std::string requiredField(const std::vector<std::pair<std::string, std::string>>& form, std::string_view name);

/// Runs a handler of /oauth, and converts exceptions to the standard's error body.
Response answerOAuth(const std::function<Response()>& handler);

/// Answers 200 with a JSON text.
Response jsonAnswer(std::string text, int status = 200);

} // namespace portico::identity
