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

/// Where somebody allows a provider to let us in.
struct AuthorizeAnswer
{
    std::string authorizeUrl;
};

constexpr auto schemaOf(const AuthorizeAnswer*) { return describe(field<&AuthorizeAnswer::authorizeUrl>()); }

/// Somebody on the way to a provider and back.
struct StartedConsent
{
    std::string organizationId;
    HostId hostId;
    CalendarId calendarId;
    /// Hash of the cookie of the browser that may come back.
    std::string browser;
    /// RFC 7636.
    std::string verifier;
};

constexpr auto schemaOf(const StartedConsent*)
{
    return describe(members<&StartedConsent::organizationId, &StartedConsent::hostId, &StartedConsent::calendarId, &StartedConsent::browser,
                            &StartedConsent::verifier>());
}

/// The way to a provider and back by which people let us into their calendar (RFC 6749, 4.1, with PKCE): for a new calendar, and again when
/// the consent has ended. Who starts it has to come back in the same browser, within ten minutes and once, so that nobody is led into
/// giving their calendar to somebody else's host. Thread-safe.
class OAuthRoutes
{
public:
    OAuthRoutes(const BookingTools& tools, const ExternalSync& sync) : _tools(tools), _sync(sync) {}
    void declare(Routes& routes);

    Reply<AuthorizeAnswer> authorize(const Caller& caller, const Request& request, const Path<CalendarId>& id,
                                     const Query<HostChoice>& choice, const Body<NoMembers>& body);
    /// Ends at /app/calendars: with `connected` and the calendar's id, or with `connectError`: `expired`, `denied` or `failed`; of the last
    /// two the calendar's `lastError` says more.
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
