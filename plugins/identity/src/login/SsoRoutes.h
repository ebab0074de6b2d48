#pragma once

#include "sessions/SessionEvents.h"
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

/// What a code stands for: whose sign-in at which service, and where it was made.
struct SsoGrant
{
    std::string userId;
    /// The browser session that it comes from, and the sign-in at the app that asked for a handoff: it must still live.
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
    /// Of a handoff: when the sign-in ends that it comes from.
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
    /// Of a native app: its code is a handoff's for `mobile`, and a DPoP proof stands in place of an Origin.
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

/// Signing in at one app from the sign-in at another, or at identity's own origin: by a code that is good once, for a minute, at the
/// address that was registered for it, and never by a token in a URL. Thread-safe.
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
    /// Who exchanges a code: a page of the service, or a native app by its key.
    struct Presenter
    {
        bool cookies = false;
        std::optional<NativeApp> app;
        /// The same presents the same again.
        std::string mark;
    };
    Presenter requirePage(const Request& request, const CatalogService& service, const ExchangeInput& input) const;
    Presenter requireApp(const Request& request, const ExchangeInput& input) const;
    bool isAppRedirect(std::string_view serviceId, std::string_view uri) const;
    const CatalogService& requireTarget(const Catalog& catalog, const HandoffInput& input) const;
    std::string signInBrowser(const SignedInBrowser& browser, const UrlParameters& parameters, const std::string& serviceId);
    SsoGrant requireGrant(const Request& request, const CatalogService& service, const ExchangeInput& input, const Presenter& presenter);
    void publishExchange(Transaction& transaction, const SsoGrant& grant);
    /// Who was here before, and what they were: rejected, and unless it is the same page again, what the first got is taken away.
    [[noreturn]] void refuseUsed(const Request& request, const ExchangeInput& input, const Presenter& presenter,
                                 const OneTimeCodes::Used& used);
    /// The sign-in that the app holds, of another user. @throws Problem 409 `account_switch_confirmation_required`
    std::optional<SignIn> otherAccount(const Request& request, const ExchangeInput& input, const User& incoming);
    /// Who signs in, when all that the grant stands on is there still.
    std::pair<User, std::optional<BrowserSession>> requireSource(Session& session, const SsoGrant& grant) const;

    Core& _core;
    SignInDesk& _desk;
    SessionEvents _events;
    OneTimeCodes _codes;
    BrowserGate _gate;
    ProblemPage _problem;
};

} // namespace portico::identity
