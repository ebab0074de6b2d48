#pragma once

#include "external/CalendarSource.h"
#include "service/Urls.h"

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

/// Step of an exchange with an external calendar: its code, and its name in English.
struct RemoteStep
{
    std::string_view code;
    std::string_view words;
};

namespace steps
{
inline constexpr RemoteStep lookAtAddress{"look_at_address", "Step 1 of 3, looking at the address"},
    findAccount{"find_account", "Step 1 of 3, looking for your account"},
    findPlace{"find_place", "Step 2 of 3, looking for your calendars' place"},
    listCalendars{"list_calendars", "Step 3 of 3, listing your calendars"}, lookAtCalendar{"look_at_calendar", "Looking at the calendar"},
    lookForChanges{"look_for_changes", "Looking for changes"}, askBusy{"ask_busy", "Asking when you are busy"},
    readCalendar{"read_calendar", "Reading the calendar"}, readFeed{"read_feed", "Reading the feed"},
    lookAtEvent{"look_at_event", "Looking at an event"}, writeEvent{"write_event", "Writing an event"},
    deleteEvent{"delete_event", "Deleting an event"}, comeBack{"come_back", "Coming back from the provider"},
    askAccess{"ask_access", "Asking the provider for access"};
}

/// Why a step failed, by a code and in English.
struct RemoteReason
{
    std::string_view code;
    std::string words;
    /// Detail of the fault.
    std::string detail = {};
};

/// Describes an answer whose status is a failure. @param more message of the server
RemoteReason answered(int status, std::string_view more = {});

/// Resolves a reference in an answer of `base`: an absolute URL, a path or a relative name.
std::string resolveUrl(std::string_view base, std::string_view reference);
/// Returns true if credentials may be sent to a URL that an answer of `base` names: the same origin, or by https a host of the same site
/// (`caldav.example.test`, `p07-caldav.example.test`).
bool trustsWithCredentials(std::string_view base, std::string_view url);
/// Returns true if a password may be sent to the URL: by https, or to a host of the local network by its name or address.
bool keepsSecrets(std::string_view url);

/// Sends requests to one external account. All of them share one timeout. For one thread.
class RemoteCalls
{
public:
    RemoteCalls(HttpClient& http, const Clock& clock, RemoteAccount account, std::chrono::milliseconds timeout)
        : _http(http), _clock(clock), _account(std::move(account)), _deadline(clock.steady() + timeout)
    {
    }

    const RemoteAccount& account() const noexcept { return _account; }
    /// Sends a request without credentials. An answer that asks to wait (429, 503) is a failure with that time; the caller handles other
    /// statuses.
    /// @throws CalendarFailure
    HttpClient::Response exchange(const RemoteStep& step, HttpClient::Request request);
    /// Sends a request with the account's credentials. 401 and 403 are failures; the caller handles other statuses. @throws CalendarFailure
    HttpClient::Response send(const RemoteStep& step, HttpClient::Request request);
    /// Throws a CalendarFailure for an unusable answer of a step.
    [[noreturn]] static void fail(const RemoteStep& step, std::string_view url, const RemoteReason& why);

private:
    HttpClient& _http;
    const Clock& _clock;
    const RemoteAccount _account;
    const std::chrono::steady_clock::time_point _deadline;
};

} // namespace portico::calendar
