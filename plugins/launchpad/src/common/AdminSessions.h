#pragma once

#include "portico/Cookie.h"
#include "portico/Plugin.h"
#include "portico/Request.h"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace portico::launchpad
{

/// Returns true for operators of the platform and members with `launchpad.marketing:manage`.
bool managesMarketing(const Caller& caller);

/// An admin session that was just begun.
struct AdminSession
{
    Instant expiresAt{};
    SetCookie cookie;
};

/// Sessions of the marketing administration: a cookie beside the sign-in of the same browser. A session ends with the sign-in, after eight
/// hours, and with the right. Thread-safe.
class AdminSessions
{
public:
    explicit AdminSessions(PluginContext& context);

    /// @param person who manages marketing
    AdminSession begin(const Caller& person) const;
    /// Returns the person of a valid session.
    /// @throws Problem 401 `authentication_required` without the cookie, `session_ended` for an invalid one or after the end of its
    /// sign-in; 403 `permission_denied` if the user has lost the right
    std::shared_ptr<const Caller> require(const Request& request) const;
    /// When the session of a request expires. @throws as require
    Instant expiry(const Request& request) const;
    /// Ends the session. @return the cookie that removes it from the browser. @throws Problem 401 without the cookie
    SetCookie end(const Request& request) const;

private:
    std::string cookieName() const;
    std::string keyOf(const Request& request) const;

    PluginContext& _context;
};

} // namespace portico::launchpad
