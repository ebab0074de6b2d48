#pragma once

#include "networks/NetworkCalls.h"
#include "networks/Urls.h"

#include "portico/Clock.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::social::meta
{

// Answers of Meta's Graph APIs, with the members that are used here: developers.facebook.com, pages "Handling Errors", "Pages API",
// "Content Publishing" of Instagram and "Posts" of Threads, read in November 2026.

struct Error
{
    std::int64_t code = 0;
    std::string type;
    std::string message;
};
constexpr auto schemaOf(const Error*) { return describe(members<&Error::code, &Error::type, &Error::message>()); }

struct ErrorAnswer
{
    std::optional<Error> error;
};
constexpr auto schemaOf(const ErrorAnswer*) { return describe(members<&ErrorAnswer::error>()); }

struct Token
{
    std::string accessToken;
    std::int64_t expiresIn = 0;
};
constexpr auto schemaOf(const Token*)
{
    return describe(field<&Token::accessToken>("access_token"), field<&Token::expiresIn>("expires_in"));
}

struct Object
{
    std::string id;
};
constexpr auto schemaOf(const Object*) { return describe(members<&Object::id>()); }

/// One of Meta's Graph APIs: Facebook's, Instagram's or that of Threads. Thread-safe.
class Graph
{
public:
    /// @param url with the version: `https://graph.threads.net/v1.0`
    Graph(HttpClient& http, std::string_view url) : _http(http), _url(url) {}

    Exchanged get(std::string_view path, const QueryFields& fields, std::string_view token) const;
    Exchanged post(std::string_view path, const QueryFields& fields, std::string_view token) const;
    Exchanged post(std::string_view path, std::string form, std::string_view token) const;
    Exchanged upload(std::string_view path, std::vector<HttpClient::FormPart> form, std::string_view token, std::stop_token stop) const;
    Exchanged remove(std::string_view path, std::string_view token) const;

private:
    HttpClient& _http;
    const std::string _url;
};

/// Returns the outcome of a failed answer: error 190 is a rejected token, 4, 17, 32 and 613 are limits, 506 is a duplicate.
StepOutcome graphOutcome(const Exchanged& exchanged, Instant now);
/// True for an answer that says that the token has ended.
bool isDead(const Exchanged& exchanged);
/// @throws ConnectFault Refused for a refused token
void requireToken(const Exchanged& exchanged, std::string_view name);
/// Reads a token. @throws ConnectFault
Credentials requireCredentials(const Exchanged& exchanged, std::string_view name, Instant now);
/// An id of the Graph: digits, or two numbers with an underscore between them.
bool isGraphId(std::string_view text);

} // namespace portico::social::meta
