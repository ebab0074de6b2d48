#pragma once

#include "common/Core.h"

#include "portico/Cookie.h"
#include "portico/Plugin.h"
#include "portico/Request.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

/// Identity's cookies: their names, attributes, and who may have them. Thread-safe.
class Cookies
{
public:
    explicit Cookies(Core& core) : _core(core) {}

    /// Whether a sign-in is answered with cookies: the request says that it comes from our client (X-Platform-Auth: 1) and a registered
    /// origin. @throws Problem 403 `csrf_rejected` when it says so and comes from a foreign origin.
    bool wanted(const Request& request) const;
    /// For what cookies alone authenticate. @throws Problem 403 `csrf_rejected`
    void requireTrusted(const Request& request) const;

    /// The request's own origin, one of this host's services, or a registered one.
    bool isTrusted(std::string_view origin, const Request& request) const;

    /// A page of an app calls identity's own origin: its cookies are in a jar of its own there, by the site that is open (CHIPS). Never on
    /// plain http, where there are no such cookies.
    bool isCrossOrigin(const Request& request) const;

    std::string_view refreshHandle(const Request& request) const;
    std::string_view browserSessionHandle(const Request& request) const;
    /// What forms of somebody who is not signed in are bound to.
    std::string_view preLogin(const Request& request) const;

    /// Without `life` the cookie ends with the browser, with one of zero now.
    SetCookie setRefresh(const Request& request, std::string_view handle, std::optional<std::chrono::seconds> life) const;
    SetCookie setBrowserSession(std::string_view handle, std::optional<std::chrono::seconds> life) const;
    SetCookie setPreLogin(std::string_view value) const;
    /// Clears, after a sign-out at identity's own origin, the cookies of a sign-in that came with the request. A page of another site
    /// makes requests without them, and must not clear them.
    std::vector<SetCookie> clearSent(const Request& request) const;

private:
    std::string name(std::string_view plain) const;
    SetCookie setCrossOriginRefresh(std::string_view handle, std::optional<std::chrono::seconds> life) const;
    SetCookie cookie(std::string_view plain, std::string_view value, SameSite sameSite, std::optional<std::chrono::seconds> life) const;

    Core& _core;
};

} // namespace portico::identity
