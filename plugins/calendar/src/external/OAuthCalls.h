#pragma once

#include "external/OAuthTokens.h"

#include "portico/Json.h"

#include <functional>
#include <string>
#include <string_view>

namespace portico::calendar
{

/// What an answer of 2xx says, as a record of which only what is described is looked at. @throws CalendarFailure for every other answer
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

/// Requests to a provider in the name of somebody who has let us in, with access tokens that are renewed when they have expired or are not
/// taken. For one thread.
class OAuthCalls
{
public:
    /// Is given new tokens before they are used.
    using Keep = std::function<void(const OAuthTokens&)>;

    OAuthCalls(RemoteCalls calls, const Clock& clock, OAuthProvider provider, OAuthTokens tokens, Keep keep)
        : _calls(std::move(calls)), _clock(clock), _provider(std::move(provider)), _tokens(std::move(tokens)), _keep(std::move(keep))
    {
    }

    const OAuthProvider& provider() const noexcept { return _provider; }
    /// @param path behind the provider's address, or a whole URL there that it has answered with. @param body JSON; empty: none
    /// @param preference of `Prefer`. Statuses from 400 on are failures but for 404, 410 and 409 (in the way is
    /// what was written before), which are the caller's.
    /// @throws CalendarFailure
    HttpClient::Response send(const RemoteStep& step, std::string_view method, std::string_view path, std::string body = {},
                              std::string_view preference = {});
    /// The same, and what the answer says (`fromAnswer`).
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
