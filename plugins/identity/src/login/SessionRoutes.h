#pragma once

#include "factors/SecondFactors.h"
#include "human/HumanVerification.h"
#include "login/SignInEnrollment.h"
#include "passkeys/Passkeys.h"
#include "sessions/LoginThrottle.h"
#include "sessions/RefreshFamilies.h"
#include "signin/PendingSignIns.h"
#include "signin/SignInFlow.h"
#include "users/Passwords.h"

#include "portico/Routes.h"

namespace portico::identity
{

struct LoginInput
{
    std::string identifier;
    std::string password;
    std::string serviceId;
    std::string clientId;
    bool rememberMe = true;
    std::optional<OrganizationId> organizationId;
    std::optional<HumanProof> humanVerification;
};

constexpr auto schemaOf(const LoginInput*)
{
    return describe(field<&LoginInput::identifier>().required().maxLength(254), field<&LoginInput::password>().required().maxLength(1024),
                    field<&LoginInput::serviceId>("service_id").required().maxLength(40),
                    field<&LoginInput::clientId>("client_id").maxLength(80),
                    members<&LoginInput::rememberMe, &LoginInput::organizationId, &LoginInput::humanVerification>());
}

struct LoginConfigQuery
{
    std::string serviceId;
};

constexpr auto schemaOf(const LoginConfigQuery*) { return describe(field<&LoginConfigQuery::serviceId>("service_id").maxLength(40)); }

struct LoginTheme
{
    std::optional<std::string> primary;
    bool dark = false;
};

constexpr auto schemaOf(const LoginTheme*) { return describe(members<&LoginTheme::primary, &LoginTheme::dark>()); }

struct LoginMethods
{
    bool password = true;
    bool passkey = true;
    bool emailCode = false;
};

constexpr auto schemaOf(const LoginMethods*)
{
    return describe(members<&LoginMethods::password, &LoginMethods::passkey, &LoginMethods::emailCode>());
}

struct SocialProvider
{
    std::string id;
    std::string name;
};

constexpr auto schemaOf(const SocialProvider*) { return describe(members<&SocialProvider::id, &SocialProvider::name>()); }

struct HumanVerificationConfig
{
    bool required = false;
    std::optional<std::string> provider;
};

constexpr auto schemaOf(const HumanVerificationConfig*)
{
    return describe(members<&HumanVerificationConfig::required, &HumanVerificationConfig::provider>());
}

/// Data of a service for a sign-in page.
struct LoginConfig
{
    std::string serviceId;
    std::string displayName;
    std::optional<std::string> logoUrl;
    LoginTheme theme;
    LoginMethods methods;
    std::vector<SocialProvider> social;
    bool registrationEnabled = false;
    /// False before the first one is made: then a page says how.
    bool hasAccounts = true;
    HumanVerificationConfig humanVerification;
    std::optional<std::string> termsUrl;
    std::optional<std::string> privacyUrl;
};

constexpr auto schemaOf(const LoginConfig*)
{
    return describe(field<&LoginConfig::serviceId>("service_id"),
                    members<&LoginConfig::displayName, &LoginConfig::logoUrl, &LoginConfig::theme, &LoginConfig::methods,
                            &LoginConfig::social, &LoginConfig::registrationEnabled, &LoginConfig::hasAccounts,
                            &LoginConfig::humanVerification, &LoginConfig::termsUrl, &LoginConfig::privacyUrl>());
}

/// Body of a refresh. Empty for a page, whose credential is the cookie; a native app sends its refresh token.
struct RefreshInput
{
    std::string refreshToken;
    std::string clientId;
};

constexpr auto schemaOf(const RefreshInput*)
{
    return describe(field<&RefreshInput::refreshToken>("refresh_token").maxLength(1000),
                    field<&RefreshInput::clientId>("client_id").maxLength(80));
}

struct ContextInput
{
    std::string kind;
    std::optional<OrganizationId> organizationId;
};

constexpr auto schemaOf(const ContextInput*)
{
    return describe(field<&ContextInput::kind>().required().maxLength(20), field<&ContextInput::organizationId>());
}

struct StepUpInput
{
    std::string factor;
    std::string password;
    std::string code;
    Json credential;
};

constexpr auto schemaOf(const StepUpInput*)
{
    return describe(field<&StepUpInput::factor>().required().maxLength(20), field<&StepUpInput::password>().maxLength(1024),
                    field<&StepUpInput::code>().maxLength(40), field<&StepUpInput::credential>());
}

enum class LogoutScope : std::uint8_t
{
    App,
    Browser,
    Everywhere
};

constexpr auto schemaOf(const LogoutScope*)
{
    using enum LogoutScope;
    return portico::choices<LogoutScope>({{"app", App}, {"browser", Browser}, {"everywhere", Everywhere}});
}

struct LogoutInput
{
    LogoutScope scope = LogoutScope::Browser;
};

constexpr auto schemaOf(const LogoutInput*) { return describe(field<&LogoutInput::scope>()); }

struct LogoutResult
{
    std::vector<std::string> ended;
    /// Page of identity that notifies the browser's other tabs. If this call ended a sign-in, it contains a ticket for one use within a
    /// minute. Without a ticket the page only reports the current state. A sign-in ends once, so there is at most one ticket.
    std::string broadcastUrl;
    std::vector<std::string> frontchannel;
};

constexpr auto schemaOf(const LogoutResult*)
{
    return describe(members<&LogoutResult::ended, &LogoutResult::broadcastUrl, &LogoutResult::frontchannel>());
}

/// Sign-in with a password; refresh, change of context and step-up of a sign-in; and sign-out. The sign-out route is open and reads its
/// credential itself, because it must not fail for a sign-in that has already ended. Only an active sign-in can end others. Thread-safe.
class SessionRoutes
{
public:
    SessionRoutes(Core& core, SignInFlow& flow, SecondFactors& secondFactors, Passkeys& passkeys)
        : _core(core),
          _flow(flow),
          _secondFactors(secondFactors),
          _passkeys(passkeys),
          _pending(core),
          _throttle(core.state, core.settings, core.clock),
          _authenticator(core.database, core.clock)
    {
    }
    void declare(Routes& routes);

    Reply<TokenResponse> login(const Request& request, const Body<LoginInput>& input);
    /// Does the same for a page of identity, which defines the sign-in. If the user lacks a required second factor, begins its setup.
    /// @throws Problem like the route; 403 `org_policy_mfa_required` has an EnrollmentDemand
    Reply<TokenResponse> loginOnPage(const Request& request, const LoginInput& input, SignInEnrollment& enrollment);
    Reply<LoginConfig> config(const Request& request, const Query<LoginConfigQuery>& query);
    Reply<TokenResponse> refresh(const Request& request, const Body<RefreshInput>& input);
    Reply<TokenResponse> switchContext(const Caller& caller, const Request& request, const Body<ContextInput>& input);
    Reply<TokenResponse> stepUp(const Caller& caller, const Request& request, const Body<StepUpInput>& input);
    Reply<LogoutResult> logout(const Request& request, const Body<LogoutInput>& input);

private:
    /// Checks the password and adds it to the sign-in. @throws Problem 403 `mfa_required` if the user has a second factor
    User requireFirstProof(const Request& request, const LoginInput& input, SignInRequest& wanted);
    User requireUser(const Request& request, const LoginInput& input, const Client& client);
    /// @throws Problem 403 `mfa_required` if the user has a second factor
    void requireNoFactor(const User& user, const SignInRequest& wanted);
    /// Returns the proof of a step-up in terms of amr; none if it is invalid.
    std::optional<std::string_view> proved(const Caller& caller, const Request& request, const StepUpInput& input);
    /// Implements `refresh`. Refusals clear the cookie.
    Reply<TokenResponse> renew(const Request& request);
    /// Rotates the handle of the browser session at identity's origin, because the privileges change.
    std::vector<SetCookie> rotateHandle(Transaction& transaction, const Request& request, const SignIn& signIn) const;
    Reply<TokenResponse> renewApp(const Request& request, const RefreshInput& input);
    /// @throws Problem 401 like `refresh`
    std::pair<RefreshResult, TokenResponse> rotate(std::string_view handle, const Client& client);
    void requireService(const Request& request, std::string_view handle);
    /// Ends the sign-in if a refused refresh shows that it is invalid, and notifies listeners.
    [[noreturn]] void refuse(const RefreshResult& result, const Client& client);
    /// The caller's own sign-in and account.
    std::pair<SignIn, User> own(Session& session, const Caller& caller) const;
    /// Returns the id of the request's sign-in; empty if its handle has ended.
    /// @throws Problem 401, 403 `csrf_rejected`, `permission_denied` if the credential may not end that scope
    std::string sessionOf(const Request& request, LogoutScope wanted);
    std::vector<std::string> end(const SignIn& signIn, LogoutScope wanted, Client client);
    std::string ticketFor(const SignIn& signIn);

    Core& _core;
    SignInFlow& _flow;
    SecondFactors& _secondFactors;
    Passkeys& _passkeys;
    PendingSignIns _pending;
    LoginThrottle _throttle;
    Authenticator _authenticator;
};

} // namespace portico::identity
