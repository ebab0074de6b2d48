#pragma once

#include "accounts/AccountMaker.h"
#include "audit/Audit.h"
#include "catalog/CatalogRoutes.h"
#include "catalog/CatalogStore.h"
#include "catalog/Registry.h"
#include "common/Changes.h"
#include "common/Settings.h"
#include "credentials/CredentialValidator.h"
#include "credentials/ValidateRoutes.h"
#include "keys/KeyRoutes.h"
#include "keys/KeyService.h"
#include "keys/KeyUsage.h"
#include "organizations/Members.h"
#include "sessions/Cookies.h"
#include "sessions/LoginRoutes.h"
#include "sessions/LoginThrottle.h"
#include "sessions/LogoutRoutes.h"
#include "sessions/RefreshFamilies.h"
#include "sessions/SessionRoutes.h"
#include "sessions/SignInService.h"
#include "sessions/TokenIssuer.h"
#include "tokens/KeyRing.h"
#include "tokens/TokenRoutes.h"
#include "users/Authenticator.h"
#include "users/MeRoutes.h"

#include "portico/Plugin.h"

namespace portico::identity
{

/// The identity service: who people are, where they belong, what they may do, and how they prove it. Ties the parts together; each is told
/// what it needs and knows nothing of this class.
class IdentityPlugin final : public Plugin
{
public:
    explicit IdentityPlugin(Context& context);
    void start() override;
    void declare(Routes& routes) override;
    void stop() noexcept override;

private:
    Context& _context;
    Settings _settings;
    Changes _changes;
    Audit _audit;

    // What is known.
    CatalogStore _catalog;
    KeyRing _keyRing;
    KeyUsage _keyUsage;

    // What is done with it.
    Authenticator _authenticator;
    LoginThrottle _throttle;
    RefreshFamilies _families;
    TokenIssuer _issuer;
    SignInService _signIns;
    Cookies _cookies;
    KeyService _keys;

    // What the host and other plugins call.
    CredentialValidator _credentials;
    Registry _registry;
    AccountMaker _accounts;
    Members _members;

    // What clients call.
    TokenRoutes _tokenRoutes;
    LoginRoutes _loginRoutes;
    SessionRoutes _sessionRoutes;
    LogoutRoutes _logoutRoutes;
    MeRoutes _meRoutes;
    ValidateRoutes _validateRoutes;
    CatalogRoutes _catalogRoutes;
    KeyRoutes _keyRoutes;
};

} // namespace portico::identity
