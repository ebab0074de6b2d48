#pragma once

#include "common/OneTimeSecrets.h"
#include "login/LoginPage.h"
#include "providers/Connectors.h"
#include "providers/ProviderAccounts.h"
#include "signin/BrowserGate.h"
#include "signin/PendingSignIns.h"
#include "signin/ReturnTarget.h"
#include "signin/SignInFlow.h"
#include "web/Fields.h"

#include "portico/RateLimit.h"
#include "portico/Routes.h"

#include <optional>
#include <string>

namespace portico::identity
{

struct ProviderStartQuery
{
    std::string serviceId;
    std::string returnTo;
    std::string loginHint;
    /// Ticket for linking an account.
    std::string link;
};

constexpr auto schemaOf(const ProviderStartQuery*)
{
    return describe(field<&ProviderStartQuery::serviceId>("service_id").maxLength(40),
                    field<&ProviderStartQuery::returnTo>("return_to").maxLength(4096),
                    field<&ProviderStartQuery::loginHint>("login_hint").maxLength(254), field<&ProviderStartQuery::link>().maxLength(100));
}

/// Data of the page about a failed sign-in at a provider: one of these is set.
struct ProviderProblemText
{
    bool unknownProvider = false;
    bool unreachable = false;
    bool expired = false;
    bool refused = false;
    bool notBelieved = false;
    bool notLinked = false;
    bool emailInUse = false;
    bool linkedElsewhere = false;
    bool otherAccount = false;
    bool mayNot = false;
    std::string backUrl = {};
};

constexpr auto schemaOf(const ProviderProblemText*)
{
    return describe(members<&ProviderProblemText::unknownProvider, &ProviderProblemText::unreachable, &ProviderProblemText::expired,
                            &ProviderProblemText::refused, &ProviderProblemText::notBelieved, &ProviderProblemText::notLinked,
                            &ProviderProblemText::emailInUse, &ProviderProblemText::linkedElsewhere, &ProviderProblemText::otherAccount,
                            &ProviderProblemText::mayNot, &ProviderProblemText::backUrl>());
}

/// A sign-in that has gone to a provider and is waited for, in the StateStore.
struct StartedSignIn
{
    std::string providerId;
    std::string returnTo;
    std::string nonce;
    std::string verifier;
    /// Binding of the browser that started the flow.
    std::string binding;
    /// User to whom the account is linked; empty: a sign-in.
    std::string linkTo;
};

constexpr auto schemaOf(const StartedSignIn*)
{
    return describe(members<&StartedSignIn::providerId, &StartedSignIn::returnTo, &StartedSignIn::nonce, &StartedSignIn::verifier,
                            &StartedSignIn::binding, &StartedSignIn::linkTo>());
}

/// Ticket for linking an account, from the app's request to the page that starts it.
struct LinkTicket
{
    UserId userId;
    std::string providerId;
    std::string returnTo;
};

constexpr auto schemaOf(const LinkTicket*)
{
    return describe(members<&LinkTicket::userId, &LinkTicket::providerId, &LinkTicket::returnTo>());
}

/// Flows to a provider and back, for sign-in and for linking, and the provider's logout notifications. Each flow is valid once, for ten
/// minutes, in the browser that started it. Thread-safe.
class ProviderSignInRoutes
{
public:
    ProviderSignInRoutes(Core& core, const Pages& pages, SignInFlow& flow, Connectors& connectors, LoginPage& loginPage);
    void declare(Routes& routes);

    Response start(const Request& request, const Path<IdentityProviderId>& id, const Query<ProviderStartQuery>& query);
    Response callback(const Request& request, const Path<IdentityProviderId>& id, const RawQuery& query);
    Response backchannelLogout(const Request& request, const Path<IdentityProviderId>& id, const RawBody& body);

    /// A page of ours that begins to link an account: good once, for its owner, for ten minutes.
    std::string linkUrl(const UserId& user, const IdentityProvider& provider, const std::string& returnTo);

private:
    std::optional<IdentityProvider> usable(const IdentityProviderId& id) const;
    std::string callbackUrl(const IdentityProvider& provider) const;
    Response leave(const Request& request, const IdentityProvider& provider, StartedSignIn started, const std::string& loginHint);
    Response startLink(const Request& request, const IdentityProvider& provider, const std::string& ticket);
    /// Returns the flow that this browser has started with that state. A flow of another browser stays valid there.
    std::optional<StartedSignIn> take(const Request& request, const IdentityProvider& provider, const std::string& state);
    Response signIn(const Request& request, const IdentityProvider& provider, const StartedSignIn& started, const UpstreamPerson& person);
    Response finishLink(const Request& request, const IdentityProvider& provider, const StartedSignIn& started,
                        const UpstreamPerson& person);
    /// Sets the context: the provider's organization, else the last one, else personal.
    SignInRequest inContext(const User& user, SignInRequest wanted, const IdentityProvider& provider);
    Response problem(const Request& request, int status, ProviderProblemText text, const std::string& returnTo = {}) const;
    Response failed(const Request& request, const IdentityProvider& provider, const UpstreamFailure& failure, const std::string& returnTo);

    Core& _core;
    SignInFlow& _flow;
    Connectors& _connectors;
    LoginPage& _loginPage;
    ProviderAccounts _accounts;
    PendingSignIns _pending;
    OneTimeSecrets<StartedSignIn> _started;
    OneTimeSecrets<LinkTicket> _links;
    BrowserGate _gate;
    FormTokens _tokens;
    RateLimit _logouts;
    RateLimit _starts;
    ProblemPage _wrongWay;
    WebPage<ProviderProblemText> _problem;
};

} // namespace portico::identity
