#pragma once

#include "upstream/Upstream.h"

#include "portico/HttpClient.h"
#include "portico/Json.h"

#include <string>
#include <utility>
#include <vector>

namespace portico::identity
{

/// Sends requests to a provider with limits that suit interactive pages: a few seconds, 256 KiB, no redirects. Thread-safe.
class UpstreamCalls
{
public:
    explicit UpstreamCalls(HttpClient& http) : _http(http) {}

    using Headers = std::vector<std::pair<std::string, std::string>>;
    /// Returns the body of a 200. @throws UpstreamFailure
    std::string get(const std::string& url, Headers headers = {}) const;
    /// Returns the answer to a form, with any status. @throws UpstreamFailure if there is no answer
    HttpClient::Response post(const std::string& url, const std::string& form, Headers headers) const;

private:
    HttpClient::Response send(HttpClient::Request request) const;

    HttpClient& _http;
};

/// Reads JSON of a provider. Unknown members are ignored. @throws UpstreamFailure for other text
template <std::invocable Read>
auto readUpstream(const Read& read, UpstreamFailure::Kind kind)
{
    try
    {
        return read();
    }
    catch (const Problem&)
    {
        throw UpstreamFailure(kind, "The provider's answer is not the JSON of the standard.");
    }
}
template <class T>
T readUpstream(const std::string& text, UpstreamFailure::Kind kind = UpstreamFailure::Kind::Unreachable)
{
    return readUpstream([&] { return fromStoredJson<T>(text); }, kind);
}

} // namespace portico::identity
