#pragma once

#include "accounts/AccountMaker.h"
#include "accounts/AccountsPart.h"
#include "catalog/CatalogRoutes.h"
#include "catalog/RegistryPart.h"
#include "common/Core.h"
#include "credentials/CredentialValidator.h"
#include "credentials/ValidateRoutes.h"
#include "developers/DevelopersPart.h"
#include "factors/FactorRoutes.h"
#include "factors/MfaRoutes.h"
#include "factors/SecurityRoutes.h"
#include "human/HumanRoutes.h"
#include "interfaces/InProcessCatalog.h"
#include "interfaces/InProcessDirectory.h"
#include "interfaces/InProcessOnboarding.h"
#include "interfaces/InProcessOperators.h"
#include "interfaces/InProcessPlans.h"
#include "interfaces/InProcessPreferences.h"
#include "interfaces/InProcessSignIns.h"
#include "keys/KeyRoutes.h"
#include "keys/KeyUsage.h"
#include "oauth/OAuthPart.h"
#include "organizations/OrganizationsPart.h"
#include "pages/AccountPages.h"
#include "pages/InvitationPages.h"
#include "pages/PasskeyPages.h"
#include "passkeys/PasskeyRoutes.h"
#include "people/ImpersonationRoutes.h"
#include "privacy/PrivacyRoutes.h"
#include "providers/ProvidersPart.h"
#include "scim/ScimRoutes.h"
#include "sessions/SessionListRoutes.h"
#include "sessions/SessionPages.h"
#include "sessions/SessionRoutes.h"
#include "sso/LoginPage.h"
#include "sso/SsoRoutes.h"
#include "system/SelfCheckRoutes.h"
#include "tokens/SigningKeyRoutes.h"
#include "users/MeRoutes.h"
#include "web/Pages.h"

#include "portico/Plugin.h"

namespace portico::identity
{

/// The identity service: who people are, where they belong, what they may do, and how they prove it. Ties the parts together; none of them
/// knows of this class.
class IdentityPlugin final : public Plugin
{
public:
    explicit IdentityPlugin(PluginContext& context);
    void start() override;
    void declare(Routes& routes) override;
    void stop() noexcept override;

    HumanVerification& human() noexcept { return _core.human; }
    /// `Templates::findings` once every page and mail is bound.
    std::vector<std::string> templateFindings() const { return _core.templates.findings(); }

private:
    /// Deletes what has expired and says nothing any more.
    void sweep();

    Core _core;
    KeyUsage _keyUsage;

    // What the host and other plugins call.
    CredentialValidator _credentials;
    Registry _registry;
    AccountMaker _accounts;
    InProcessDirectory _directory;

    // What clients call.
    HumanRoutes _humanRoutes;
    SignInDesk _desk;
    SecondFactors _secondFactors;
    DevelopersPart _developers;
    Passkeys _passkeys;
    AccountsPart _accountsPart;
    SessionRoutes _sessionRoutes;
    Pages _pages;
    SsoRoutes _ssoRoutes;
    OAuthPart _oauth;
    SigningKeyRoutes _signingKeyRoutes;
    SessionListRoutes _sessionListRoutes;
    FactorRoutes _factorRoutes;
    MfaRoutes _mfaRoutes;
    LoginPage _loginPage;
    ProvidersPart _providers;
    PasskeyRoutes _passkeyRoutes;
    PasskeyPages _passkeyPages;
    SecurityRoutes _securityRoutes;
    SessionPages _sessionPages;
    MeRoutes _meRoutes;
    ValidateRoutes _validateRoutes;
    CatalogRoutes _catalogRoutes;
    KeyRoutes _keyRoutes;
    RegistryPart _registryPart;
    OrganizationsPart _organizations;
    scim::ScimRoutes _scimRoutes;
    AccountPages _accountPages;
    InvitationPages _invitationPages;
    PrivacyPart _privacy;
    ImpersonationRoutes _impersonationRoutes;
    SelfCheckRoutes _selfCheckRoutes;
    InProcessCatalog _services;
    InProcessSignIns _signIns;
    InProcessOperators _operators;
    InProcessOnboarding _onboarding;
    InProcessPreferences _preferences;
    InProcessPlans _plans;
};

} // namespace portico::identity
