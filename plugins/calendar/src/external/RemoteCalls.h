#pragma once

#include "external/CalendarSource.h"

#include "portico/Clock.h"
#include "portico/HttpClient.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace portico::calendar
{

struct RemoteAccount
{
    std::string url;
    std::string username;
    std::string password;
};

/// `https://example.test:8443` of a URL.
std::string originOf(std::string_view url);
/// Where a reference in an answer of `base` leads: an absolute URL, a path, or a name beside it.
std::string resolveUrl(std::string_view base, std::string_view reference);
/// Whether what is secret may go to a URL that an answer of `base` names: to the same origin, or by https to a host beside it
/// (`caldav.example.test`, `p07-caldav.example.test`).
bool trustsWithCredentials(std::string_view base, std::string_view url);
/// Whether a password may be sent to it: by https, or to a host of one's own network by its name or address.
bool keepsSecrets(std::string_view url);

/// Requests to one account elsewhere, which together take at most so long. For one thread.
class RemoteCalls
{
public:
    RemoteCalls(HttpClient& http, const Clock& clock, RemoteAccount account, std::chrono::milliseconds timeout)
        : _http(http), _clock(clock), _account(std::move(account)), _deadline(clock.steady() + timeout)
    {
    }

    const RemoteAccount& account() const noexcept { return _account; }
    /// Sends as it is, without what the account opens by. An answer that asks for patience (429, 503) is a failure that says how much;
    /// other statuses are the caller's. @throws CalendarFailure
    HttpClient::Response exchange(std::string_view step, HttpClient::Request request);
    /// Sends with what the account opens by. @param step what it is for: "Reading the calendar". 401 and 403 are failures, other statuses
    /// are the caller's. @throws CalendarFailure
    HttpClient::Response send(std::string_view step, HttpClient::Request request);
    /// That a step got an answer that it can do nothing with.
    [[noreturn]] static void fail(std::string_view step, std::string_view url, std::string_view why);

private:
    HttpClient& _http;
    const Clock& _clock;
    const RemoteAccount _account;
    const std::chrono::steady_clock::time_point _deadline;
};

} // namespace portico::calendar
