#pragma once

#include "common/Requests.h"
#include "sessions/BrowserSession.h"
#include "sessions/NewDevices.h"
#include "sessions/RefreshFamilies.h"
#include "signin/TokenIssuer.h"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace portico::identity
{

/// What someone who has proved who they are asks for.
struct SignInRequest
{
    std::string serviceId;
    std::string clientId;
    std::optional<OrganizationId> organizationId;
    /// Without an organization: in personal context, and not in the one that fits best.
    bool personal = false;
    bool remember = true;
    std::vector<std::string> amr;
    std::string acr = "aal1";
    Client client;
    /// Accept-Language of the browser: what somebody begins with who has no language yet.
    std::string languages = {};
    /// Starts a refresh family, to be answered as a cookie.
    bool refreshable = false;
    /// Also starts a session of the browser at identity's own origin.
    bool browserSession = false;
    /// The handle of the session that this browser has already, if any.
    std::string browserHandle;
    /// Where that came from, when a provider has said who it is.
    std::optional<ProviderSession> provider;
    /// Comes from a session of the browser: ends with it, and proves what was proved there. Without an id only the latter.
    std::optional<BrowserSession> from;
    /// Lives no longer than where it was handed on from.
    std::optional<Instant> until;
    /// Of an OAuth client: what it was granted, and the key that its tokens are bound to.
    std::string scope = "openid profile";
    std::optional<std::string> dpopJkt;
    /// What the client knows the user as, where that is not their id.
    std::optional<std::string> subject;
    /// An app on somebody's device whose tokens are bound to its key: it is remembered for longer than a browser.
    bool native = false;
    /// The client stands for no service: its tokens are for none. The context is judged by `serviceId` all the same.
    bool thirdParty = false;
    /// An operator's own sign-in, who acts as the user for a while: what the user is told of sign-ins stays as it is.
    std::optional<SignIn> impersonator;
    std::chrono::seconds impersonation{0};
    /// Done with the sign-in, in its transaction: both are there, or neither.
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
    SignInService(Core& core, RefreshFamilies& families, TokenIssuer& issuer)
        : _core(core), _families(families), _issuer(issuer), _devices(core.mails)
    {
    }

    /// @throws Problem 403 `membership_required`, `service_access_denied`, `login_method_not_allowed`, `org_policy_mfa_required`,
    /// `org_policy_ip_not_allowed`, `org_policy_session_too_old` for a proof older than the organization's sign-ins live; 401
    /// `invalid_credentials` where the user is not the same any more
    SignedIn start(const User& user, const SignInRequest& request);
    /// The context in which `start` would sign in. @throws as `start`
    std::optional<OrganizationId> contextFor(Session& session, const Catalog& catalog, const User& user,
                                             const SignInRequest& request) const;

    /// Moves a sign-in into another context, whose organization's limits it has from then on, counted from the proof of who it is.
    /// @throws Problem 403 as `start`, and `org_policy_session_too_old`
    void move(Session& session, const Catalog& catalog, const User& user, SignIn& signIn,
              const std::optional<OrganizationId>& organizationId, std::string_view address) const;

private:
    /// Refuses who was signed in as somebody that the user is not any more: with another password, suspended, or asked for another password
    /// since. Changes of the user wait from here on. @throws Problem 401 `invalid_credentials`
    static void requireSame(Transaction& transaction, const User& user);
    /// The organization of the context, when it may be used by this user at this service with what they have proved, and when. A sign-in
    /// through an organization's provider is limited to that organization. @param home It may also be signed in personally
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
    RefreshFamilies& _families;
    TokenIssuer& _issuer;
    NewDevices _devices;
};

} // namespace portico::identity
