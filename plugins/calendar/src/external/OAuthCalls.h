#pragma once

#include "external/OAuthTokens.h"

#include "portico/Json.h"

#include <functional>
#include <string>
#include <string_view>

namespace portico::calendar
{

/// Parses the body of a 2xx answer. Ignores undescribed members. @throws CalendarFailure for every other answer
template <class T>
T fromAnswer(const RemoteStep& step, const HttpClient::Response& response)
{
    if (response.status / 100 != 2) RemoteCalls::fail(step, response.url, answered(response.status));
    try
    {
        return fromStoredJson<T>(response.body);
    }
    catch (const Problem&)
    {
        RemoteCalls::fail(step, response.url, {"unreadable", "the answer cannot be read"});
    }
}

/// Sends requests to a provider on behalf of a user who has given consent. Renews access tokens that have expired or are rejected. For one
/// thread.
class OAuthCalls
{
public:
    /// Stores new tokens before they are used.
    using Keep = std::function<void(const OAuthTokens&)>;

    OAuthCalls(RemoteCalls calls, const Clock& clock, OAuthProvider provider, OAuthTokens tokens, Keep keep)
        : _calls(std::move(calls)), _clock(clock), _provider(std::move(provider)), _tokens(std::move(tokens)), _keep(std::move(keep))
    {
    }

    const OAuthProvider& provider() const noexcept { return _provider; }
    /// @param path behind the provider's address, or a full URL there that the provider has returned.
    /// @param body JSON; empty: none.
    /// @param preference for the header `Prefer`. Statuses from 400 on are failures, except 404, 410 and 409 (the event already exists),
    /// which the caller handles.
    /// @throws CalendarFailure
    HttpClient::Response send(const RemoteStep& step, std::string_view method, std::string_view path, std::string body = {},
                              std::string_view preference = {});
    /// Sends the request, and parses the answer (`fromAnswer`).
    template <class T>
    T get(const RemoteStep& step, std::string_view method, std::string_view path, std::string body = {}, std::string_view preference = {})
    {
        return fromAnswer<T>(step, send(step, method, path, std::move(body), preference));
    }

private:
    void renew();

    RemoteCalls _calls;
    const Clock& _clock;
    const OAuthProvider _provider;
    OAuthTokens _tokens;
    Keep _keep;
};

} // namespace portico::calendar
