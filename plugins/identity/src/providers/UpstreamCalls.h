#pragma once

#include "upstream/Upstream.h"

#include "portico/HttpClient.h"
#include "portico/Json.h"

#include <string>
#include <utility>
#include <vector>

namespace portico::identity
{

/// Calls of a provider, with the limits of a page that somebody waits for: seconds, a quarter of a megabyte, no redirects. Thread-safe.
class UpstreamCalls
{
public:
    explicit UpstreamCalls(HttpClient& http) : _http(http) {}

    using Headers = std::vector<std::pair<std::string, std::string>>;
    /// The body of a 200. @throws UpstreamFailure
    std::string get(const std::string& url, Headers headers = {}) const;
    /// What a form is answered, whatever the status. @throws UpstreamFailure when there is no answer
    HttpClient::Response post(const std::string& url, const std::string& form, Headers headers) const;

private:
    HttpClient::Response send(HttpClient::Request request) const;

    HttpClient& _http;
};

/// JSON of somebody else, by the members that we know; the others are passed over. @throws UpstreamFailure when it is none
template <class T>
T readUpstream(const std::string& text, UpstreamFailure::Kind kind = UpstreamFailure::Kind::Unreachable)
{
    try
    {
        return fromStoredJson<T>(text);
    }
    catch (const Problem&)
    {
        throw UpstreamFailure(kind, "What the provider answers is not the JSON that the standard says.");
    }
}

} // namespace portico::identity
