#include "external/OAuthProvider.h"

namespace portico::calendar
{

OAuthProvider providerOf(const Config& config, CalendarKind kind)
{
    const bool google = kind == CalendarKind::Google;
    const std::string prefix = "calendar." + std::string(toString(kind)) + ".";
    OAuthProvider provider{google ? "Google" : "Microsoft",
                           config.text(prefix + "clientId"),
                           config.secret(prefix + "clientSecretFile"),
                           config.url(prefix + "authorizeUrl"),
                           config.url(prefix + "tokenUrl"),
                           config.url(prefix + "apiUrl"),
                           {}};
    while (provider.apiUrl.ends_with('/')) provider.apiUrl.pop_back();
    if (google)
        // Always asks for consent, because Google issues a refresh token only then (OpenID Connect and OAuth 2.0 at Google: "Offline
        // access").
        provider.consent = {{"scope", "https://www.googleapis.com/auth/calendar.freebusy https://www.googleapis.com/auth/calendar.events"},
                            {"access_type", "offline"},
                            {"prompt", "consent"}};
    else
        provider.consent = {{"scope", "offline_access Calendars.ReadWrite"}, {"prompt", "select_account"}};
    return provider;
}

std::vector<CalendarKind> connectableKinds(const Config& config)
{
    std::vector<CalendarKind> kinds{CalendarKind::CalDav, CalendarKind::IcsFeed};
    for (const auto kind : {CalendarKind::Google, CalendarKind::Microsoft})
        if (providerOf(config, kind).isSetUp()) kinds.push_back(kind);
    return kinds;
}

} // namespace portico::calendar
