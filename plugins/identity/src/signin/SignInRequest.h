#pragma once

#include "clients/OAuthClient.h"
#include "common/Requests.h"
#include "sessions/BrowserSession.h"
#include "sessions/SignIn.h"
#include "signin/SignInGrant.h"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace portico::identity
{

/// The sign-in does not end with the browser.
struct Detached
{
};

/// The sign-in ends with this session of the browser.
struct OfBrowser
{
    std::string sessionId;
    Instant expiresAt{};

    explicit OfBrowser(const BrowserSession& browser) : sessionId(browser.id), expiresAt(browser.expiresAt) {}
};

/// The sign-in starts a session of the browser at identity's own origin, and ends with it. If the handle is of an active session of the
/// same user, that session is renewed.
struct StartsBrowser
{
    std::string handle;
};

/// Work in the transaction that starts or ends a sign-in.
using InTransaction = std::function<void(Transaction&, const SignIn&)>;

using Lifetime = std::variant<Detached, OfBrowser, StartsBrowser>;

/// A sign-in to start. The functions return one without context, in which `SignInService` chooses the context.
struct SignInRequest
{
    std::string serviceId;
    std::string clientId;
    std::optional<OrganizationId> organizationId;
    /// Without an organization: in personal context.
    bool personal = false;
    bool remember = true;
    /// Proof of the user.
    std::vector<std::string> amr;
    std::string acr = "aal1";
    /// When the user proved it. Empty: in this request.
    std::optional<Instant> authTime = {};
    Lifetime lifetime = {};
    /// Expiry of the sign-in that this one was handed off from.
    std::optional<Instant> until = {};
    Client client;
    /// Accept-Language of the browser, for a user without a language.
    std::string languages = {};
    /// Starts a refresh family.
    bool refreshable = false;
    /// The provider's session, if a provider authenticated the user.
    std::optional<ProviderSession> provider = {};
    /// Granted by the user, and thumbprint of the key that the tokens are bound to.
    std::string scope = "openid profile";
    std::optional<std::string> dpopJkt = {};
    /// The user's identifier at the client, if it is not the user's id.
    std::optional<std::string> subject = {};
    /// An app on a device whose tokens are bound to its key. It stays signed in longer than a browser.
    bool native = false;
    /// The client belongs to no service, so its tokens are for none. The context is checked by `serviceId` all the same.
    bool thirdParty = false;
    /// Own sign-in of the operator who impersonates the user. The user's list of devices and last sign-in do not change.
    std::optional<SignIn> impersonator = {};
    std::chrono::seconds impersonation{0};
    /// Runs in the transaction of the sign-in.
    InTransaction together = {};

    /// A sign-in at a service by the browser's session at identity's own origin: its proof, and it ends with the session.
    static SignInRequest fromBrowser(std::string_view serviceId, const BrowserSession& browser, Client from);
    /// The same for an OAuth client: at its service, or at identity for a client without one.
    static SignInRequest forClient(const OAuthClient& client, const BrowserSession& browser, Client from);
    /// A sign-in of a service's pages by an SSO code, with the proof and the context of the grant. It is detached.
    static SignInRequest handedOff(const SignInGrant& grant, Client from);
    /// An operator's sign-in as another user, with the operator's proof.
    static SignInRequest impersonating(std::string serviceId, SignIn own, std::chrono::seconds life, Client from);

    /// Sets the context: this organization, or personal.
    void in(const std::optional<OrganizationId>& context);
};

/// Client id of the pages of a service.
std::string pagesOf(std::string_view serviceId);

} // namespace portico::identity
