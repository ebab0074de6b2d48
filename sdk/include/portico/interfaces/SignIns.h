#pragma once

#include "portico/Caller.h"
#include "portico/Services.h"

#include <memory>
#include <string>
#include <string_view>

namespace portico::interfaces
{

/// Target of a handoff to another service.
struct HandoffWish
{
    std::string serviceId;
    /// One of the service's registered callbacks.
    std::string redirectUri;
    /// A path of the service, or empty.
    std::string returnTo;
    /// For a native app, which takes the code itself.
    bool mobile = false;
};

/// A code that does so once, and soon. Never a token.
struct Handoff
{
    /// For the browser: the callback with the code.
    std::string callbackUrl;
    /// For a native app; else empty.
    std::string code;
    Instant expiresAt{};
};

/// Operations on a user's sign-in for other services, equal to identity's routes. Pass the caller of the current request, never a stored
/// one. Thread-safe.
class SignIns : public ServiceInterface
{
public:
    static constexpr std::string_view interfaceName = "identity.sign-ins";
    static constexpr std::string_view interfaceVersion = "1.0";
    /// Like `POST /sso/handoff-code`. @throws Problem 400 `redirect_uri_not_registered`, `return_to_invalid`, 403 `service_access_denied`,
    /// `not_launchable`, `permission_denied` for impersonated callers, 409 `service_not_active`
    virtual Handoff handoff(const Caller& caller, const HandoffWish& wish) = 0;
    /// Like `PUT /api/auth/context`; an empty id is the personal context. The given caller stays unchanged: the next request has the new
    /// context. @throws Problem 403 `membership_required`, `service_access_denied`, `org_policy_…`
    virtual void changeContext(const Caller& caller, std::string_view organizationId, std::string_view clientAddress) = 0;
    /// Like `PUT /api/auth/household-selection`; an empty id selects none. @throws Problem 403 `household_membership_required`, 409
    /// `not_in_personal_context`
    virtual void selectHousehold(const Caller& caller, std::string_view householdId) = 0;
    /// Caller behind a refresh cookie of a service. Does not consume the cookie, so the page refreshes as before. Null for a handle that is
    /// unknown, expired, replaced or of another service. @throws Problem 403 `service_access_denied`
    virtual std::shared_ptr<const Caller> behindRefreshCookie(std::string_view handle, std::string_view serviceId,
                                                              std::string_view clientAddress) = 0;
};

} // namespace portico::interfaces
