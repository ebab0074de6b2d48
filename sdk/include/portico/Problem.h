#pragma once

#include "portico/Export.h"

#include <concepts>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico
{

/// An error in one member of the input. `field` is its path (`emails[0].address`, a parameter's name, or empty for the whole input), `code`
/// is for programs, `message` for people.
struct FieldError
{
    std::string field;
    std::string code;
    std::string message;
};

/// Error that is sent to the caller as a problem document (RFC 9457).
/// All members reach the caller: never include SQL, paths, secrets or data of other users.
/// A Problem may outlive the plugin that threw it.
class PORTICO_API Problem : public std::exception
{
public:
    /// @param status 400 to 599; @param code the machine code of the interface; @param detail a plain sentence, optional.
    Problem(int status, std::string_view code, std::string_view detail = {});
    Problem(const Problem&);
    Problem(Problem&&) noexcept;
    Problem& operator=(const Problem&);
    Problem& operator=(Problem&&) noexcept;
    ~Problem() override;

    /// 400 `validation_failed` with field errors; the detail contains their number.
    static Problem invalid(std::vector<FieldError> errors);
    /// 400 `validation_failed` about one field.
    static Problem invalid(std::string_view field, std::string_view code, std::string_view message);
    static Problem badRequest(std::string_view code, std::string_view detail = {});
    static Problem unauthorized(std::string_view code, std::string_view detail = {});
    static Problem forbidden(std::string_view code = "permission_denied", std::string_view detail = {});
    static Problem notFound(std::string_view detail = "There is no such record.");
    static Problem conflict(std::string_view code = "conflict", std::string_view detail = {});
    /// 412 `version_conflict`: If-Match names another version.
    static Problem versionConflict(long long currentVersion);
    static Problem gone(std::string_view code, std::string_view detail = {});
    static Problem tooLarge(std::string_view detail = {});
    /// 429 `rate_limited` with Retry-After.
    static Problem rateLimited(long long retryAfterSeconds, std::string_view code = "rate_limited");
    /// 503 with Retry-After.
    static Problem unavailable(std::string_view code, std::string_view detail = {}, long long retryAfterSeconds = 1);
    static Problem internal();

    /// Adds a field error.
    Problem& with(FieldError error);
    /// Sets the member `details`: the text of one JSON object.
    Problem& withDetails(std::string json);
    /// Sets `details` from a described record (`portico/Json.h`).
    template <class T>
    requires(!std::convertible_to<const T&, std::string>) Problem& withDetails(const T& record);
    /// Adds a response header.
    Problem& withHeader(std::string_view name, std::string_view value);

    int status() const noexcept { return _status; }
    const std::string& code() const noexcept { return _code; }
    const std::string& detail() const noexcept { return _detail; }
    const std::vector<FieldError>& errors() const noexcept { return _errors; }
    /// JSON text of the member `details`, or empty.
    const std::string& details() const noexcept { return _details; }
    const std::vector<std::pair<std::string, std::string>>& headers() const noexcept { return _headers; }
    const char* what() const noexcept override;

    /// Returns the problem document (RFC 9457) in the format of the conventions.
    std::string toJson(std::string_view requestId) const;

private:
    int _status;
    std::string _code;
    std::string _detail;
    std::vector<FieldError> _errors;
    std::string _details;
    std::vector<std::pair<std::string, std::string>> _headers;
};

} // namespace portico
