#pragma once

#include "common/Core.h"
#include "permissions/PlatformPower.h"
#include "sessions/NewDevices.h"
#include "signin/SignInRequest.h"
#include "signin/TokenIssuer.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace portico::identity
{

struct SignedIn
{
    SignIn signIn;
    TokenResponse response;
    /// Empty unless asked for.
    std::string refreshHandle;
    std::string browserHandle;
    /// Life of the cookies; empty: they end with the browser.
    std::optional<std::chrono::seconds> cookieLife;
};

/// Starts sign-ins and changes their context. Thread-safe.
class SignInService
{
public:
    explicit SignInService(Core& core) : _core(core), _devices(core.mails) {}

    /// @throws Problem 403 `membership_required`, `service_access_denied`, `login_method_not_allowed`, `org_policy_mfa_required`,
    /// `org_policy_ip_not_allowed`, `org_policy_session_too_old` for a proof older than the organization's sign-ins live, or for a browser
    /// session that was not used in the organization for its `idleHours`; 401 `invalid_credentials` where the user is not the same any more
    SignedIn start(const User& user, const SignInRequest& request);
    /// The context in which `start` would sign in. @throws as `start`
    std::optional<OrganizationId> contextFor(const User& user, const SignInRequest& request) const;

    /// Moves a sign-in into another context. The organization's limits apply from then on, counted from the authentication.
    /// @throws Problem 403 like `start`, and `org_policy_session_too_old`
    void move(Transaction& transaction, const Catalog& catalog, const User& user, SignIn& signIn,
              const std::optional<OrganizationId>& organizationId, std::string_view address) const;

private:
    /// Rejects users whose account has changed since authentication: another password, a suspension, or a required password change. Locks
    /// the user.
    /// @throws Problem 401 `invalid_credentials`
    static void requireSame(Transaction& transaction, const User& user);
    /// Returns the organization of the context, if the user may use it at this service with these proofs at this time. A sign-in by an
    /// organization's provider is limited to that organization.
    /// @param home also allows personal context
    std::optional<Organization> requireContext(Session& session, const Catalog& catalog, const User& user,
                                               const std::optional<OrganizationId>& organizationId, std::string_view serviceId,
                                               const SignInProof& proof, std::string_view address, bool home) const;
    /// Rejects a browser session whose last use in the organization is older than its `idleHours`. The last use is the later of the
    /// authentication and the last request of an app for tokens of a sign-in there. Pages of identity and other contexts do not extend it.
    /// @throws Problem 403 `org_policy_session_too_old`
    void requireRecentUse(Session& session, const SignInRequest& request, const std::optional<Organization>& organization) const;
    SignInProof proofOf(const SignInRequest& request) const;
    static bool isHome(const SignInRequest& request);
    std::optional<OrganizationId> chooseContext(Session& session, const User& user, const SignInRequest& request) const;
    /// How long a sign-in may go unused, and how long it may live at all.
    struct Life
    {
        std::chrono::seconds idle;
        std::chrono::seconds absolute;
    };
    Life lifeOf(const SignInRequest& request, const std::optional<Organization>& organization) const;
    SignIn describe(const User& user, const SignInRequest& request, const std::optional<Organization>& organization) const;
    static std::string startBrowserSession(Transaction& transaction, SignIn& signIn, const SignInRequest& request, std::string_view handle,
                                           std::chrono::seconds idle);

    Core& _core;
    NewDevices _devices;
};

} // namespace portico::identity
