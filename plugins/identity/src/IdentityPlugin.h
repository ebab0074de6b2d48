#pragma once

#include "Foundations.h"
#include "access/AccessRoutes.h"
#include "access/BundleRoutes.h"
#include "access/OverrideRoutes.h"
#include "access/PermissionRoutes.h"
#include "accounts/AccountMaker.h"
#include "accounts/EmailChangeRoutes.h"
#include "accounts/MeRoutes.h"
#include "accounts/PasswordRoutes.h"
#include "accounts/PreferenceRoutes.h"
#include "accounts/RecoveryEmailRoutes.h"
#include "accounts/RegistrationRoutes.h"
#include "accounts/SecurityRoutes.h"
#include "audit/AuditRoutes.h"
#include "credentials/CredentialValidator.h"
#include "credentials/ValidateRoutes.h"
#include "developers/HandoffRoutes.h"
#include "developers/IntakeRoutes.h"
#include "developers/ReviewRoutes.h"
#include "developers/Workspaces.h"
#include "factors/FactorRoutes.h"
#include "households/HouseholdRoutes.h"
#include "human/HumanRoutes.h"
#include "interfaces/InProcessCatalog.h"
#include "interfaces/InProcessDirectory.h"
#include "interfaces/InProcessOnboarding.h"
#include "interfaces/InProcessOperators.h"
#include "interfaces/InProcessPlans.h"
#include "interfaces/InProcessPreferences.h"
#include "interfaces/InProcessSignIns.h"
#include "keys/KeyCheckRoutes.h"
#include "keys/KeyRoutes.h"
#include "keys/KeyUsage.h"
#include "keys/KeyUsageRoutes.h"
#include "keys/LeakedKeyRoutes.h"
#include "login/LoginPage.h"
#include "login/MfaRoutes.h"
#include "login/SessionListRoutes.h"
#include "login/SessionPages.h"
#include "login/SessionRoutes.h"
#include "login/SsoRoutes.h"
#include "oauth/AuthorizeRoutes.h"
#include "oauth/ClientRegistrationRoutes.h"
#include "oauth/ClientRoutes.h"
#include "oauth/DeviceRoutes.h"
#include "oauth/LogoutCalls.h"
#include "oauth/ParRoutes.h"
#include "oauth/ProviderRoutes.h"
#include "oauth/TokenRoutes.h"
#include "onboarding/LandingRoutes.h"
#include "onboarding/OnboardingRoutes.h"
#include "organizations/AgentRoutes.h"
#include "organizations/DomainRoutes.h"
#include "organizations/InvitationRoutes.h"
#include "organizations/MemberRoutes.h"
#include "organizations/OrganizationRoutes.h"
#include "pages/AccountPages.h"
#include "pages/InvitationPages.h"
#include "pages/PasskeyPages.h"
#include "passkeys/PasskeyRoutes.h"
#include "people/ImpersonationRoutes.h"
#include "people/UserRoutes.h"
#include "privacy/PrivacyRoutes.h"
#include "providers/IdentityProviderRoutes.h"
#include "providers/LinkedAccountRoutes.h"
#include "scim/ScimRoutes.h"
#include "services/AppSwitcherRoutes.h"
#include "services/CatalogRoutes.h"
#include "services/RegistryRoutes.h"
#include "services/RemovedRoutes.h"
#include "services/SettingsRedirect.h"
#include "system/SelfCheckRoutes.h"
#include "system/SigningKeyRoutes.h"
#include "web/Pages.h"
#include "webhooks/WebhookRoutes.h"

#include "portico/Plugin.h"

namespace portico::identity
{

/// The identity service: accounts, organizations, permissions and sign-ins. Constructs the objects of all rooms and connects them; no room
/// includes this class.
class IdentityPlugin final : public Plugin
{
public:
    explicit IdentityPlugin(PluginContext& context);
    void start() override;
    void declare(Routes& routes) override;
    void stop() noexcept override;

    HumanVerification& human() noexcept { return _core.human; }
    /// `Templates::findings` after every page and mail is bound.
    std::vector<std::string> templateFindings() const { return _core.templates.findings(); }

private:
    /// Deletes what has expired.
    void sweep();

    Foundations _foundations;
    Core& _core;
    KeyUsage _keyUsage;

    // Called by the host and by other plugins.
    CredentialValidator _credentials;
    Registry _registry;
    AccountMaker _accounts;
    InProcessDirectory _directory;

    // Shared by routes of several rooms.
    SignInFlow _flow;
    SecondFactors _secondFactors;
    Passkeys _passkeys;
    Pages _pages;
    AccountLimits _accountLimits;
    AccountMails _accountMails;
    AccountJobs _accountJobs;
    Workspaces _workspaces;
    Connectors _connectors;
    WebhookSender _webhookSender;
    OwnRecords _ownRecords;
    DataExports _dataExports;
    Deletions _deletions;
    LogoutCalls _logoutCalls;

    // Routes for clients.
    HumanRoutes _humanRoutes;
    IntakeRoutes _intakeRoutes;
    ReviewRoutes _reviewRoutes;
    HandoffRoutes _handoffRoutes;
    EmailChangeRoutes _emailChangeRoutes;
    RegistrationRoutes _registrationRoutes;
    PasswordRoutes _passwordRoutes;
    RecoveryEmailRoutes _recoveryEmailRoutes;
    PreferenceRoutes _preferenceRoutes;
    SessionRoutes _sessionRoutes;
    SsoRoutes _ssoRoutes;
    AuthorizeRoutes _authorizeRoutes;
    ParRoutes _parRoutes;
    TokenRoutes _tokenRoutes;
    ProviderRoutes _providerRoutes;
    ClientRoutes _clientRoutes;
    ClientRegistrationRoutes _clientRegistrationRoutes;
    DeviceRoutes _deviceRoutes;
    SigningKeyRoutes _signingKeyRoutes;
    SessionListRoutes _sessionListRoutes;
    FactorRoutes _factorRoutes;
    MfaRoutes _mfaRoutes;
    SignInEnrollment _signInEnrollment;
    LoginPage _loginPage;
    ProviderSignInRoutes _providerSignInRoutes;
    LinkedAccountRoutes _linkedAccountRoutes;
    IdentityProviderRoutes _identityProviderRoutes;
    PasskeyRoutes _passkeyRoutes;
    PasskeyPages _passkeyPages;
    SecurityRoutes _securityRoutes;
    SessionPages _sessionPages;
    MeRoutes _meRoutes;
    ValidateRoutes _validateRoutes;
    CatalogRoutes _catalogRoutes;
    KeyRoutes _keyRoutes;
    RegistryRoutes _registryRoutes;
    BundleRoutes _bundleRoutes;
    AccessRoutes _accessRoutes;
    PermissionRoutes _permissionRoutes;
    OverrideRoutes _overrideRoutes;
    AuditRoutes _auditRoutes;
    AppSwitcherRoutes _appSwitcherRoutes;
    OnboardingRoutes _onboardingRoutes;
    LandingRoutes _landingRoutes;
    RemovedRoutes _removedRoutes;
    SettingsRedirect _settingsRedirect;
    LeakedKeyRoutes _leakedKeyRoutes;
    KeyCheckRoutes _keyCheckRoutes;
    KeyUsageRoutes _keyUsageRoutes;
    WebhookRoutes _webhookRoutes;
    OrganizationRoutes _organizationRoutes;
    MemberRoutes _memberRoutes;
    InvitationRoutes _invitationRoutes;
    AgentRoutes _agentRoutes;
    DomainRoutes _domainRoutes;
    UserRoutes _userRoutes;
    HouseholdRoutes _householdRoutes;
    scim::ScimRoutes _scimRoutes;
    AccountPages _accountPages;
    InvitationPages _invitationPages;
    PrivacyRoutes _privacyRoutes;
    ImpersonationRoutes _impersonationRoutes;
    SelfCheckRoutes _selfCheckRoutes;

    // The same for plugins of this process.
    InProcessCatalog _services;
    InProcessSignIns _signIns;
    InProcessOperators _operators;
    InProcessOnboarding _onboarding;
    InProcessPreferences _preferences;
    InProcessPlans _plans;
};

} // namespace portico::identity
