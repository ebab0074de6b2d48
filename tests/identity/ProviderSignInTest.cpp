#include "identity/UpstreamFixture.h"

namespace portico::tests
{

/// Signing in through other providers: who gets in, and that nobody gets into somebody else's account, whatever a provider says.
class ProviderSignInTest : public UpstreamFixture
{
    CPPUNIT_TEST_SUITE(ProviderSignInTest);
    CPPUNIT_TEST(aLinkSignsIn);
    CPPUNIT_TEST(anUnknownPersonIsNotLinked);
    CPPUNIT_TEST(makesAccountsWhereItMay);
    CPPUNIT_TEST(anAddressAloneLinksNothing);
    CPPUNIT_TEST(aTrustedAddressLinksUntouchedAccountsOnly);
    CPPUNIT_TEST(anOrganizationVouchesForItsDomains);
    CPPUNIT_TEST(anOrganizationVouchesForNoOthers);
    CPPUNIT_TEST(nobodyAboveWhoSetItUpIsReached);
    CPPUNIT_TEST(whoChangesItGivesItTheirRank);
    CPPUNIT_TEST(aRoleIsGivenWhileItsGiverMay);
    CPPUNIT_TEST(anotherIssuerTakesNoLinksOver);
    CPPUNIT_TEST(aMemberWhoWasTakenOutStaysOut);
    CPPUNIT_TEST(whoLeavesIsOpenedByNobodyThere);
    CPPUNIT_TEST(aRegistrationThatNobodyProvedIsTakenOver);
    CPPUNIT_TEST(theOwnerOfAnAddressTakesItBack);
    CPPUNIT_TEST(aChangedSubjectIsSomebodyElse);
    CPPUNIT_TEST(tokensThatDoNotHoldAreRefused);
    CPPUNIT_TEST(answersOfAnotherIssuerAreRefused);
    CPPUNIT_TEST(providersAreNotMixedUp);
    CPPUNIT_TEST(aWayIsGoodOnce);
    CPPUNIT_TEST(aWayEndsAfterTenMinutes);
    CPPUNIT_TEST(aWayBelongsToItsBrowser);
    CPPUNIT_TEST(newKeysAreReadOnce);
    CPPUNIT_TEST(userinfoIsOfTheSamePerson);
    CPPUNIT_TEST(aProviderThatIsAwayIsSaidSo);
    CPPUNIT_TEST(secondFactorsAreAskedFor);
    CPPUNIT_TEST(secondFactorsThereCountAsMapped);
    CPPUNIT_TEST(aSuspendedAccountStaysOut);
    CPPUNIT_TEST(aWayLeadsToRegisteredOriginsOnly);
    CPPUNIT_TEST(aDisabledProviderOpensNothing);
    CPPUNIT_TEST_SUITE_END();

public:
    void aLinkSignsIn()
    {
        const auto id = provider();
        linkAda(id);
        const auto answer = roundTrip(id);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(answer.body, 303, answer.status);
        CPPUNIT_ASSERT_EQUAL(std::string("/settings"), BrowserDriver::locationOf(answer));
        CPPUNIT_ASSERT(_browser->signedIn());
        CPPUNIT_ASSERT_EQUAL(std::string("ada@acme.example"), reached());
        const auto secret = _host->context().database().session().value<std::string>("SELECT client_secret FROM identity_providers");
        CPPUNIT_ASSERT_MESSAGE("sealed", secret->find("s3cret") == std::string::npos);
        bool sent = false;
        for (const auto& request : _host->context().http().requests())
            for (const auto& [name, value] : request.headers) sent = sent || value == "Basic cG9ydGljbzpzM2NyZXQ=";
        CPPUNIT_ASSERT(sent);
        CPPUNIT_ASSERT(_host->count("SELECT COUNT(*) FROM identity_providers WHERE last_used_at IS NOT NULL AND last_error IS NULL") == 1);
    }

    void anUnknownPersonIsNotLinked()
    {
        _upstream->profile["email"] = "nobody@elsewhere.example";
        refused(provider(), 403, "No account is linked to");
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, _host->count("SELECT COUNT(*) FROM linked_accounts"));
    }

    void makesAccountsWhereItMay()
    {
        const auto id = provider(R"(,"join":"create")");
        _upstream->profile["email"] = "new@elsewhere.example";
        CPPUNIT_ASSERT_EQUAL(303, roundTrip(id).status);
        CPPUNIT_ASSERT_EQUAL(std::string("new@elsewhere.example"), reached());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _host->count("SELECT COUNT(*) FROM users WHERE email = 'new@elsewhere.example' "
                                                           "AND NOT email_verified AND password_hash IS NULL"));
        // The second time it is the link.
        _upstream->profile = {{"email", "changed@elsewhere.example"}, {"email_verified", false}};
        CPPUNIT_ASSERT_EQUAL(303, roundTrip(id).status);
        CPPUNIT_ASSERT_EQUAL(std::string("new@elsewhere.example"), reached());
        _upstream->subject = "another";
        _upstream->profile = {{"email", "third@elsewhere.example"}, {"email_verified", false}};
        refused(id, 403, "No account is linked to", "new@elsewhere.example");
        _upstream->profile = {};
        refused(id, 403, "No account is linked to", "new@elsewhere.example");
    }

    void anAddressAloneLinksNothing()
    {
        const auto id = provider(R"(,"join":"create")");
        refused(id, 409, "An account with your address already exists");
        // An address that nobody has proved tells nothing.
        _upstream->profile["email_verified"] = false;
        refused(id, 403, "No account is linked to");
        _upstream->profile["email"] = "nobody@acme.example";
        refused(id, 403, "No account is linked to");
    }

    void aTrustedAddressLinksUntouchedAccountsOnly()
    {
        const auto id = provider(R"(,"trustEmail":true)");
        refused(id, 409, "An account with your address already exists");
        _host->change("UPDATE users SET password_hash = NULL WHERE email = 'ada@acme.example'");
        _upstream->profile["email_verified"] = false;
        refused(id, 403, "No account is linked to");
        _upstream->profile["email_verified"] = "true";
        CPPUNIT_ASSERT_EQUAL(303, roundTrip(id).status);
        CPPUNIT_ASSERT_EQUAL(std::string("ada@acme.example"), reached());
    }

    void anOrganizationVouchesForItsDomains()
    {
        prove("acme", "acme.example");
        const auto id = provider(owned("acme", R"(,"join":"create","joinRole":"admin","domains":["acme.example"])"));
        CPPUNIT_ASSERT_EQUAL(303, roundTrip(id).status);
        CPPUNIT_ASSERT_EQUAL(std::string("ada@acme.example"), reached());
        _upstream->subject = "2";
        _upstream->profile = {{"email", "Bob@ACME.example"}};
        CPPUNIT_ASSERT_EQUAL(303, roundTrip(id).status);
        CPPUNIT_ASSERT_EQUAL(std::string("Bob@ACME.example"), reached());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _host->count("SELECT COUNT(*) FROM memberships m JOIN users u ON u.id = m.user_id WHERE "
                                                           "u.email_key = 'bob@acme.example' AND m.role = 'admin' AND u.email_verified"));
    }

    void anOrganizationVouchesForNoOthers()
    {
        prove("acme", "acme.example");
        // A hostile organization that says what it likes of everybody.
        const auto id = provider(owned("other", R"(,"join":"create")"), "https://idp.example", elevated("eve@other.example"));
        const auto users = _host->count("SELECT COUNT(*) FROM users");
        refused(id, 403, "No account is linked to");
        _upstream->profile["email"] = "nobody@acme.example";
        refused(id, 403, "No account is linked to");
        _upstream->profile["email"] = "op@admin.example";
        refused(id, 403, "No account is linked to");
        CPPUNIT_ASSERT_EQUAL(users, _host->count("SELECT COUNT(*) FROM users"));
        CPPUNIT_ASSERT_EQUAL(400,
                             post("/api/identity-providers",
                                  R"({"name":"x","issuer":"https://idp.example","clientId":"p","trustEmail":true)" + owned("other") + '}',
                                  elevated("eve@other.example"))
                                 .status);
    }

    void nobodyAboveWhoSetItUpIsReached()
    {
        prove("acme", "acme.example");
        _host->createUser("sue@acme.example", "acme", "super_admin");
        const auto id = provider(owned("acme", R"(,"join":"create")"), "https://idp.example", elevated("sue@acme.example"));
        refused(id, 409, "An account with your address already exists");
        // Suspended they are owners all the same, and owners elsewhere are, too.
        _host->change("UPDATE memberships SET status = 'suspended' WHERE role = 'owner'");
        refused(id, 409, "An account with your address already exists");
        _host->createUser("bob@acme.example", "acme");
        _host->createUser("bob@acme.example", "other", "owner");
        _upstream->profile = {{"email", "bob@acme.example"}};
        refused(id, 409, "An account with your address already exists");
        // A registration that nobody has proved is no way around.
        _host->change("UPDATE users SET status = 'pending_verification', email_verified = FALSE WHERE email = 'bob@acme.example'");
        refused(id, 409, "An account with your address already exists");
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, _host->count("SELECT COUNT(*) FROM linked_accounts"));
        _upstream->profile = {{"email", "sue@acme.example"}};
        CPPUNIT_ASSERT_EQUAL(303, roundTrip(id).status);
        CPPUNIT_ASSERT_EQUAL(std::string("sue@acme.example"), reached());
        // An owner of later is above it, linked or not: ProviderScopeTest.
        _host->change("UPDATE memberships SET role = 'owner' WHERE role = 'super_admin'");
        CPPUNIT_ASSERT_EQUAL(403, roundTrip(id).status);
    }

    void whoChangesItGivesItTheirRank()
    {
        prove("acme", "acme.example");
        _host->createUser("sue@acme.example", "acme", "super_admin");
        const auto ada = elevated("ada@acme.example"), sue = elevated("sue@acme.example");
        const auto id = provider(owned("acme"), "https://idp.example", ada);
        const auto change = [&](const char* body, const std::string& token)
        {
            const auto answer = send(Method::Patch, "/api/identity-providers/" + id, body, token);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(answer.body, 200, answer.status);
        };
        change(R"({"issuer":"https://rogue.example","clientSecret":"s3cret"})", sue);
        change(R"({"issuer":"https://idp.example","clientSecret":"s3cret"})", sue);
        refused(id, 409, "An account with your address already exists");
        // Another name says nothing of where it asks.
        change(R"({"name":"Named"})", ada);
        refused(id, 409, "An account with your address already exists");
        change(R"({"clientSecret":"s3cret"})", ada);
        change(R"({"name":"Named again","clientId":"portico"})", sue);
        CPPUNIT_ASSERT_EQUAL(303, roundTrip(id).status);
        CPPUNIT_ASSERT_EQUAL(std::string("ada@acme.example"), reached());
    }

    /// `joinRole` is the word of who set it: who may not give that role any more gives nobody anything.
    void aRoleIsGivenWhileItsGiverMay()
    {
        prove("acme", "acme.example");
        const auto sue = _host->createUser("sue@acme.example", "acme", "super_admin");
        const auto id =
            provider(owned("acme", R"(,"join":"create","joinRole":"admin")"), "https://idp.example", elevated("sue@acme.example"));
        const auto setRole = [&](std::string_view role)
        {
            const auto answer = send(Method::Patch, "/api/organizations/" + _host->organizationId("acme") + "/members/" + sue,
                                     R"({"role":")" + std::string(role) + "\"}", elevated("ada@acme.example"));
            CPPUNIT_ASSERT_EQUAL_MESSAGE(answer.body, 200, answer.status);
        };
        const auto roleOf = [&](const std::string& name)
        {
            _upstream->subject = name;
            _upstream->profile = {{"email", name + "@acme.example"}};
            CPPUNIT_ASSERT_EQUAL(303, roundTrip(id).status);
            return _host->context()
                .database()
                .session()
                .value<std::string>("SELECT m.role FROM memberships m JOIN users u ON u.id = m.user_id WHERE u.email = $1",
                                    name + "@acme.example")
                .value_or("none");
        };
        CPPUNIT_ASSERT_EQUAL(std::string("admin"), roleOf("bob"));
        setRole("member");
        CPPUNIT_ASSERT_EQUAL(std::string("member"), roleOf("carl"));
        setRole("admin");
        CPPUNIT_ASSERT_EQUAL(std::string("admin"), roleOf("dora"));
        _host->change("UPDATE users SET status = 'suspended' WHERE id = $1", {sue});
        CPPUNIT_ASSERT_EQUAL(std::string("member"), roleOf("emil"));
    }

    void anotherIssuerTakesNoLinksOver()
    {
        prove("acme", "acme.example");
        _host->createUser("sue@acme.example", "acme", "super_admin");
        const auto id = provider(owned("acme"), "https://idp.example", elevated("ada@acme.example"));
        linkAda(id);
        CPPUNIT_ASSERT_EQUAL(200, send(Method::Patch, "/api/identity-providers/" + id,
                                       R"({"issuer":"https://rogue.example","clientSecret":"s3cret"})", elevated("sue@acme.example"))
                                      .status);
        _other->subject = _upstream->subject;
        _other->profile = _upstream->profile;
        const auto left = _browser->get(startOf(id));
        CPPUNIT_ASSERT_EQUAL(409, _browser->get(_other->authorize(BrowserDriver::locationOf(left))).status);
        CPPUNIT_ASSERT_EQUAL(std::string(), reached());
    }

    void aMemberWhoWasTakenOutStaysOut()
    {
        prove("acme", "acme.example");
        const auto id = provider(owned("acme", R"(,"join":"create")"));
        _host->createUser("bob@acme.example", "acme");
        _host->change("UPDATE memberships SET status = 'removed' WHERE role = 'member'");
        _upstream->profile = {{"email", "bob@acme.example"}};
        refused(id, 403, "No account is linked to");
        // Nor does who never was in it get in where nobody is to join.
        _host->createUser("carl@acme.example");
        CPPUNIT_ASSERT_EQUAL(200, send(Method::Patch, "/api/identity-providers/" + id, R"({"join":"off"})", _operator).status);
        _upstream->profile = {{"email", "carl@acme.example"}};
        refused(id, 403, "No account is linked to");
        CPPUNIT_ASSERT_EQUAL(200, send(Method::Patch, "/api/identity-providers/" + id, R"({"join":"existing"})", _operator).status);
        CPPUNIT_ASSERT_EQUAL(303, roundTrip(id).status);
        CPPUNIT_ASSERT_EQUAL(std::string("carl@acme.example"), reached());
    }

    /// The account stays its owner's: what the organization's provider said of it ends with the membership.
    void whoLeavesIsOpenedByNobodyThere()
    {
        prove("acme", "acme.example");
        const auto id = provider(owned("acme", R"(,"join":"existing")"));
        const auto bob = _host->createUser("bob@acme.example", "acme");
        _upstream->profile = {{"email", "bob@acme.example"}};
        CPPUNIT_ASSERT_EQUAL(303, roundTrip(id).status);
        CPPUNIT_ASSERT_EQUAL(std::string("bob@acme.example"), reached());
        const auto membership = "/api/organizations/" + _host->organizationId("acme") + "/members/" + bob;
        // Suspended is not there either, and what was linked waits.
        CPPUNIT_ASSERT_EQUAL(200, send(Method::Patch, membership, R"({"status":"suspended"})", elevated("ada@acme.example")).status);
        refused(id, 403, "No account is linked to", "bob@acme.example");
        CPPUNIT_ASSERT_EQUAL(200, send(Method::Patch, membership, R"({"status":"active"})", elevated("ada@acme.example")).status);
        CPPUNIT_ASSERT_EQUAL(303, roundTrip(id).status);
        const auto removed = send(Method::Delete, membership, {}, elevated("ada@acme.example"));
        CPPUNIT_ASSERT_MESSAGE(removed.body, removed.status < 300);
        CPPUNIT_ASSERT_EQUAL_MESSAGE("the browser's session came from there", std::string(), reached());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, _host->count("SELECT COUNT(*) FROM linked_accounts"));
        refused(id, 403, "No account is linked to");
        CPPUNIT_ASSERT_EQUAL(200, _host->login("bob@acme.example", IdentityHost::password, "identity").status);
    }

    void aRegistrationThatNobodyProvedIsTakenOver()
    {
        prove("acme", "acme.example");
        const auto id = provider(owned("acme", R"(,"join":"create")"));
        _host->change("UPDATE users SET status = 'pending_verification', email_verified = FALSE WHERE email = 'ada@acme.example'");
        CPPUNIT_ASSERT_EQUAL(303, roundTrip(id).status);
        CPPUNIT_ASSERT_EQUAL(std::string("ada@acme.example"), reached());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _host->count("SELECT COUNT(*) FROM users WHERE email = 'ada@acme.example' AND "
                                                           "status = 'active' AND email_verified AND password_hash IS NULL"));
        CPPUNIT_ASSERT_EQUAL_MESSAGE("the password of whoever registered opens nothing", std::string("invalid_credentials"),
                                     _host->login("ada@acme.example", IdentityHost::password).code());
    }

    void theOwnerOfAnAddressTakesItBack()
    {
        // A provider that is not believed makes an account in the name of somebody who has none yet.
        const auto id = provider(R"(,"join":"create")");
        _upstream->profile["email"] = "vic@victim.example";
        CPPUNIT_ASSERT_EQUAL(303, roundTrip(id).status);
        givePasskey("vic@victim.example");
        post("/api/auth/password/forgot", R"({"email":"vic@victim.example"})", {});
        _host->context().jobs().runDue();
        const auto token = _host->mailedToken("vic@victim.example");
        const auto reset =
            post("/api/auth/password/reset", R"({"token":")" + token + R"(","newPassword":"a long new phrase of mine"})", {});
        CPPUNIT_ASSERT_EQUAL_MESSAGE(reset.body, 204, reset.status);
        CPPUNIT_ASSERT_EQUAL(std::string(), reached());
        refused(id, 409, "An account with your address already exists");
        CPPUNIT_ASSERT_EQUAL(200, _host->login("vic@victim.example", "a long new phrase of mine", "identity").status);
    }

    void aChangedSubjectIsSomebodyElse()
    {
        prove("acme", "acme.example");
        const auto id = provider(owned("acme", R"(,"join":"create")"));
        CPPUNIT_ASSERT_EQUAL(303, roundTrip(id).status);
        // The address was given to somebody else.
        _upstream->subject = "999";
        _host->change("UPDATE browser_sessions SET ended_at = 1");
        refused(id, 409, "An account with your address already exists");
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _host->count("SELECT COUNT(*) FROM linked_accounts"));
    }

    void tokensThatDoNotHoldAreRefused()
    {
        const auto id = provider();
        linkAda(id);
        using Claims = boost::json::object;
        const std::vector<std::pair<std::string, std::function<void(Claims&)>>> lies = {
            {"iss", [](Claims& claims) { claims["iss"] = "https://rogue.example"; }},
            {"aud", [](Claims& claims) { claims["aud"] = "another"; }},
            {"aud of many",
             [](Claims& claims) {
                 claims["aud"] = boost::json::array{"portico", "another"};
             }},
            {"azp", [](Claims& claims) { claims["azp"] = "another"; }},
            {"no aud", [](Claims& claims) { claims.erase("aud"); }},
            {"odd aud", [](Claims& claims) { claims["aud"] = 5; }},
            {"nonce", [](Claims& claims) { claims["nonce"] = "another"; }},
            {"no nonce", [](Claims& claims) { claims.erase("nonce"); }},
            {"exp", [](Claims& claims) { claims["exp"] = claims["iat"].as_int64() - 31; }},
            {"no exp", [](Claims& claims) { claims.erase("exp"); }},
            {"future", [](Claims& claims) { claims["iat"] = claims["iat"].as_int64() + 60; }},
            {"past", [](Claims& claims) { claims["iat"] = claims["iat"].as_int64() - 3600; }},
            {"at_hash", [](Claims& claims) { claims["at_hash"] = "AAAAAAAAAAAAAAAAAAAAAA"; }},
            {"nobody", [](Claims& claims) { claims["sub"] = ""; }},
        };
        for (const auto& [name, lie] : lies)
        {
            _upstream->edit = lie;
            refused(id, 400, "response of the provider is invalid", {}, name);
        }
        _upstream->edit = [](Claims&) {};
        _upstream->alg = "none";
        refused(id, 400, "response of the provider is invalid", {}, "unsigned");
        _upstream->alg = "HS256";
        refused(id, 400, "response of the provider is invalid", {}, "another algorithm");
        _upstream->alg = "ES256";
        _upstream->forger = identity::SigningKey::generate();
        refused(id, 400, "response of the provider is invalid", {}, "foreign key");
        _upstream->forger.reset();
        CPPUNIT_ASSERT_EQUAL(303, roundTrip(id).status);
        CPPUNIT_ASSERT_EQUAL(std::string("ada@acme.example"), reached());
    }

    void answersOfAnotherIssuerAreRefused()
    {
        const auto id = provider();
        linkAda(id);
        const auto before = _upstream->codesRedeemed;
        for (const auto* iss : {"https://rogue.example", "https://idp.example/", ""})
        {
            _upstream->answeredIssuer = iss;
            refused(id, 400, "response of the provider is invalid", {}, iss);
        }
        CPPUNIT_ASSERT_EQUAL_MESSAGE("the code went nowhere", before, _upstream->codesRedeemed);
    }

    void providersAreNotMixedUp()
    {
        const auto good = provider();
        const auto rogue = provider({}, "https://rogue.example");
        linkAda(good);
        // A way that began with one is no way back from the other.
        const auto left = _browser->get(startOf(good));
        auto back = _upstream->authorize(BrowserDriver::locationOf(left));
        back.replace(back.find(good), good.size(), rogue);
        CPPUNIT_ASSERT_EQUAL(400, _browser->get(back).status);
        CPPUNIT_ASSERT_EQUAL(std::string(), reached());
        // The same subject elsewhere is somebody else.
        _other->subject = _upstream->subject;
        _other->profile = _upstream->profile;
        const auto there = _browser->get(startOf(rogue));
        CPPUNIT_ASSERT_EQUAL(409, _browser->get(_other->authorize(BrowserDriver::locationOf(there))).status);
        CPPUNIT_ASSERT_EQUAL(std::string(), reached());
    }

    void aWayIsGoodOnce()
    {
        const auto id = provider();
        linkAda(id);
        const auto back = _upstream->authorize(BrowserDriver::locationOf(_browser->get(startOf(id))));
        CPPUNIT_ASSERT_EQUAL(303, _browser->get(back).status);
        const auto again = _browser->get(back);
        CPPUNIT_ASSERT_EQUAL(400, again.status);
        CPPUNIT_ASSERT(again.body.find("href=\"/login\"") != std::string::npos);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _host->count("SELECT COUNT(*) FROM browser_sessions WHERE provider_id IS NOT NULL"));
    }

    void aWayEndsAfterTenMinutes()
    {
        const auto id = provider();
        linkAda(id);
        const auto back = _upstream->authorize(BrowserDriver::locationOf(_browser->get(startOf(id))));
        _host->context().clock().advance(std::chrono::minutes(10));
        CPPUNIT_ASSERT_EQUAL(400, _browser->get(back).status);
        CPPUNIT_ASSERT_EQUAL(std::string(), reached());
    }

    void aWayBelongsToItsBrowser()
    {
        const auto id = provider();
        linkAda(id);
        const auto back = _upstream->authorize(BrowserDriver::locationOf(_browser->get(startOf(id))));
        BrowserDriver victim(*_host);
        CPPUNIT_ASSERT_EQUAL(400, victim.get(back).status);
        // Also one that has a way of its own.
        victim.get(startOf(id));
        CPPUNIT_ASSERT_EQUAL(400, victim.get(back).status);
        CPPUNIT_ASSERT(!victim.signedIn());
        CPPUNIT_ASSERT_EQUAL_MESSAGE("it stays good where it began", 303, _browser->get(back).status);
        CPPUNIT_ASSERT_EQUAL(std::string("ada@acme.example"), reached());
    }

    void newKeysAreReadOnce()
    {
        const auto id = provider();
        linkAda(id);
        const auto before = _upstream->keysRead;
        CPPUNIT_ASSERT_EQUAL(303, roundTrip(id).status);
        CPPUNIT_ASSERT_EQUAL_MESSAGE("remembered", before, _upstream->keysRead);
        _upstream->key = identity::SigningKey::generate();
        _upstream->kid = "two";
        _host->context().clock().advance(std::chrono::seconds(10));
        CPPUNIT_ASSERT_EQUAL(303, roundTrip(id).status);
        CPPUNIT_ASSERT_EQUAL(before + 1, _upstream->keysRead);
        // Made-up ones, by whom nobody knows, cost the provider one look in ten seconds, and what is for somebody else none.
        const auto told = [&](const std::string& issuer)
        {
            const auto now = toMillis(_host->context().clock().now()) / 1000;
            const boost::json::object claims = {{"iss", issuer},   {"aud", "portico"}, {"iat", now},
                                                {"exp", now + 60}, {"jti", "j"},       {"sub", "anybody"}};
            return BrowserDriver(*_host)
                .post("/sso/providers/" + id + "/backchannel-logout", {{"logout_token", _upstream->sign(claims, "logout+jwt")}})
                .status;
        };
        const auto asked = [&] { return _host->context().http().requests().size(); };
        _host->context().clock().advance(std::chrono::seconds(10));
        const auto start = asked();
        for (int i = 0; i < 15; ++i)
        {
            _upstream->kid = "made-up-" + std::to_string(i);
            CPPUNIT_ASSERT_EQUAL(400, told("https://idp.example"));
        }
        CPPUNIT_ASSERT_EQUAL(start + 1, asked());
        _host->context().clock().advance(std::chrono::seconds(10));
        CPPUNIT_ASSERT_EQUAL(400, told("https://rogue.example"));
        CPPUNIT_ASSERT_EQUAL(start + 1, asked());
        for (int i = 0; i < 29; ++i) told("https://rogue.example");
        CPPUNIT_ASSERT_EQUAL(429, told("https://rogue.example"));
    }

    void userinfoIsOfTheSamePerson()
    {
        const auto id = provider(R"(,"join":"create")");
        _upstream->profile["email"] = "new@elsewhere.example";
        _upstream->tellsAtUserinfo = true;
        _upstream->edit = [](boost::json::object& claims) { claims["sub"] = "somebody-else"; };
        refused(id, 403, "No account is linked to");
        _upstream->edit = [](boost::json::object&) {};
        CPPUNIT_ASSERT_EQUAL(303, roundTrip(id).status);
        CPPUNIT_ASSERT_EQUAL(std::string("new@elsewhere.example"), reached());
    }

    void aProviderThatIsAwayIsSaidSo()
    {
        _upstream->away = true;
        const auto id = provider();
        _host->context().clock().advance(std::chrono::seconds(10));
        const auto answer = _browser->get(startOf(id));
        CPPUNIT_ASSERT_EQUAL(503, answer.status);
        CPPUNIT_ASSERT_EQUAL(std::string("provider_unreachable"), answer.code());
        const auto page = _host->call({.target = startOf(id), .headers = {{"Accept", "text/html"}, {"Accept-Language", "de"}}});
        CPPUNIT_ASSERT_EQUAL(503, page.status);
        CPPUNIT_ASSERT(page.body.find("antwortet nicht") != std::string::npos);
        CPPUNIT_ASSERT(page.body.find("/login?return_to=%2Fsettings") != std::string::npos);
        // Whoever waits for it does not make all others wait.
        const auto asked = _host->context().http().requests().size();
        _browser->get(startOf(id));
        CPPUNIT_ASSERT_EQUAL(asked, _host->context().http().requests().size());
        _upstream->away = false;
        _host->context().clock().advance(std::chrono::seconds(10));
        linkAda(id);
        // On the way back, too.
        const auto back = _upstream->authorize(BrowserDriver::locationOf(_browser->get(startOf(id))));
        _upstream->away = true;
        CPPUNIT_ASSERT_EQUAL(503, _browser->get(back).status);
        CPPUNIT_ASSERT_EQUAL(std::string(), reached());
        CPPUNIT_ASSERT_EQUAL(404, _browser->get("/sso/providers/idp_01jd0000000000000000000000/start").status);
    }

    void secondFactorsAreAskedFor()
    {
        const auto id = provider();
        linkAda(id);
        givePasskey("ada@acme.example");
        const auto asked = roundTrip(id);
        CPPUNIT_ASSERT_EQUAL(200, asked.status);
        CPPUNIT_ASSERT(!BrowserDriver::field(asked, "mfa_token").empty());
        CPPUNIT_ASSERT_EQUAL(std::string(), reached());
    }

    void secondFactorsThereCountAsMapped()
    {
        const auto id = provider(R"(,"acrMap":{"urn:two":"aal2"})");
        linkAda(id);
        givePasskey("ada@acme.example");
        _upstream->edit = [](boost::json::object& claims) { claims["acr"] = "urn:one"; };
        CPPUNIT_ASSERT_EQUAL(200, roundTrip(id).status);
        _upstream->edit = [](boost::json::object& claims) { claims["acr"] = "urn:two"; };
        CPPUNIT_ASSERT_EQUAL(303, roundTrip(id).status);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _host->count("SELECT COUNT(*) FROM browser_sessions WHERE provider_id IS NOT NULL "
                                                           "AND acr = 'aal2' AND ended_at IS NULL"));
        // The word of an organization's provider does not let people off their own.
        prove("acme", "acme.example");
        const auto theirs = provider(owned("acme", R"(,"acrMap":{"urn:two":"aal2"})"), "https://rogue.example");
        _other->edit = _upstream->edit;
        const auto left = _browser->get(startOf(theirs));
        const auto asked = _browser->get(_other->authorize(BrowserDriver::locationOf(left)));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(asked.body, 200, asked.status);
        CPPUNIT_ASSERT(!BrowserDriver::field(asked, "mfa_token").empty());
    }

    void aSuspendedAccountStaysOut()
    {
        const auto id = provider();
        linkAda(id);
        _host->change("UPDATE users SET status = 'suspended' WHERE email = 'ada@acme.example'");
        refused(id, 403, "You cannot sign in with this account");
    }

    void aWayLeadsToRegisteredOriginsOnly()
    {
        const auto id = provider();
        for (const auto* query : {"?return_to=https%3A%2F%2Fevil.example%2F", "?return_to=%2F%2Fevil.example", "?service_id=nothing"})
            CPPUNIT_ASSERT_EQUAL(400, _browser->get(startOf(id, query)).status);
        CPPUNIT_ASSERT_EQUAL(303, _browser->get(startOf(id, "?service_id=desk&return_to=https%3A%2F%2Fdesk.example%2F")).status);
    }

    void aDisabledProviderOpensNothing()
    {
        const auto id = provider();
        linkAda(id);
        const auto back = _upstream->authorize(BrowserDriver::locationOf(_browser->get(startOf(id))));
        CPPUNIT_ASSERT_EQUAL(200, send(Method::Patch, "/api/identity-providers/" + id, R"({"status":"disabled"})", _operator).status);
        CPPUNIT_ASSERT_EQUAL(404, _browser->get(back).status);
        CPPUNIT_ASSERT_EQUAL(404, _browser->get(startOf(id)).status);
        CPPUNIT_ASSERT_EQUAL(std::string(), reached());
    }

private:
    /// There and back again, without getting in.
    void refused(const std::string& id, int status, std::string_view says, const std::string& reachedBefore = {},
                 const std::string& what = {})
    {
        BrowserDriver browser(*_host);
        const auto answer = roundTrip(id, browser);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(what + answer.body, status, answer.status);
        CPPUNIT_ASSERT_MESSAGE(what + answer.body, answer.body.find(says) != std::string::npos);
        CPPUNIT_ASSERT_MESSAGE("a way back", answer.body.find("href=\"/login") != std::string::npos);
        CPPUNIT_ASSERT_MESSAGE(what, !browser.signedIn());
        CPPUNIT_ASSERT_EQUAL_MESSAGE(what, reachedBefore, reached());
    }
    void givePasskey(const std::string& email) const
    {
        _host->change("INSERT INTO passkeys (user_id, id, credential_id, algorithm, public_key, sign_count, aaguid, transports, backed_up, "
                      "name, version, created_at, updated_at) SELECT id, 'pk_1', 'c', -7, '', 0, '', '[]', FALSE, 'x', 1, 0, 0 "
                      "FROM users WHERE email = $1",
                      {email});
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(ProviderSignInTest);

} // namespace portico::tests
