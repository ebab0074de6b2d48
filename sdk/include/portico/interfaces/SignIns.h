#pragma once

#include "portico/Caller.h"
#include "portico/Services.h"

#include <cstdint>
#include <memory>
#include <optional>
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
    /// For a native app, which exchanges the code itself.
    bool mobile = false;
    /// Address of the user's client, which the organization's policy is checked against; normally `Request::clientAddress`. Since 1.1.
    std::string clientAddress;
};

/// A single-use code that expires soon. Never a token.
struct Handoff
{
    /// For the browser: the callback with the code.
    std::string callbackUrl;
    /// For a native app; else empty.
    std::string code;
    Instant expiresAt{};
    /// `hnd_…`: identifies the handoff in records and events. Not a secret. Since 1.1.
    std::string id;
};

/// State of a handoff whose code is unused and has not expired. Since 1.1.
struct PendingHandoff
{
    std::string id;
    std::string serviceId;
    /// Redirect URI of the code.
    std::string redirectUri;
    bool mobile = false;
    /// Expiry of the code.
    Instant expiresAt{};
};

/// Result of a change of context: a token for the new context. Since 1.1.
struct ContextChange
{
    std::string accessToken;
    std::int64_t expiresInSeconds = 0;
    /// `Bearer`, or `DPoP` for a token that is bound to the client's key.
    std::string tokenType = "Bearer";
    /// Organization of the new context; empty for the personal one.
    std::string organizationId;
    std::string organizationName;
    std::string role;
};

/// Operations on a user's sign-in for other services, equal to identity's routes. Pass the caller of the current request, never a stored
/// one. When the code of a handoff is exchanged, identity publishes the event `identity.handoff.exchanged` with the handoff's ID.
/// Thread-safe.
class SignIns : public ServiceInterface
{
public:
    static constexpr std::string_view interfaceName = "identity.sign-ins";
    static constexpr std::string_view interfaceVersion = "1.1";
    /// Like `POST /sso/handoff-code`. @throws Problem 400 `redirect_uri_not_registered`, `return_to_invalid`, 403 `service_access_denied`,
    /// `not_launchable`, `membership_required`, `login_method_not_allowed`, `org_policy_…`, `permission_denied` for impersonated callers,
    /// 409 `service_not_active`
    virtual Handoff handoff(const Caller& caller, const HandoffWish& request) = 0;
    /// Like `PUT /api/auth/context`; an empty id is the personal context. The given caller stays unchanged: the next request has the new
    /// context. @throws Problem 403 `membership_required`, `service_access_denied`, `org_policy_…`
    virtual ContextChange changeContext(const Caller& caller, std::string_view organizationId, std::string_view clientAddress) = 0;
    /// Like `PUT /api/auth/household-selection`; an empty id selects none. @throws Problem 403 `household_membership_required`, 409
    /// `not_in_personal_context`
    virtual void selectHousehold(const Caller& caller, std::string_view householdId) = 0;
    /// Caller behind a refresh cookie of a service. Does not consume the cookie, so the page refreshes as before. Null for a handle that is
    /// unknown, expired, replaced or of another service. @throws Problem 403 `service_access_denied`
    virtual std::shared_ptr<const Caller> behindRefreshCookie(std::string_view handle, std::string_view serviceId,
                                                              std::string_view clientAddress) = 0;
    /// Issues a fan-out token: an access token of 60 s for one service with the scope `widget.read`, which represents the caller there.
    /// It opens `GET /api/widget`; every other route answers 403 `insufficient_scope`. For an API key it represents the key's owner, with
    /// the rights that the owner has in the key's context. Empty for a caller that is neither a person nor a key, and if the service is
    /// closed to the caller. Since 1.1. @throws DatabaseError
    virtual std::string widgetToken(const Caller& caller, std::string_view serviceId)
    {
        static_cast<void>(caller);
        static_cast<void>(serviceId);
        return {};
    }
    /// Looks a code up without consuming it. Null for a code that is unknown, used or expired. Since 1.1. @throws DatabaseError
    virtual std::optional<PendingHandoff> pendingHandoff(std::string_view code)
    {
        static_cast<void>(code);
        return std::nullopt;
    }
};

} // namespace portico::interfaces
