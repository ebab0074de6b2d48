#pragma once

#include "external/ExternalSync.h"
#include "external/OAuthProvider.h"
#include "hosts/ActingHost.h"
#include "hosttime/BookingTools.h"
#include "records/ExternalCalendar.h"
#include "service/AdminRoutes.h"

#include "portico/Routes.h"

#include <string>

namespace portico::calendar
{

/// Address at which the user gives consent to the provider.
struct AuthorizeAnswer
{
    std::string authorizeUrl;
};

constexpr auto schemaOf(const AuthorizeAnswer*) { return describe(field<&AuthorizeAnswer::authorizeUrl>()); }

/// State of a started consent.
struct StartedConsent
{
    std::string organizationId;
    HostId hostId;
    CalendarId calendarId;
    /// Hash of the cookie that the returning browser must send.
    std::string browser;
    /// Code verifier of RFC 7636.
    std::string verifier;
};

constexpr auto schemaOf(const StartedConsent*)
{
    return describe(members<&StartedConsent::organizationId, &StartedConsent::hostId, &StartedConsent::calendarId, &StartedConsent::browser,
                            &StartedConsent::verifier>());
}

/// Runs the consent flow of a calendar provider (RFC 6749, 4.1, with PKCE): for a new calendar, and again after the consent has ended. The
/// callback must come from the browser that started the flow, within ten minutes and once. This prevents attackers from connecting a
/// victim's calendar to their own host. Thread-safe.
class OAuthRoutes
{
public:
    OAuthRoutes(const BookingTools& tools, const ExternalSync& sync) : _tools(tools), _sync(sync) {}
    void declare(Routes& routes);

    Reply<AuthorizeAnswer> authorize(const Caller& caller, const Request& request, const Path<CalendarId>& id,
                                     const Query<HostChoice>& choice, const Body<NoMembers>& body);
    /// Redirects to /app/calendars: with `connected` and the calendar's id, or with `connectError`, which is `expired`, `denied` or
    /// `failed`. For the last two, the calendar's `lastError` has details.
    Redirect callback(const Request& request, const RawQuery& query);

private:
    std::optional<StartedConsent> take(const Request& request, const std::string& state);
    void connect(const StartedConsent& started, const ExternalCalendar& calendar, const OAuthProvider& provider, const std::string& code);
    void note(const StartedConsent& started, const CalendarFault& fault, const std::string& error);
    std::string redirectUri() const;

    const BookingTools& _tools;
    const ExternalSync& _sync;
};

} // namespace portico::calendar
