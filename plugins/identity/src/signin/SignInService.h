#pragma once

#include "common/Requests.h"
#include "sessions/BrowserSession.h"
#include "sessions/NewDevices.h"
#include "signin/TokenIssuer.h"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace portico::identity
{

/// Sign-in request of an authenticated user.
struct SignInRequest
{
    std::string serviceId;
    std::string clientId;
    std::optional<OrganizationId> organizationId;
    /// Without an organization: true for personal context, false for the best matching one.
    bool personal = false;
    bool remember = true;
    std::vector<std::string> amr;
    std::string acr = "aal1";
    Client client;
    /// Accept-Language of the browser: the initial language of a user without one.
    std::string languages = {};
    /// Starts a refresh family, whose handle is answered as a cookie.
    bool refreshable = false;
    /// Also starts a session of the browser at identity's origin.
    bool browserSession = false;
    /// Handle of the browser's existing session, if any.
    std::string browserHandle;
    /// Session at the provider, if one has authenticated the user.
    std::optional<ProviderSession> provider;
    /// Browser session from which the sign-in comes: it ends with it, and takes over its proofs. Without an id only the latter.
    std::optional<BrowserSession> from;
    /// Expiry of the sign-in from which it was handed over; limits the new one.
    std::optional<Instant> until;
    /// For an OAuth client: its scope, and the key to which its tokens are bound.
    std::string scope = "openid profile";
    std::optional<std::string> dpopJkt;
    /// Subject under which the client knows the user, if it differs from their id.
    std::optional<std::string> subject;
    /// True for a native app with key-bound tokens, whose sign-in lasts longer than a browser's.
    bool native = false;
    /// True for a client without a service: its tokens have no service. The context is still checked for `serviceId`.
    bool thirdParty = false;
    /// Sign-in of an operator who impersonates the user. The user's recorded sign-in times stay unchanged.
    std::optional<SignIn> impersonator;
    std::chrono::seconds impersonation{0};
    /// Runs in the transaction of the sign-in: both are committed, or neither.
    std::function<void(Transaction&, const SignIn&)> together;
};

struct SignedIn
{
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
    /// `org_policy_ip_not_allowed`, `org_policy_session_too_old` for a proof older than the organization's sign-ins live; 401
    /// `invalid_credentials` where the user is not the same any more
    SignedIn start(const User& user, const SignInRequest& request);
    /// The context in which `start` would sign in. @throws as `start`
    std::optional<OrganizationId> contextFor(Session& session, const Catalog& catalog, const User& user,
                                             const SignInRequest& request) const;

    /// Moves a sign-in into another context. The organization's limits apply from then on, counted from the authentication.
    /// @throws Problem 403 like `start`, and `org_policy_session_too_old`
    void move(Session& session, const Catalog& catalog, const User& user, SignIn& signIn,
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
                                               const std::vector<std::string>& amr, std::string_view acr, Instant authTime,
                                               std::string_view address, bool home) const;
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
    static std::string startBrowserSession(Session& session, SignIn& signIn, const SignInRequest& request, std::chrono::seconds idle);

    Core& _core;
    NewDevices _devices;
};

} // namespace portico::identity
