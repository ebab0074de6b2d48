#include "identity/UpstreamFixture.h"

namespace portico::tests
{

/// Sign-in by external providers, and protection of accounts against false claims of providers.
class ProviderSignInTest : public Suite<ProviderSignInTest, UpstreamFixture>
{
    TEST(aLinkSignsIn)
    {
        const auto id = provider();
        linkAda(id);
        const auto answer = roundTrip(id);
        equal(303, answer.status, answer.body);
        equal("/settings", BrowserDriver::locationOf(answer));
        CHECK(_browser->signedIn());
        equal("ada@acme.example", reached());
        const auto secret = _host->context().database().session().value<std::string>("SELECT client_secret FROM identity_providers");
        CPPUNIT_ASSERT_MESSAGE("sealed", secret->find("s3cret") == std::string::npos);
        bool sent = false;
        for (const auto& request : _host->context().http().requests())
            for (const auto& [name, value] : request.headers) sent = sent || value == "Basic cG9ydGljbzpzM2NyZXQ=";
        CHECK(sent);
        CHECK(_host->count("SELECT COUNT(*) FROM identity_providers WHERE last_used_at IS NOT NULL AND last_error IS NULL") == 1);
    }

    TEST(anUnknownPersonIsNotLinked)
    {
        _upstream->profile["email"] = "nobody@elsewhere.example";
        refused(provider(), 403, "No account is linked to");
        equal(0, _host->count("SELECT COUNT(*) FROM linked_accounts"));
    }

    TEST(makesAccountsWhereItMay)
    {
        const auto id = provider(R"(,"join":"create")");
        _upstream->profile["email"] = "new@elsewhere.example";
        equal(303, roundTrip(id).status);
        equal("new@elsewhere.example", reached());
        equal(1, _host->count("SELECT COUNT(*) FROM users WHERE email = 'new@elsewhere.example' "
                              "AND NOT email_verified AND password_hash IS NULL"));
        // The second time it is the link.
        _upstream->profile = {{"email", "changed@elsewhere.example"}, {"email_verified", false}};
        equal(303, roundTrip(id).status);
        equal("new@elsewhere.example", reached());
        _upstream->subject = "another";
        _upstream->profile = {{"email", "third@elsewhere.example"}, {"email_verified", false}};
        refused(id, 403, "No account is linked to", "new@elsewhere.example");
        _upstream->profile = {};
        refused(id, 403, "No account is linked to", "new@elsewhere.example");
    }

    TEST(anAddressAloneLinksNothing)
    {
        const auto id = provider(R"(,"join":"create")");
        refused(id, 409, "An account with your address already exists");
        // An unverified address reveals nothing.
        _upstream->profile["email_verified"] = false;
        refused(id, 403, "No account is linked to");
        _upstream->profile["email"] = "absent@acme.example";
        refused(id, 403, "No account is linked to");
    }

    TEST(aTrustedAddressLinksUntouchedAccountsOnly)
    {
        const auto id = provider(R"(,"trustEmail":true)");
        refused(id, 409, "An account with your address already exists");
        _host->change("UPDATE users SET password_hash = NULL WHERE email = 'ada@acme.example'");
        _upstream->profile["email_verified"] = false;
        refused(id, 403, "No account is linked to");
        _upstream->profile["email_verified"] = "true";
        equal(303, roundTrip(id).status);
        equal("ada@acme.example", reached());
    }

    TEST(anOrganizationVouchesForItsDomains)
    {
        prove("acme", "acme.example");
        const auto id = provider(owned("acme", R"(,"join":"create","joinRole":"admin","domains":["acme.example"])"));
        equal(303, roundTrip(id).status);
        equal("ada@acme.example", reached());
        _upstream->subject = "2";
        _upstream->profile = {{"email", "Bob@ACME.example"}};
        equal(303, roundTrip(id).status);
        equal("Bob@ACME.example", reached());
        equal(1, _host->count("SELECT COUNT(*) FROM memberships m JOIN users u ON u.id = m.user_id WHERE "
                              "u.email_key = 'bob@acme.example' AND m.role = 'admin' AND u.email_verified"));
    }

    TEST(anOrganizationVouchesForNoOthers)
    {
        prove("acme", "acme.example");
        // A hostile organization whose provider makes arbitrary claims.
        const auto id = provider(owned("other", R"(,"join":"create")"), "https://idp.example", elevated("eve@other.example"));
        const auto users = _host->count("SELECT COUNT(*) FROM users");
        refused(id, 403, "No account is linked to");
        _upstream->profile["email"] = "absent@acme.example";
        refused(id, 403, "No account is linked to");
        _upstream->profile["email"] = "op@admin.example";
        refused(id, 403, "No account is linked to");
        equal(users, _host->count("SELECT COUNT(*) FROM users"));
        equal(400, post("/api/identity-providers",
                        jsonWith(R"({"name":"x","issuer":"https://idp.example","clientId":"p","trustEmail":true$})", owned("other")),
                        elevated("eve@other.example"))
                       .status);
    }

    TEST(usersAboveTheProvidersAuthorAreNotReached)
    {
        prove("acme", "acme.example");
        _host->createUser("sue@acme.example", "acme", "super_admin");
        const auto id = provider(owned("acme", R"(,"join":"create")"), "https://idp.example", elevated("sue@acme.example"));
        refused(id, 409, "An account with your address already exists");
        // Suspended owners, and owners of other organizations, are protected too.
        _host->change("UPDATE memberships SET status = 'suspended' WHERE role = 'owner'");
        refused(id, 409, "An account with your address already exists");
        _host->createUser("bob@acme.example", "acme");
        _host->createUser("bob@acme.example", "other", "owner");
        _upstream->profile = {{"email", "bob@acme.example"}};
        refused(id, 409, "An account with your address already exists");
        // An unconfirmed registration cannot be linked either.
        _host->change("UPDATE users SET status = 'pending_verification', email_verified = FALSE WHERE email = 'bob@acme.example'");
        refused(id, 409, "An account with your address already exists");
        equal(0, _host->count("SELECT COUNT(*) FROM linked_accounts"));
        _upstream->profile = {{"email", "sue@acme.example"}};
        equal(303, roundTrip(id).status);
        equal("sue@acme.example", reached());
        // An owner of later is above it, linked or not: ProviderScopeTest.
        _host->change("UPDATE memberships SET role = 'owner' WHERE role = 'super_admin'");
        equal(403, roundTrip(id).status);
    }

    TEST(providerHasTheRankOfItsLastEditor)
    {
        prove("acme", "acme.example");
        _host->createUser("sue@acme.example", "acme", "super_admin");
        const auto ada = elevated("ada@acme.example"), sue = elevated("sue@acme.example");
        const auto id = provider(owned("acme"), "https://idp.example", ada);
        const auto change = [&](const char* body, const std::string& token)
        {
            const auto answer = send(Method::Patch, "/api/identity-providers/" + id, body, token);
            equal(200, answer.status, answer.body);
        };
        change(R"({"issuer":"https://rogue.example","clientSecret":"s3cret"})", sue);
        change(R"({"issuer":"https://idp.example","clientSecret":"s3cret"})", sue);
        refused(id, 409, "An account with your address already exists");
        // Another name says nothing of where it asks.
        change(R"({"name":"Named"})", ada);
        refused(id, 409, "An account with your address already exists");
        change(R"({"clientSecret":"s3cret"})", ada);
        change(R"({"name":"Named again","clientId":"portico"})", sue);
        equal(303, roundTrip(id).status);
        equal("ada@acme.example", reached());
    }

    /// `joinRole` depends on the rights of the user who set it: without them no user gets the role.
    TEST(aRoleIsGivenWhileItsGiverMay)
    {
        prove("acme", "acme.example");
        const auto sue = _host->createUser("sue@acme.example", "acme", "super_admin");
        const auto id =
            provider(owned("acme", R"(,"join":"create","joinRole":"admin")"), "https://idp.example", elevated("sue@acme.example"));
        const auto setRole = [&](std::string_view role)
        {
            const auto answer = send(Method::Patch, "/api/organizations/" + _host->organizationId("acme") + "/members/" + sue,
                                     jsonWith(R"({"role":"$"})", role), elevated("ada@acme.example"));
            equal(200, answer.status, answer.body);
        };
        const auto roleOf = [&](const std::string& name)
        {
            _upstream->subject = name;
            _upstream->profile = {{"email", name + "@acme.example"}};
            equal(303, roundTrip(id).status);
            return _host->context()
                .database()
                .session()
                .value<std::string>("SELECT m.role FROM memberships m JOIN users u ON u.id = m.user_id WHERE u.email = $1",
                                    name + "@acme.example")
                .value_or("none");
        };
        equal("admin", roleOf("bob"));
        setRole("member");
        equal("member", roleOf("carl"));
        setRole("admin");
        equal("admin", roleOf("dora"));
        _host->change("UPDATE users SET status = 'suspended' WHERE id = $1", {sue});
        equal("member", roleOf("emil"));
    }

    TEST(anotherIssuerTakesNoLinksOver)
    {
        prove("acme", "acme.example");
        _host->createUser("sue@acme.example", "acme", "super_admin");
        const auto id = provider(owned("acme"), "https://idp.example", elevated("ada@acme.example"));
        linkAda(id);
        equal(200, send(Method::Patch, "/api/identity-providers/" + id, R"({"issuer":"https://rogue.example","clientSecret":"s3cret"})",
                        elevated("sue@acme.example"))
                       .status);
        _other->subject = _upstream->subject;
        _other->profile = _upstream->profile;
        const auto left = _browser->get(startOf(id));
        equal(409, _browser->get(_other->authorize(BrowserDriver::locationOf(left))).status);
        equal("", reached());
    }

    TEST(aMemberWhoWasTakenOutStaysOut)
    {
        prove("acme", "acme.example");
        const auto id = provider(owned("acme", R"(,"join":"create")"));
        _host->createUser("bob@acme.example", "acme");
        _host->change("UPDATE memberships SET status = 'removed' WHERE role = 'member'");
        _upstream->profile = {{"email", "bob@acme.example"}};
        refused(id, 403, "No account is linked to");
        // With `join` off, users who were never members are rejected.
        _host->createUser("carl@acme.example");
        equal(200, send(Method::Patch, "/api/identity-providers/" + id, R"({"join":"off"})", _operator).status);
        _upstream->profile = {{"email", "carl@acme.example"}};
        refused(id, 403, "No account is linked to");
        equal(200, send(Method::Patch, "/api/identity-providers/" + id, R"({"join":"existing"})", _operator).status);
        equal(303, roundTrip(id).status);
        equal("carl@acme.example", reached());
    }

    /// The account stays; the link to the organization's provider ends with the membership.
    TEST(formerMembersAreNotReached)
    {
        prove("acme", "acme.example");
        const auto id = provider(owned("acme", R"(,"join":"existing")"));
        const auto bob = _host->createUser("bob@acme.example", "acme");
        _upstream->profile = {{"email", "bob@acme.example"}};
        equal(303, roundTrip(id).status);
        equal("bob@acme.example", reached());
        const auto membership = "/api/organizations/" + _host->organizationId("acme") + "/members/" + bob;
        // A suspended member cannot sign in, and the link is kept.
        equal(200, send(Method::Patch, membership, R"({"status":"suspended"})", elevated("ada@acme.example")).status);
        refused(id, 403, "No account is linked to", "bob@acme.example");
        equal(200, send(Method::Patch, membership, R"({"status":"active"})", elevated("ada@acme.example")).status);
        equal(303, roundTrip(id).status);
        const auto removed = send(Method::Delete, membership, {}, elevated("ada@acme.example"));
        CPPUNIT_ASSERT_MESSAGE(removed.body, removed.status < 300);
        equal("", reached(), "the browser's session came from there");
        equal(0, _host->count("SELECT COUNT(*) FROM linked_accounts"));
        refused(id, 403, "No account is linked to");
        equal(200, _host->login("bob@acme.example", IdentityHost::password, "identity").status);
    }

    TEST(unprovedRegistrationIsTakenOver)
    {
        prove("acme", "acme.example");
        const auto id = provider(owned("acme", R"(,"join":"create")"));
        _host->change("UPDATE users SET status = 'pending_verification', email_verified = FALSE WHERE email = 'ada@acme.example'");
        equal(303, roundTrip(id).status);
        equal("ada@acme.example", reached());
        equal(1, _host->count("SELECT COUNT(*) FROM users WHERE email = 'ada@acme.example' AND "
                              "status = 'active' AND email_verified AND password_hash IS NULL"));
        equal("invalid_credentials", _host->login("ada@acme.example", IdentityHost::password).code(),
              "the password of the registration is invalid");
    }

    TEST(aTakenOverRegistrationGetsTheRoleOfTheProvider)
    {
        prove("acme", "acme.example");
        _host->change("UPDATE organization_domains SET auto_join_role = 'guest'");
        const auto id = provider(owned("acme", R"(,"join":"create","joinRole":"member")"));
        _host->createUser("bob@acme.example");
        _host->change("UPDATE users SET status = 'pending_verification', email_verified = FALSE WHERE email = 'bob@acme.example'");
        _upstream->profile = {{"email", "bob@acme.example"}};
        equal(303, roundTrip(id).status);
        equal("bob@acme.example", reached());
        equal(1, _host->count("SELECT COUNT(*) FROM memberships m JOIN users u ON u.id = m.user_id WHERE u.email = 'bob@acme.example' "
                              "AND m.role = 'member'"));
        equal(1, _host->count("SELECT COUNT(*) FROM audit_events WHERE type = 'membership.joined_by_provider'"));
    }

    TEST(theOwnerOfAnAddressTakesItBack)
    {
        // An untrusted provider creates an account for an address whose owner has none.
        const auto id = provider(R"(,"join":"create")");
        _upstream->profile["email"] = "vic@victim.example";
        equal(303, roundTrip(id).status);
        givePasskey("vic@victim.example");
        post("/api/auth/password/forgot", R"({"email":"vic@victim.example"})", {});
        _host->context().jobs().runDue();
        const auto token = _host->mailedToken("vic@victim.example");
        const auto reset =
            post("/api/auth/password/reset", jsonWith(R"({"token":"$","newPassword":"a long new phrase of mine"})", token), {});
        equal(204, reset.status, reset.body);
        equal("", reached());
        refused(id, 409, "An account with your address already exists");
        equal(200, _host->login("vic@victim.example", "a long new phrase of mine", "identity").status);
    }

    TEST(aChangedSubjectIsAnotherUser)
    {
        prove("acme", "acme.example");
        const auto id = provider(owned("acme", R"(,"join":"create")"));
        equal(303, roundTrip(id).status);
        // The address was reassigned to another person.
        _upstream->subject = "999";
        _host->change("UPDATE browser_sessions SET ended_at = 1");
        refused(id, 409, "An account with your address already exists");
        equal(1, _host->count("SELECT COUNT(*) FROM linked_accounts"));
    }

    TEST(tokensThatDoNotHoldAreRefused)
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
        equal(303, roundTrip(id).status);
        equal("ada@acme.example", reached());
    }

    TEST(answersOfAnotherIssuerAreRefused)
    {
        const auto id = provider();
        linkAda(id);
        const auto before = _upstream->codesRedeemed;
        for (const auto* iss : {"https://rogue.example", "https://idp.example/", ""})
        {
            _upstream->answeredIssuer = iss;
            refused(id, 400, "response of the provider is invalid", {}, iss);
        }
        equal(before, _upstream->codesRedeemed, "the code went nowhere");
    }

    TEST(providersAreNotMixedUp)
    {
        const auto good = provider();
        const auto rogue = provider({}, "https://rogue.example");
        linkAda(good);
        // A way that began with one is no way back from the other.
        const auto left = _browser->get(startOf(good));
        auto back = _upstream->authorize(BrowserDriver::locationOf(left));
        back.replace(back.find(good), good.size(), rogue);
        equal(400, _browser->get(back).status);
        equal("", reached());
        // The same subject at another issuer is another person.
        _other->subject = _upstream->subject;
        _other->profile = _upstream->profile;
        const auto there = _browser->get(startOf(rogue));
        equal(409, _browser->get(_other->authorize(BrowserDriver::locationOf(there))).status);
        equal("", reached());
    }

    TEST(aWayIsGoodOnce)
    {
        const auto id = provider();
        linkAda(id);
        const auto back = _upstream->authorize(BrowserDriver::locationOf(_browser->get(startOf(id))));
        equal(303, _browser->get(back).status);
        const auto again = _browser->get(back);
        equal(400, again.status);
        CHECK(again.body.find("href=\"/login\"") != std::string::npos);
        equal(1, _host->count("SELECT COUNT(*) FROM browser_sessions WHERE provider_id IS NOT NULL"));
    }

    TEST(aWayEndsAfterTenMinutes)
    {
        const auto id = provider();
        linkAda(id);
        const auto back = _upstream->authorize(BrowserDriver::locationOf(_browser->get(startOf(id))));
        _host->context().clock().advance(std::chrono::minutes(10));
        equal(400, _browser->get(back).status);
        equal("", reached());
    }

    TEST(aWayBelongsToItsBrowser)
    {
        const auto id = provider();
        linkAda(id);
        const auto back = _upstream->authorize(BrowserDriver::locationOf(_browser->get(startOf(id))));
        BrowserDriver victim(*_host);
        equal(400, victim.get(back).status);
        // Also rejected if the other browser has started a flow.
        victim.get(startOf(id));
        equal(400, victim.get(back).status);
        CHECK(!victim.signedIn());
        equal(303, _browser->get(back).status, "it stays good where it began");
        equal("ada@acme.example", reached());
    }

    TEST(newKeysAreReadOnce)
    {
        const auto id = provider();
        linkAda(id);
        const auto before = _upstream->keysRead;
        equal(303, roundTrip(id).status);
        equal(before, _upstream->keysRead, "remembered");
        _upstream->key = identity::SigningKey::generate();
        _upstream->kid = "two";
        _host->context().clock().advance(std::chrono::seconds(10));
        equal(303, roundTrip(id).status);
        equal(before + 1, _upstream->keysRead);
        // Forged tokens with unknown keys cause one read in ten seconds; tokens for other audiences cause none.
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
            equal(400, told("https://idp.example"));
        }
        equal(start + 1, asked());
        _host->context().clock().advance(std::chrono::seconds(10));
        equal(400, told("https://rogue.example"));
        equal(start + 1, asked());
        for (int i = 0; i < 29; ++i) told("https://rogue.example");
        equal(429, told("https://rogue.example"));
    }

    TEST(userinfoIsOfTheSamePerson)
    {
        const auto id = provider(R"(,"join":"create")");
        _upstream->profile["email"] = "new@elsewhere.example";
        _upstream->tellsAtUserinfo = true;
        _upstream->edit = [](boost::json::object& claims) { claims["sub"] = "somebody-else"; };
        refused(id, 403, "No account is linked to");
        _upstream->edit = [](boost::json::object&) {};
        equal(303, roundTrip(id).status);
        equal("new@elsewhere.example", reached());
    }

    TEST(aProviderThatIsAwayIsSaidSo)
    {
        _upstream->away = true;
        const auto id = provider();
        _host->context().clock().advance(std::chrono::seconds(10));
        const auto answer = _browser->get(startOf(id));
        testing::refused(answer, 503, "provider_unreachable");
        const auto page = _host->call({.target = startOf(id), .headers = {{"Accept", "text/html"}, {"Accept-Language", "de"}}});
        equal(503, page.status);
        CHECK(page.body.find("antwortet nicht") != std::string::npos);
        CHECK(page.body.find("/login?return_to=%2Fsettings") != std::string::npos);
        // A waiting request does not block others.
        const auto asked = _host->context().http().requests().size();
        _browser->get(startOf(id));
        equal(asked, _host->context().http().requests().size());
        _upstream->away = false;
        _host->context().clock().advance(std::chrono::seconds(10));
        linkAda(id);
        // On the way back, too.
        const auto back = _upstream->authorize(BrowserDriver::locationOf(_browser->get(startOf(id))));
        _upstream->away = true;
        equal(503, _browser->get(back).status);
        equal("", reached());
        equal(404, _browser->get("/sso/providers/idp_01jd0000000000000000000000/start").status);
    }

    TEST(secondFactorsAreAskedFor)
    {
        const auto id = provider();
        linkAda(id);
        givePasskey("ada@acme.example");
        const auto asked = roundTrip(id);
        equal(200, asked.status);
        CHECK(!BrowserDriver::field(asked, "mfa_token").empty());
        equal("", reached());
    }

    TEST(secondFactorsThereCountAsMapped)
    {
        const auto id = provider(R"(,"acrMap":{"urn:two":"aal2"})");
        linkAda(id);
        givePasskey("ada@acme.example");
        _upstream->edit = [](boost::json::object& claims) { claims["acr"] = "urn:one"; };
        equal(200, roundTrip(id).status);
        _upstream->edit = [](boost::json::object& claims) { claims["acr"] = "urn:two"; };
        equal(303, roundTrip(id).status);
        equal(1, _host->count("SELECT COUNT(*) FROM browser_sessions WHERE provider_id IS NOT NULL "
                              "AND acr = 'aal2' AND ended_at IS NULL"));
        // The word of an organization's provider does not let people off their own.
        prove("acme", "acme.example");
        const auto theirs = provider(owned("acme", R"(,"acrMap":{"urn:two":"aal2"})"), "https://rogue.example");
        _other->edit = _upstream->edit;
        const auto left = _browser->get(startOf(theirs));
        const auto asked = _browser->get(_other->authorize(BrowserDriver::locationOf(left)));
        equal(200, asked.status, asked.body);
        CHECK(!BrowserDriver::field(asked, "mfa_token").empty());
    }

    TEST(aSuspendedAccountStaysOut)
    {
        const auto id = provider();
        linkAda(id);
        _host->change("UPDATE users SET status = 'suspended' WHERE email = 'ada@acme.example'");
        refused(id, 403, "You cannot sign in with this account");
    }

    TEST(aWayLeadsToRegisteredOriginsOnly)
    {
        const auto id = provider();
        for (const auto* query : {"?return_to=https%3A%2F%2Fevil.example%2F", "?return_to=%2F%2Fevil.example", "?service_id=nothing"})
            equal(400, _browser->get(startOf(id, query)).status);
        equal(303, _browser->get(startOf(id, "?service_id=desk&return_to=https%3A%2F%2Fdesk.example%2F")).status);
    }

    TEST(aDisabledProviderOpensNothing)
    {
        const auto id = provider();
        linkAda(id);
        const auto back = _upstream->authorize(BrowserDriver::locationOf(_browser->get(startOf(id))));
        equal(200, send(Method::Patch, "/api/identity-providers/" + id, R"({"status":"disabled"})", _operator).status);
        equal(404, _browser->get(back).status);
        equal(404, _browser->get(startOf(id)).status);
        equal("", reached());
    }

    /// There and back again, without getting in.
    void refused(const std::string& id, int status, std::string_view says, const std::string& reachedBefore = {},
                 const std::string& what = {})
    {
        BrowserDriver browser(*_host);
        const auto answer = roundTrip(id, browser);
        equal(status, answer.status, what + answer.body);
        CPPUNIT_ASSERT_MESSAGE(what + answer.body, answer.body.find(says) != std::string::npos);
        CPPUNIT_ASSERT_MESSAGE("a way back", answer.body.find("href=\"/login") != std::string::npos);
        CPPUNIT_ASSERT_MESSAGE(what, !browser.signedIn());
        equal(reachedBefore, reached(), what);
    }
    void givePasskey(const std::string& email) const
    {
        _host->change("INSERT INTO passkeys (user_id, id, credential_id, algorithm, public_key, sign_count, aaguid, transports, backed_up, "
                      "name, version, created_at, updated_at) SELECT id, 'pk_1', 'c', -7, '', 0, '', '[]', FALSE, 'x', 1, 0, 0 "
                      "FROM users WHERE email = $1",
                      {email});
    }
};

} // namespace portico::tests
