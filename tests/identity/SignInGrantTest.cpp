#include "signin/SignInGrant.h"
#include "support/Suite.h"

#include "portico/Json.h"

namespace portico::tests
{

/// Codes that an earlier version has issued are redeemed after an update, so the members of a grant keep their names in JSON.
class SignInGrantTest : public Suite<SignInGrantTest>
{
    TEST(readsSsoCodesOfEarlierVersions)
    {
        const auto grant = fromStoredJson<identity::SignInGrant>(
            R"({"userId":"usr_1","browserSessionId":null,"sourceSessionId":"ses_1","serviceId":"crm","redirectUri":"https://crm.test/cb",)"
            R"("codeChallenge":"","returnTo":"/x","organizationId":null,"chooseContext":false,"mobile":true,"amr":["pwd"],"acr":"aal1",)"
            R"("authTime":"2026-01-01T00:00:00Z","expiresAt":"2026-01-02T00:00:00Z","handoffId":"hnd_1"})");
        equal("usr_1", grant.userId);
        CHECK(!grant.browserSessionId);
        equal("ses_1", grant.sourceSessionId.value());
        equal("https://crm.test/cb", grant.redirectUri);
        CHECK(grant.mobile);
        equal("pwd", grant.amr.at(0));
        CHECK(grant.until.value() - grant.authTime == std::chrono::hours(24));
        equal("hnd_1", grant.handoffId);
    }

    TEST(readsAuthorizationCodesOfEarlierVersions)
    {
        const auto grant = fromStoredJson<identity::SignInGrant>(
            R"({"clientId":"cli_1","redirectUri":"https://app.test/cb","scope":"openid email","nonce":"n","codeChallenge":"c",)"
            R"("dpopJkt":"k","userId":"usr_1","browserSessionId":"brs_1","organizationId":null,"address":"192.0.2.7"})");
        equal("cli_1", grant.clientId);
        equal("openid email", grant.scope);
        equal("n", grant.nonce);
        equal("c", grant.codeChallenge);
        equal("k", grant.dpopJkt);
        equal("brs_1", grant.browserSessionId.value());
        equal("192.0.2.7", grant.address);
        CHECK(!grant.until);
    }
};

} // namespace portico::tests
