#include "access/BundleRoutes.h"
#include "clients/OAuthClient.h"
#include "factors/Factors.h"
#include "identity/IdentityHost.h"
#include "onboarding/OnboardingStore.h"
#include "organizations/DomainRoutes.h"
#include "organizations/Invitations.h"
#include "organizations/Memberships.h"
#include "outbox/WebhookStore.h"
#include "passkeys/Passkey.h"
#include "permissions/PersonAccess.h"
#include "permissions/UserOverride.h"
#include "privacy/DataExport.h"
#include "privacy/Deletions.h"
#include "records/Household.h"
#include "scim/Groups.h"
#include "sessions/BrowserSession.h"
#include "sessions/RefreshFamilies.h"
#include "support/Suite.h"
#include "upstream/IdentityProvider.h"
#include "upstream/LinkedAccount.h"

namespace portico::tests
{

/// Records against the tables that the migrations make.
class IdentityTablesTest : public Suite<IdentityTablesTest>
{
    TEST(recordsFitTheirTables)
    {
        IdentityHost host;
        checkTables(host.context().database(), identity::bundleOverrideTable, identity::totpFactorTable, identity::householdMemberTable,
                    identity::householdInvitationTable, identity::oauthClientTable, identity::onboardingTable, identity::domainTable,
                    identity::invitationTable, identity::membershipTable, identity::passkeyTable, identity::userOverrideTable,
                    identity::serviceAccessTable, identity::dataExportTable, identity::identityProviderTable, identity::linkedAccountTable,
                    identity::scim::groupTable, identity::webhookTable, identity::webhookMessageTable, identity::signInTable,
                    identity::browserSessionTable, identity::refreshFamilyTable, identity::waitingDeletionTable);
    }
};

} // namespace portico::tests
