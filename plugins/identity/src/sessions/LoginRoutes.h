#pragma once

#include "audit/Audit.h"
#include "sessions/Cookies.h"
#include "sessions/LoginThrottle.h"
#include "sessions/SignInService.h"
#include "users/Authenticator.h"

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
    Json humanVerification;
};

constexpr auto schemaOf(const LoginInput*)
{
    return describe(field("identifier", &LoginInput::identifier).required().maxLength(254),
                    field("password", &LoginInput::password).required().maxLength(1024),
                    field("service_id", &LoginInput::serviceId).required().maxLength(40),
                    field("client_id", &LoginInput::clientId).maxLength(80), field("rememberMe", &LoginInput::rememberMe),
                    field("organizationId", &LoginInput::organizationId), field("humanVerification", &LoginInput::humanVerification));
}

struct LoginConfigQuery
{
    std::string serviceId;
};

constexpr auto schemaOf(const LoginConfigQuery*) { return describe(field("service_id", &LoginConfigQuery::serviceId).maxLength(40)); }

struct LoginTheme
{
    std::optional<std::string> primary;
    bool dark = false;
};

constexpr auto schemaOf(const LoginTheme*) { return describe(field("primary", &LoginTheme::primary), field("dark", &LoginTheme::dark)); }

struct LoginMethods
{
    bool password = true;
    bool passkey = false;
    bool emailCode = false;
};

constexpr auto schemaOf(const LoginMethods*)
{
    return describe(field("password", &LoginMethods::password), field("passkey", &LoginMethods::passkey),
                    field("emailCode", &LoginMethods::emailCode));
}

struct SocialProvider
{
    std::string id;
    std::string name;
};

constexpr auto schemaOf(const SocialProvider*) { return describe(field("id", &SocialProvider::id), field("name", &SocialProvider::name)); }

struct HumanVerificationConfig
{
    bool required = false;
    std::optional<std::string> provider;
};

constexpr auto schemaOf(const HumanVerificationConfig*)
{
    return describe(field("required", &HumanVerificationConfig::required), field("provider", &HumanVerificationConfig::provider));
}

/// What a sign-in page needs to know of a service.
struct LoginConfig
{
    std::string serviceId;
    std::string displayName;
    std::optional<std::string> logoUrl;
    LoginTheme theme;
    LoginMethods methods;
    std::vector<SocialProvider> social;
    bool registrationEnabled = false;
    HumanVerificationConfig humanVerification;
    std::optional<std::string> termsUrl;
    std::optional<std::string> privacyUrl;
};

constexpr auto schemaOf(const LoginConfig*)
{
    return describe(field("service_id", &LoginConfig::serviceId), field("displayName", &LoginConfig::displayName),
                    field("logoUrl", &LoginConfig::logoUrl), field("theme", &LoginConfig::theme), field("methods", &LoginConfig::methods),
                    field("social", &LoginConfig::social), field("registrationEnabled", &LoginConfig::registrationEnabled),
                    field("humanVerification", &LoginConfig::humanVerification), field("termsUrl", &LoginConfig::termsUrl),
                    field("privacyUrl", &LoginConfig::privacyUrl));
}

/// Signing in with a password.
class LoginRoutes
{
public:
    struct Parts
    {
        Database& database;
        CatalogStore& catalog;
        SignInService& signIns;
        Authenticator& authenticator;
        LoginThrottle& throttle;
        const Cookies& cookies;
        const Audit& audit;
        const Clock& clock;
    };
    explicit LoginRoutes(const Parts& parts) : _parts(parts) {}
    void declare(Routes& routes);

    Reply<TokenResponse> login(const Request& request, const Body<LoginInput>& input);
    Reply<LoginConfig> config(const Request& request, const Query<LoginConfigQuery>& query);

private:
    User requireUser(const LoginInput& input, const Client& client);

    Parts _parts;
    Sha256 _sha256;
};

} // namespace portico::identity
