#pragma once

#include "signin/BrowserGate.h"
#include "signin/NativeApp.h"
#include "signin/OneTimeCodes.h"
#include "signin/SignInService.h"
#include "web/ProblemPage.h"

#include "portico/Routes.h"
#include "portico/interfaces/SignIns.h"

#include <optional>
#include <string>

namespace portico::identity
{

/// Content of a code: user, service, and source of the sign-in.
struct SsoGrant
{
    std::string userId;
    /// Browser session from which it comes, and the sign-in at the app that requested the handoff. Both must still be active.
    std::optional<std::string> browserSessionId;
    std::optional<std::string> sourceSessionId;
    std::string serviceId;
    std::string redirectUri;
    /// S256 of the verifier that the exchange has to send; empty: none.
    std::string codeChallenge;
    std::string returnTo;
    /// The context of the place where it was made; empty with `chooseContext`: the one that fits.
    std::optional<OrganizationId> organizationId;
    bool chooseContext = false;
    /// For a native app, which proves a key when it exchanges the code; and else for a page.
    bool mobile = false;
    std::vector<std::string> amr;
    std::string acr;
    Instant authTime{};
    /// For a handoff: expiry of the sign-in from which it comes.
    std::optional<Instant> expiresAt;
    /// ID of a handoff, `hnd_…`, for events.
    std::string handoffId;
};

constexpr auto schemaOf(const SsoGrant*)
{
    return describe(
        members<&SsoGrant::userId, &SsoGrant::browserSessionId, &SsoGrant::sourceSessionId, &SsoGrant::serviceId, &SsoGrant::redirectUri,
                &SsoGrant::codeChallenge, &SsoGrant::returnTo, &SsoGrant::organizationId, &SsoGrant::chooseContext, &SsoGrant::mobile,
                &SsoGrant::amr, &SsoGrant::acr, &SsoGrant::authTime, &SsoGrant::expiresAt, &SsoGrant::handoffId>());
}

enum class HandoffChannel : std::uint8_t
{
    Web,
    Mobile
};

constexpr auto schemaOf(const HandoffChannel*)
{
    return portico::choices<HandoffChannel>({{"web", HandoffChannel::Web}, {"mobile", HandoffChannel::Mobile}});
}

struct HandoffInput
{
    std::string serviceId;
    std::string redirectUri;
    HandoffChannel channel = HandoffChannel::Web;
    std::string returnTo;
};

constexpr auto schemaOf(const HandoffInput*)
{
    return describe(field<&HandoffInput::serviceId>("service_id").required().maxLength(40),
                    field<&HandoffInput::redirectUri>("redirect_uri").required().maxLength(2048), field<&HandoffInput::channel>(),
                    field<&HandoffInput::returnTo>().maxLength(2048));
}

struct HandoffCode
{
    std::string callbackUrl;
    /// For a native app only.
    std::optional<std::string> handoffCode;
    /// For other plugins; not in the answer.
    std::string handoffId;
    Instant expiresAt{};
    std::int64_t expiresIn = 0;
};

constexpr auto schemaOf(const HandoffCode*)
{
    return describe(field<&HandoffCode::callbackUrl>("callback_url"), field<&HandoffCode::handoffCode>("handoff_code").omitEmpty(),
                    field<&HandoffCode::expiresAt>("expires_at"), field<&HandoffCode::expiresIn>("expires_in"));
}

struct ExchangeInput
{
    std::string ssoCode;
    std::string serviceId;
    std::string redirectUri;
    std::string codeVerifier;
    /// Set by a native app. Its code comes from a handoff for `mobile`, and a DPoP proof replaces the Origin header.
    std::string clientId;
    bool confirmAccountSwitch = false;
};

constexpr auto schemaOf(const ExchangeInput*)
{
    return describe(field<&ExchangeInput::ssoCode>("sso_code").required().maxLength(200),
                    field<&ExchangeInput::serviceId>("service_id").required().maxLength(40),
                    field<&ExchangeInput::redirectUri>("redirect_uri").required().maxLength(2048),
                    field<&ExchangeInput::codeVerifier>("code_verifier").maxLength(128),
                    field<&ExchangeInput::clientId>("client_id").maxLength(80), field<&ExchangeInput::confirmAccountSwitch>());
}

struct ExchangeAnswer : TokenResponse
{
    std::string returnTo;
};

constexpr auto schemaOf(const ExchangeAnswer*)
{
    return describe(schemaOf(static_cast<const TokenResponse*>(nullptr)), portico::field<&ExchangeAnswer::returnTo>());
}

/// Signs users in to an app from their sign-in at another app or at identity's origin. Uses a code, valid once and for a minute, at a
/// registered address, never a token in a URL. Thread-safe.
class SsoRoutes
{
public:
    SsoRoutes(Core& core, const Pages& pages, SignInDesk& desk);
    void declare(Routes& routes);

    Response authorize(const Request& request, const RawQuery& query);
    Reply<HandoffCode> handoff(const Caller& caller, const Request& request, const Body<HandoffInput>& input);
    Reply<ExchangeAnswer> exchange(const Request& request, const Body<ExchangeInput>& input);
    /// Returns the handoff of a code that is unused and has not expired. The code stays valid.
    std::optional<interfaces::PendingHandoff> pending(std::string_view code) const;

private:
    /// Client that exchanges a code: a page of the service, or a native app identified by its key.
    struct Presenter
    {
        bool cookies = false;
        std::optional<NativeApp> app;
        /// Identifies the presenter, so that a repeated request can be recognized.
        std::string mark;
    };
    Presenter requirePage(const Request& request, const CatalogService& service, const ExchangeInput& input) const;
    Presenter requireApp(const Request& request, const ExchangeInput& input) const;
    bool isAppRedirect(std::string_view serviceId, std::string_view uri) const;
    const CatalogService& requireTarget(const Catalog& catalog, const HandoffInput& input) const;
    std::string signInBrowser(const SignedInBrowser& browser, const UrlParameters& parameters, const std::string& serviceId);
    SsoGrant requireGrant(const Request& request, const CatalogService& service, const ExchangeInput& input, const Presenter& presenter);
    void publishExchange(Transaction& transaction, const SsoGrant& grant);
    /// Rejects a used code. Unless the same page repeats the request, ends the sign-in that the first use created.
    [[noreturn]] void refuseUsed(const Request& request, const ExchangeInput& input, const Presenter& presenter,
                                 const OneTimeCodes::Used& used);
    /// Returns the app's current sign-in if it belongs to another user. @throws Problem 409 `account_switch_confirmation_required`
    std::optional<SignIn> otherAccount(const Request& request, const ExchangeInput& input, const User& incoming);
    /// Returns the user who signs in, if everything that the grant depends on is still active.
    std::pair<User, std::optional<BrowserSession>> requireSource(Session& session, const SsoGrant& grant) const;

    Core& _core;
    SignInDesk& _desk;
    OneTimeCodes _codes;
    BrowserGate _gate;
    ProblemPage _problem;
};

} // namespace portico::identity
