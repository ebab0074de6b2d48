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

struct LoginConfigQuery
{
    std::string serviceId;
};

struct LoginTheme
{
    std::optional<std::string> primary;
    bool dark = false;
};

struct LoginMethods
{
    bool password = true;
    bool passkey = false;
    bool emailCode = false;
};

struct SocialProvider
{
    std::string id;
    std::string name;
};

struct HumanVerificationConfig
{
    bool required = false;
    std::optional<std::string> provider;
};

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

template <>
struct portico::Schema<portico::identity::LoginInput>
{
    using T = portico::identity::LoginInput;
    static constexpr auto fields =
        describe(field("identifier", &T::identifier).required().maxLength(254), field("password", &T::password).required().maxLength(1024),
                 field("service_id", &T::serviceId).required().maxLength(40), field("client_id", &T::clientId).maxLength(80),
                 field("rememberMe", &T::rememberMe), field("organizationId", &T::organizationId),
                 field("humanVerification", &T::humanVerification));
};

template <>
struct portico::Schema<portico::identity::LoginConfigQuery>
{
    using T = portico::identity::LoginConfigQuery;
    static constexpr auto fields = describe(field("service_id", &T::serviceId).maxLength(40));
};

template <>
struct portico::Schema<portico::identity::LoginTheme>
{
    using T = portico::identity::LoginTheme;
    static constexpr auto fields = describe(field("primary", &T::primary), field("dark", &T::dark));
};

template <>
struct portico::Schema<portico::identity::LoginMethods>
{
    using T = portico::identity::LoginMethods;
    static constexpr auto fields =
        describe(field("password", &T::password), field("passkey", &T::passkey), field("emailCode", &T::emailCode));
};

template <>
struct portico::Schema<portico::identity::SocialProvider>
{
    using T = portico::identity::SocialProvider;
    static constexpr auto fields = describe(field("id", &T::id), field("name", &T::name));
};

template <>
struct portico::Schema<portico::identity::HumanVerificationConfig>
{
    using T = portico::identity::HumanVerificationConfig;
    static constexpr auto fields = describe(field("required", &T::required), field("provider", &T::provider));
};

template <>
struct portico::Schema<portico::identity::LoginConfig>
{
    using T = portico::identity::LoginConfig;
    static constexpr auto fields = describe(
        field("service_id", &T::serviceId), field("displayName", &T::displayName), field("logoUrl", &T::logoUrl), field("theme", &T::theme),
        field("methods", &T::methods), field("social", &T::social), field("registrationEnabled", &T::registrationEnabled),
        field("humanVerification", &T::humanVerification), field("termsUrl", &T::termsUrl), field("privacyUrl", &T::privacyUrl));
};
