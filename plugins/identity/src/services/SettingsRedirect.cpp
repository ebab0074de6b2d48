#include "services/SettingsRedirect.h"

#include "sessions/BrowserSession.h"
#include "sessions/Cookies.h"
#include "users/User.h"

namespace portico::identity
{

void SettingsRedirect::declare(Routes& routes)
{
    // Serves the bare origin too, which the quickstart prints.
    for (const std::string_view path : {"/settings", "/"})
        routes.get(path, access::open(), &SettingsRedirect::go, this, {.summary = "Open the caller's settings", .undocumented = true});
}

bool SettingsRedirect::signedIn(const Request& request) const
{
    const auto handle = _core.cookies.browserSessionHandle(request);
    if (handle.empty()) return false;
    auto session = _core.database.session();
    const auto browser = browser_sessions::find(session, handle, _core.clock.now());
    if (!browser || !browser->active(_core.clock.now())) return false;
    const auto user = users::find(session, browser->userId.text());
    return user && user->status == UserStatus::Active;
}

/// The setting; without one `admin` beside identity, as `admin.localhost:8080` beside `identity.localhost:8080`.
std::string SettingsRedirect::adminApp() const
{
    if (!_core.settings.adminAppUrl.empty()) return _core.settings.adminAppUrl;
    const auto host = _core.origin.find("//") + 2;
    const auto rest = _core.origin.find_first_of(".:", host);
    if (rest == std::string::npos || _core.origin[rest] == ':') return _core.origin;
    return _core.origin.substr(0, host) + "admin" + _core.origin.substr(rest);
}

Redirect SettingsRedirect::go(const Request& request) const
{
    if (!signedIn(request)) return {"/login?return_to=/settings"};
    auto url = adminApp();
    if (url.ends_with('/')) url.pop_back();
    return {url + "/security/user"};
}

} // namespace portico::identity
