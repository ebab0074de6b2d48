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

/// Names, attributes and rules of identity's cookies. Thread-safe.
class Cookies
{
public:
    explicit Cookies(Core& core) : _core(core) {}

    /// Returns true if a sign-in is answered with cookies: the request has `X-Platform-Auth: 1` and a registered origin.
    /// @throws Problem 403 `csrf_rejected` if it has the header and a foreign origin
    bool wanted(const Request& request) const;
    /// For requests that only cookies authenticate. @throws Problem 403 `csrf_rejected`
    void requireTrusted(const Request& request) const;

    /// Returns true for the request's origin, an origin of this host's services, or a registered one.
    bool isTrusted(std::string_view origin, const Request& request) const;

    /// Returns true if an app's page calls identity's origin. Its cookies are then partitioned by the top-level site (CHIPS). False on
    /// plain http, which has no such cookies.
    bool isCrossOrigin(const Request& request) const;

    std::string_view refreshHandle(const Request& request) const;
    std::string_view browserSessionHandle(const Request& request) const;
    /// Returns the value to which forms of signed-out users are bound.
    std::string_view preLogin(const Request& request) const;

    /// Without `life` the cookie ends with the browser; with zero it is deleted.
    SetCookie setRefresh(const Request& request, std::string_view handle, std::optional<std::chrono::seconds> life) const;
    SetCookie setBrowserSession(std::string_view handle, std::optional<std::chrono::seconds> life) const;
    SetCookie setPreLogin(std::string_view value) const;
    /// Clears the cookies of a sign-in that the request has sent, after a sign-out at identity's origin. Requests of other sites come
    /// without cookies and must not clear any.
    std::vector<SetCookie> clearSent(const Request& request) const;

private:
    std::string name(std::string_view plain) const;
    SetCookie setCrossOriginRefresh(std::string_view handle, std::optional<std::chrono::seconds> life) const;
    SetCookie cookie(std::string_view plain, std::string_view value, SameSite sameSite, std::optional<std::chrono::seconds> life) const;

    Core& _core;
};

} // namespace portico::identity
