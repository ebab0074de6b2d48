#pragma once

#include "signin/BrowserGate.h"
#include "signin/CodeRedemption.h"
#include "signin/NativeApp.h"
#include "web/ProblemPage.h"

#include "portico/Routes.h"
#include "portico/interfaces/SignIns.h"

#include <optional>
#include <string>

namespace portico::identity
{

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
    SsoRoutes(Core& core, const Pages& pages, SignInFlow& flow);
    void declare(Routes& routes);

    Response authorize(const Request& request, const RawQuery& query);
    Reply<HandoffCode> handoff(const Caller& caller, const Request& request, const Body<HandoffInput>& input);
    Reply<ExchangeAnswer> exchange(const Request& request, const Body<ExchangeInput>& input);
    /// Returns the handoff of a code that is unused and has not expired. The code stays valid.
    std::optional<interfaces::PendingHandoff> pending(std::string_view code) const;

private:
    /// A page of the service, or a native app by its key.
    struct Presenter : CodeRedemption::Presenter
    {
        bool cookies = false;
        std::optional<NativeApp> app = {};
    };
    Presenter requirePage(const Request& request, const CatalogService& service, const ExchangeInput& input) const;
    Presenter requireApp(const Request& request, const ExchangeInput& input) const;
    bool isAppRedirect(std::string_view serviceId, std::string_view uri) const;
    const CatalogService& requireTarget(const Catalog& catalog, const HandoffInput& input) const;
    /// Returns the code.
    std::string grantBrowser(const Request& request, const SignedInBrowser& browser, const UrlParameters& parameters,
                             const std::string& serviceId);
    static void verify(const SignInGrant& grant, const CatalogService& service, const ExchangeInput& input, const Presenter& presenter);
    void publishExchange(Transaction& transaction, const SignInGrant& grant);
    /// Returns the app's current sign-in if it belongs to another user. @throws Problem 409 `account_switch_confirmation_required`
    std::optional<SignIn> otherAccount(const Request& request, const ExchangeInput& input, const User& incoming);

    Core& _core;
    SignInFlow& _flow;
    CodeRedemption _codes;
    BrowserGate _gate;
    ProblemPage _problem;
};

} // namespace portico::identity
