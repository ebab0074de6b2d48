#include "identity/OAuthDriver.h"
#include "identity/UpstreamFixture.h"

namespace portico::tests
{

/// Configuration of providers, linked accounts, consequences of their removal, and redirects of users.
class IdentityProvidersTest : public Suite<IdentityProvidersTest, UpstreamFixture>
{
    TEST(operatorsSetUpTheInstallations)
    {
        const auto id = provider();
        const auto shown = send(Method::Get, "/api/identity-providers/" + id, {}, _operator);
        equal("null", shown.at("/organizationId"));
        equal("off", shown.at("/join"));
        equal("false", shown.at("/trustEmail"));
        equal(3, shown.count("/scopes"));
        const auto owner = elevated("ada@acme.example");
        const std::string body = R"({"name":"x","issuer":"https://idp.example","clientId":"p"})";
        equal("permission_denied", post("/api/identity-providers", body, owner).code());
        equal(404, send(Method::Get, "/api/identity-providers/" + id, {}, owner).status);
        equal(404, send(Method::Delete, "/api/identity-providers/" + id, {}, owner).status);
        equal(404, send(Method::Patch, "/api/identity-providers/" + id, R"({"name":"y"})", owner).status);
        equal(404, post("/api/identity-providers/" + id + "/test", "{}", owner).status);
        equal(1, send(Method::Get, "/api/identity-providers", {}, _operator).count("/items"));
        equal(0, send(Method::Get, "/api/identity-providers", {}, owner).count("/items"));
        // An answer can be sent back. A provider cannot move to another organization.
        const auto moved = send(Method::Patch, "/api/identity-providers/" + id,
                                jsonWith(R"({"organizationId":"$","name":"Named"})", _host->organizationId("acme")), _operator);
        equal("null", moved.at("/organizationId"));
        equal("2", moved.at("/version"));
        equal(204, send(Method::Delete, "/api/identity-providers/" + id, {}, _operator).status);
        equal(3, _host->count("SELECT COUNT(*) FROM audit_events WHERE type LIKE 'identity_provider.%'"));
    }

    TEST(organizationsSetUpTheirOwn)
    {
        const auto ada = elevated("ada@acme.example"), eve = elevated("eve@other.example");
        const auto id = provider(owned("acme"), "https://idp.example", ada);
        equal(200, send(Method::Get, "/api/identity-providers/" + id, {}, ada).status);
        equal(404, send(Method::Get, "/api/identity-providers/" + id, {}, eve).status);
        equal(404, send(Method::Delete, "/api/identity-providers/" + id, {}, eve).status);
        equal(404, post("/api/identity-providers",
                        jsonWith(R"({"name":"x","issuer":"https://idp.example","clientId":"p"$})", owned("acme")), eve)
                       .status);
        const auto query = "/api/identity-providers?organizationId=" + _host->organizationId("acme");
        equal(1, send(Method::Get, query, {}, ada).count("/items"));
        equal(1, send(Method::Get, query, {}, _operator).count("/items"));
        equal(404, send(Method::Get, query, {}, eve).status);
        _host->createUser("bob@acme.example", "acme");
        equal(403, send(Method::Get, "/api/identity-providers", {}, _host->signIn("bob@acme.example", "identity")).status);
    }

    TEST(rolesAboveTheCallersAreNotGranted)
    {
        _host->createUser("sue@acme.example", "acme", "super_admin");
        const auto sue = elevated("sue@acme.example"), ada = elevated("ada@acme.example");
        const auto body = jsonWith(R"({"name":"x","issuer":"https://idp.example","clientId":"p","joinRole":"owner"$})", owned("acme"));
        equal("role_above_own", post("/api/identity-providers", body, sue).code());
        const auto id = provider(owned("acme", R"(,"joinRole":"owner")"), "https://idp.example", ada);
        // An admin cannot change a provider that a higher-ranking person has configured.
        for (const auto* change : {R"({"joinRole":"member"})", R"({"issuer":"https://rogue.example"})"})
            equal("role_above_own", send(Method::Patch, "/api/identity-providers/" + id, change, sue).code());
        equal("role_above_own", send(Method::Delete, "/api/identity-providers/" + id, {}, sue).code());
    }

    TEST(invalidProvidersAreRefused)
    {
        prove("acme", "acme.example");
        const auto ada = elevated("ada@acme.example");
        const auto fault = [&](const std::string& members)
        {
            const auto answer = post("/api/identity-providers",
                                     jsonWith(R"({"name":"x","clientId":"p","issuer":"https://idp.example"$})", members), _operator);
            return answer.status == 400 ? answer.at("/errors/0/field") + ' ' + answer.at("/errors/0/code") : answer.body;
        };
        equal("domains[1] domain_not_verified", fault(owned("acme", R"(,"domains":["acme.example","other.example"])")));
        equal("domains[0] invalid_domain", fault(R"(,"domains":["ACME"])"));
        equal("trustEmail not_allowed", fault(owned("acme", R"(,"trustEmail":true)")));
        equal("joinRole not_allowed", fault(R"(,"joinRole":"member")"));
        equal("acrMap.x invalid_choice", fault(R"(,"acrMap":{"x":"aal3"})"));
        CHECK(fault(R"(,"join":"all")").starts_with("join "));
        for (const auto* scope : {"x y", "x\n", "x\"y", "x\\y", "\u00fc"})
            equal("scopes[1] invalid_scope", fault(jsonWith(R"(,"scopes":["openid","$"])", scope)), scope);
        const auto without = post("/api/identity-providers", R"({"name":"x","clientId":"p"})", _operator);
        equal("issuer", without.at("/errors/0/field"));
    }

    TEST(secretsAreNeverShown)
    {
        const auto id = provider();
        CHECK(!send(Method::Get, "/api/identity-providers/" + id, {}, _operator).has("/clientSecret"));
        const auto sealed = [&]
        { return _host->context().database().session().value<std::string>("SELECT client_secret FROM identity_providers"); };
        const auto before = sealed();
        CHECK(!send(Method::Patch, "/api/identity-providers/" + id, R"({"name":"y"})", _operator).has("/clientSecret"));
        CHECK(before == sealed());
        equal(200, send(Method::Patch, "/api/identity-providers/" + id, R"({"clientSecret":"new"})", _operator).status);
        CHECK(before != sealed() && sealed()->find("new") == std::string::npos);
    }

    TEST(anotherIssuerIsRefused)
    {
        _upstream->discoveredIssuer = "https://rogue.example";
        const std::string body = R"({"name":"x","issuer":"https://idp.example","clientId":"p"})";
        equal("issuer_mismatch", post("/api/identity-providers", body, _operator).code());
        const auto id = provider({}, "https://rogue.example");
        equal("issuer_mismatch",
              send(Method::Patch, "/api/identity-providers/" + id, R"({"issuer":"https://idp.example"})", _operator).code());
        _host->context().http().answer([](const HttpClient::Request&) -> HttpClient::Response
                                       { throw Problem::badRequest("address_not_allowed", "ours"); });
        equal("address_not_allowed", post("/api/identity-providers", body, _operator).code());
    }

    TEST(aTestReportsTheFault)
    {
        const auto id = provider();
        const auto path = "/api/identity-providers/" + id + "/test";
        auto answer = post(path, "{}", _operator);
        equal("true", answer.at("/ok"));
        equal("keys", answer.at("/steps/1/name"));
        _upstream->discoveredIssuer = "https://rogue.example";
        answer = post(path, "{}", _operator);
        equal(200, answer.status);
        equal("false", answer.at("/ok"));
        equal("discovery", answer.at("/steps/0/name"));
    }

    TEST(linksAreTheirOwners)
    {
        const auto id = provider();
        linkAda(id);
        const auto ada = _host->signIn("ada@acme.example"), eve = elevated("eve@other.example");
        const auto mine = list(ada, "desk");
        equal(1, mine.count("/items"));
        equal("Example", mine.at("/items/0/name"));
        equal(id, mine.at("/items/0/providerId"));
        equal("24…01", mine.at("/items/0/subjectMasked"));
        CHECK(mine.body.find("248289761001") == std::string::npos);
        const auto link = "/api/auth/linked-accounts/" + mine.at("/items/0/id");
        equal(404, send(Method::Delete, link, {}, eve).status);
        equal("step_up_required", send(Method::Delete, link, {}, _host->signIn("ada@acme.example", "identity")).code());
        equal(204, send(Method::Delete, link, {}, elevated("ada@acme.example")).status);
        equal(409, roundTrip(id).status);
        equal("", reached());
    }

    TEST(linkingNeedsTheSamePerson)
    {
        const auto id = provider();
        const auto path = "/api/auth/linked-accounts/" + id + "/start";
        equal("step_up_required", post(path, "{}", _host->signIn("ada@acme.example", "identity")).code());
        const auto url = post(path, "{}", elevated("ada@acme.example")).at("/url");
        const auto page = url.substr(url.find("/sso/"));
        // A signed-out user must sign in first; another user is rejected.
        CHECK(BrowserDriver::locationOf(_browser->get(page)).starts_with("/login?return_to="));
        _browser->signIn("eve@other.example");
        equal(403, _browser->get(page).status);
        BrowserDriver ada(*_host);
        ada.signIn("ada@acme.example");
        const auto back = _upstream->authorize(BrowserDriver::locationOf(ada.get(page)));
        equal(400, ada.get(page).status, "good once");
        // The browser was signed in as another user in between.
        ada.signIn("eve@other.example");
        equal(403, ada.get(back).status);
        equal(0, _host->count("SELECT COUNT(*) FROM linked_accounts"));
        // A provider of another organization cannot be linked.
        const auto theirs = provider(owned("other"));
        equal(404, post("/api/auth/linked-accounts/" + theirs + "/start", "{}", elevated("ada@acme.example")).status);
        equal(400, post(path, R"({"returnTo":"https://evil.example"})", elevated("ada@acme.example")).status);
    }

    TEST(anAccountElsewhereOpensOneHere)
    {
        const auto id = provider();
        linkAda(id);
        _browser->signIn("eve@other.example");
        const auto url = post("/api/auth/linked-accounts/" + id + "/start", "{}", elevated("eve@other.example")).at("/url");
        const auto left = _browser->get(url.substr(url.find("/sso/")));
        const auto answer = _browser->get(_upstream->authorize(BrowserDriver::locationOf(left)));
        equal(409, answer.status);
        CHECK(answer.body.find("is linked to another account") != std::string::npos);
        equal(303, roundTrip(id).status);
        equal("ada@acme.example", reached());
    }

    TEST(theLastWayInStays)
    {
        const auto id = provider();
        linkAda(id);
        const auto ada = elevated("ada@acme.example");
        const auto link = "/api/auth/linked-accounts/" + list(ada).at("/items/0/id");
        _host->change("UPDATE users SET password_hash = NULL WHERE email = 'ada@acme.example'");
        equal("last_sign_in_method", send(Method::Delete, link, {}, ada).code());
        // One that was made where the provider asked before opens nothing.
        _host->change("INSERT INTO linked_accounts (user_id, id, provider_id, issuer, subject, linked_at) "
                      "SELECT id, 'lnk_1', $1, 'https://before.example', '1', 0 FROM users WHERE email = 'ada@acme.example'",
                      {id});
        equal("last_sign_in_method", send(Method::Delete, link, {}, ada).code());
        equal(303, roundTrip(id).status);
        equal("ada@acme.example", reached());
    }

    TEST(aLinkIsASecondFactorOnlyAsTheProviderMapsIt)
    {
        const auto id = provider();
        linkAda(id);
        const auto ada = elevated("ada@acme.example");
        const auto demand = [&]
        {
            return send(Method::Patch, "/api/organizations/" + _host->organizationId("acme"),
                        jsonWith(R"({"securityPolicy":{"mfaRequired":true,"allowedLoginMethods":["password","idp:$"]}})", id), ada);
        };
        equal("securityPolicy.mfaRequired excludes_you", faultOf(demand()));
        const auto mapped = send(Method::Patch, "/api/identity-providers/" + id, R"({"acrMap":{"urn:two":"aal2"}})", _operator);
        equal(200, mapped.status, mapped.body);
        equal("", faultOf(demand()));
    }

    TEST(logoutThereEndsWhatCameFromThere)
    {
        const auto id = provider();
        linkAda(id);
        const auto byPassword = _host->signIn("ada@acme.example");
        const auto signInThere = [&](const std::string& sid)
        {
            _upstream->edit = [sid](boost::json::object& claims) { claims["sid"] = sid; };
            BrowserDriver browser(*_host);
            equal(303, roundTrip(id, browser).status);
        };
        signInThere("one");
        signInThere("two");
        signInThere("three");
        equal(3, alive());
        equal(200, logout(id, logoutClaims("1", {}, "one")).status);
        equal(2, alive());
        equal(2, _host->count("SELECT COUNT(*) FROM browser_sessions WHERE provider_id IS NOT NULL "
                              "AND ended_at IS NULL"));
        // A logout of another person ends nothing.
        equal(200, logout(id, logoutClaims("2", "somebody", {})).status);
        equal(2, alive());
        const auto all = logoutClaims("3", _upstream->subject, {});
        equal(200, logout(id, all).status);
        equal(0, alive());
        equal("ok", _host->verdict(byPassword));
        // Replayed, it does not end what began since.
        signInThere("four");
        equal(400, logout(id, all).status);
        equal(1, alive());
    }

    TEST(logoutTokensThatDoNotHoldEndNothing)
    {
        const auto id = provider();
        linkAda(id);
        equal(303, roundTrip(id).status);
        int number = 0;
        const auto refuses = [&](const std::string& what, const std::function<void(boost::json::object&)>& edit)
        {
            auto claims = logoutClaims("lie-" + std::to_string(++number), _upstream->subject, {});
            edit(claims);
            equal(400, logout(id, claims).status, what);
            equal(1, alive(), what);
        };
        refuses("nonce", [](auto& claims) { claims["nonce"] = "n"; });
        refuses("no events", [](auto& claims) { claims.erase("events"); });
        refuses("other event", [](auto& claims) { claims["events"] = boost::json::object{{"x", boost::json::object()}}; });
        refuses("iss", [](auto& claims) { claims["iss"] = "https://rogue.example"; });
        refuses("aud", [](auto& claims) { claims["aud"] = "another"; });
        refuses("exp", [](auto& claims) { claims["exp"] = claims["iat"].as_int64() - 31; });
        refuses("old", [](auto& claims) { claims["iat"] = claims["iat"].as_int64() - 3600; });
        refuses("no jti", [](auto& claims) { claims.erase("jti"); });
        refuses("nobody", [](auto& claims) { claims.erase("sub"); });
        _upstream->forger = identity::SigningKey::generate();
        refuses("foreign key", [](auto&) {});
        _upstream->forger.reset();
        _upstream->alg = "none";
        refuses("unsigned", [](auto&) {});
        _upstream->alg = "ES256";
        equal(400, logout(id, logoutClaims("x", _upstream->subject, {}), "at+jwt").status, "an ID token");
        equal(400, logout("idp_01jd0000000000000000000000", logoutClaims("y", _upstream->subject, {})).status);
        equal("This logout_token is not a readable JWT.", sendLogout(id, "x.y.z").at("/error_description"));
        equal(1, alive());
    }

    TEST(aRemovedProviderEndsItsSignIns)
    {
        const auto id = provider();
        linkAda(id);
        equal(303, roundTrip(id).status);
        equal(204, send(Method::Delete, "/api/identity-providers/" + id, {}, _operator).status);
        equal(0, alive());
        equal(0, _host->count("SELECT COUNT(*) FROM linked_accounts"));
    }

    TEST(aRemovedProviderEndsSignInsOfNativeApps)
    {
        const auto id = provider();
        linkAda(id);
        const auto app = nativeApp();
        const auto byPassword = _host->signIn("ada@acme.example", "identity");
        const auto tokens = signInToApp(app, id, "openid%20profile%20email");
        const auto offline = signInToApp(app, id, "openid%20offline_access");
        equal(200, userinfo(tokens));
        equal(204, send(Method::Delete, "/api/identity-providers/" + id, {}, _operator).status);
        requireEnded(app, tokens);
        requireEnded(app, offline);
        equal("ok", _host->verdict(byPassword, "identity"));
    }

    TEST(logoutThereEndsSignInsOfNativeAppsWithoutOfflineAccess)
    {
        const auto id = provider();
        linkAda(id);
        const auto app = nativeApp();
        const auto signInThere = [&](const std::string& sid, std::string_view scope)
        {
            _upstream->edit = [sid](boost::json::object& claims) { claims["sid"] = sid; };
            return signInToApp(app, id, scope);
        };
        const auto one = signInThere("one", "openid%20profile");
        const auto two = signInThere("two", "openid%20profile");
        const auto offline = signInThere("two", "openid%20offline_access");
        // The app's sign-in continues after the browser session that it came from.
        _host->change("UPDATE browser_sessions SET ended_at = 1 WHERE provider_sid = 'two'");
        equal(200, logout(id, logoutClaims("1", {}, "one")).status);
        requireEnded(app, one);
        equal(200, userinfo(two));
        equal(200, logout(id, logoutClaims("2", _upstream->subject, {})).status);
        requireEnded(app, two);
        equal(200, userinfo(offline));
    }

    TEST(gitHubSaysWhoCame)
    {
        // Answers of GitHub's REST API of 2022-11-28, shortened.
        std::string emails = R"([{"email":"old@elsewhere.example","primary":false,"verified":true,"visibility":null},
            {"email":"octo@elsewhere.example","primary":true,"verified":true,"visibility":"public"}])";
        std::string token =
            R"({"access_token":"gho_16C7e42F292c6912E7710c838347Ae178B4a","scope":"read:user,user:email","token_type":"bearer"})";
        _host->context().http().answer(
            [&](const HttpClient::Request& request) -> HttpClient::Response
            {
                if (request.url == "https://github.com/login/oauth/access_token") return answerOf(200, token);
                if (request.url == "https://api.github.com/user")
                    return answerOf(200, R"({"login":"octocat","id":583231,"node_id":"MDQ6","type":"User","name":null,"email":null})");
                if (request.url == "https://api.github.com/user/emails") return answerOf(200, emails);
                return answerOf(404);
            });
        const auto made = post("/api/identity-providers",
                               R"({"name":"GitHub","kind":"github","clientId":"portico","clientSecret":"s","join":"create"})", _operator);
        equal("https://github.com", made.at("/issuer"));
        const auto there = [&]
        {
            const auto left = _browser->get(startOf(made.at("/id")));
            CHECK(BrowserDriver::locationOf(left).starts_with("https://github.com/login/oauth/authorize?client_id=portico&"));
            equal("S256", BrowserDriver::parameter(left, "code_challenge_method"));
            return _browser->get("/sso/providers/" + made.at("/id") + "/callback?code=c&state=" + BrowserDriver::parameter(left, "state"));
        };
        token = R"({"error":"bad_verification_code"})";
        equal(403, there().status);
        token = R"({"access_token":"gho_1","token_type":"bearer"})";
        equal(303, there().status);
        equal("octo@elsewhere.example", reached());
        equal(1, _host->count("SELECT COUNT(*) FROM linked_accounts WHERE issuer = 'https://github.com' AND subject = '583231'"));
        // A login may change hands and an address, too; the number stays.
        emails = R"([{"email":"ada@acme.example","primary":true,"verified":true}])";
        equal(303, there().status);
        equal("octo@elsewhere.example", reached());
    }

    TEST(peopleAreLedHomeByDomain)
    {
        prove("acme", "acme.example");
        const auto id = provider(owned("acme"));
        allowOnly("acme", "idp:" + id);
        const auto typed = [&](const std::string& identifier)
        {
            const auto shown = _browser->get("/login?return_to=%2Fsettings");
            return _browser->post("/login", {{"form_token", BrowserDriver::field(shown, "form_token")},
                                             {"service_id", "identity"},
                                             {"return_to", "/settings"},
                                             {"identifier", identifier},
                                             {"password", ""},
                                             {"home", "1"}});
        };
        const auto known = typed("ada@ACME.example"), unknown = typed("nobody@acme.example");
        equal(200, known.status);
        CHECK(known.headerBlock().find("Refresh: 0; url=/sso/providers/" + id + "/start?") != std::string::npos);
        CHECK(known.body.find("login_hint=ada%40ACME.example") != std::string::npos);
        CPPUNIT_ASSERT_MESSAGE(known.body, known.body.find("signs in with Example.") != std::string::npos);
        equal(known.status, unknown.status);
        equal(known.body.size() - std::string("ada@ACME").size(), unknown.body.size() - std::string("nobody@acme").size());
        const auto none = typed("eve@other.example");
        equal(400, none.status);
        CHECK(none.body.find("has not set up single sign-on") != std::string::npos);
        // A domain that is not proved any more leads nowhere, nor does a provider that is switched off.
        equal(200, send(Method::Patch, "/api/identity-providers/" + id, R"({"status":"disabled"})", _operator).status);
        equal(400, typed("ada@acme.example").status);
        equal(200, send(Method::Patch, "/api/identity-providers/" + id, R"({"status":"active"})", _operator).status);
        equal(200, typed("ada@acme.example").status);
        _host->change("UPDATE organization_domains SET status = 'pending'");
        equal(400, typed("ada@acme.example").status);
    }

    TEST(otherMethodsAreClosedWhereOnlyAProviderIs)
    {
        prove("acme", "acme.example");
        const auto id = provider(owned("acme"));
        allowOnly("acme", "idp:" + id);
        equal("use_identity_provider", _host->login("ada@acme.example", IdentityHost::password).code());
        equal("invalid_credentials", _host->login("ada@acme.example", "wrong").code(), "only after the password");
        equal(303, roundTrip(id).status);
        equal("ada@acme.example", reached());
        equal(1, _host->count("SELECT COUNT(*) FROM sessions WHERE organization_id IS NOT NULL "
                              "AND amr LIKE '%\"idp:%' AND ended_at IS NULL"));
        // From there to the apps: the context is open to who came so.
        allowOnly("acme", "password");
        BrowserDriver browser(*_host);
        equal(303, roundTrip(id, browser).status);
        equal(1, _host->count("SELECT COUNT(*) FROM sessions WHERE organization_id IS NOT NULL AND amr LIKE '%\"idp:%'"),
              "at home, but not in the organization");
    }

    TEST(ownersCannotCloseTheOnlyAllowedProvider)
    {
        prove("acme", "acme.example");
        const auto ada = elevated("ada@acme.example");
        const auto id = provider(owned("acme"), "https://idp.example", ada);
        const auto path = "/api/identity-providers/" + id;
        // The policy would end a sign-in by password.
        _host->change("UPDATE sessions SET amr = $1 WHERE id = $2", {"[\"idp:" + id + "\"]", _host->validate(ada, "identity")->sessionId});
        allowOnly("acme", "idp:" + id);
        for (const auto& answer : {send(Method::Delete, path, {}, ada), send(Method::Patch, path, R"({"status":"disabled"})", ada)})
        {
            equal(400, answer.status, answer.body);
            equal("securityPolicy.allowedLoginMethods excludes_you", faultOf(answer));
        }
        equal(1, _host->count("SELECT COUNT(*) FROM identity_providers WHERE status = 'active'"));
        // The owner may close it if the policy also allows their password.
        _host->change(R"(UPDATE organizations SET security_policy = '{"allowedLoginMethods":["password","idp:)" + id +
                      R"("]}' WHERE slug = 'acme')");
        equal(200, send(Method::Patch, path, R"({"status":"disabled"})", ada).status);
        equal(200, send(Method::Patch, path, R"({"status":"active"})", ada).status);
        // Operators may always close it.
        _host->change(R"(UPDATE organizations SET security_policy = '{"allowedLoginMethods":["idp:)" + id + R"("]}' WHERE slug = 'acme')");
        equal(204, send(Method::Delete, path, {}, _operator).status);
    }

    TEST(lowerRanksCannotChangeTheClientOfTheOnlyAllowedProvider)
    {
        prove("acme", "acme.example");
        _host->createUser("sue@acme.example", "acme", "super_admin");
        const auto ada = elevated("ada@acme.example"), sue = elevated("sue@acme.example");
        const auto id = provider(owned("acme"), "https://idp.example", ada);
        const auto change = [&](const std::string& body, const std::string& token)
        { return send(Method::Patch, "/api/identity-providers/" + id, body, token); };
        // The policy would end sign-ins by password.
        for (const auto& token : {ada, sue})
            _host->change("UPDATE sessions SET amr = $1 WHERE id = $2",
                          {"[\"idp:" + id + "\"]", _host->validate(token, "identity")->sessionId});
        allowOnly("acme", "idp:" + id);
        for (const auto* body : {R"({"clientSecret":"another"})", R"({"clientId":"another"})"})
            equal("securityPolicy.allowedLoginMethods excludes_owners", faultOf(change(body, sue)));
        equal(200, change(R"({"name":"Renamed"})", sue).status);
        equal(200, change(R"({"clientSecret":"another"})", ada).status);
    }

    TEST(ownersCannotTakeTheOnlySecondFactorFromAProvider)
    {
        prove("acme", "acme.example");
        const auto ada = elevated("ada@acme.example");
        const auto id = provider(owned("acme", R"(,"acrMap":{"urn:two":"aal2"})"), "https://idp.example", ada);
        const auto change = [&](const std::string& body, const std::string& token)
        { return send(Method::Patch, "/api/identity-providers/" + id, body, token); };
        // The policy would end a sign-in by password.
        _host->change("UPDATE sessions SET amr = $1 WHERE id = $2",
                      {"[\"idp:" + id + "\",\"mfa-idp:" + id + "\"]", _host->validate(ada, "identity")->sessionId});
        // Without a list of methods, the provider is a second factor, too.
        for (const auto& methods : {"\"idp:" + id + '"', std::string()})
        {
            _host->change(R"(UPDATE organizations SET security_policy = '{"mfaRequired":true,"allowedLoginMethods":[)" + methods +
                          R"(]}' WHERE slug = 'acme')");
            equal("securityPolicy.mfaRequired excludes_you", faultOf(change(R"({"acrMap":{"urn:two":"aal1"}})", ada)));
            equal(200, change(R"({"acrMap":{"urn:one":"aal1","urn:two":"aal2"}})", ada).status);
        }
        equal("securityPolicy.mfaRequired excludes_you", faultOf(change(R"({"acrMap":{"urn:two":null}})", ada)));
        equal("securityPolicy.mfaRequired excludes_you", faultOf(change(R"({"status":"disabled"})", ada)));
        equal("securityPolicy.mfaRequired excludes_you", faultOf(send(Method::Delete, "/api/identity-providers/" + id, {}, ada)));
        // The owner may change it if the policy requires no second factor.
        _host->change(R"(UPDATE organizations SET security_policy = '{"allowedLoginMethods":[]}' WHERE slug = 'acme')");
        equal(200, change(R"({"status":"disabled"})", ada).status);
        equal(200, change(R"({"status":"active"})", ada).status);
        // Operators may always change it.
        equal(200, change(R"({"acrMap":{"urn:two":"aal1"}})", _operator).status);
    }

    TEST(theSignInPageShowsTheInstallations)
    {
        const auto id = provider(R"(,"button":{"label":"Sign in with <Example>"})");
        provider(owned("acme"));
        const auto page = _browser->get("/login?return_to=%2Fsettings");
        CHECK(page.body.find("Sign in with &lt;Example&gt;") != std::string::npos);
        CHECK(page.body.find("/sso/providers/" + id + "/start?service_id=identity&amp;return_to=%2Fsettings") != std::string::npos);
        CHECK(page.body.find("<script") == std::string::npos);
        const auto config = _host->call({.target = "/api/auth/login-config?service_id=desk"});
        equal(1, config.count("/social"));
        equal(id, config.at("/social/0/id"));
    }

    TestAnswer list(const std::string& token, std::string origin = "identity") const
    {
        return _host->call({.target = "/api/auth/linked-accounts", .originService = std::move(origin)}, token);
    }
    /// Registers a native app, and allows all methods of sign-in.
    TestAnswer nativeApp() const
    {
        _host->change(R"(UPDATE organizations SET security_policy = '{"allowedLoginMethods":[]}')");
        auto app = post("/api/oauth-clients",
                        R"({"name":"App","type":"native","token_endpoint_auth_method":"none","redirect_uris":["https://app.example/cb"],)"
                        R"("scopes":["openid","profile","email","offline_access"]})",
                        _host->signIn("ada@acme.example", "identity"));
        equal(201, app.status, app.body);
        return app;
    }
    /// Signs in to the app with a new browser, through the provider. @return the tokens
    TestAnswer signInToApp(const TestAnswer& app, const std::string& id, std::string_view scope)
    {
        BrowserDriver browser(*_host);
        equal(303, roundTrip(id, browser).status);
        auto answer = browser.get(OAuthDriver::requestOf(app, OAuthDriver::withPkce(), scope));
        if (answer.status == 200)
            answer = browser.post("/oauth/consent", {{"form_token", BrowserDriver::field(answer, "form_token")},
                                                     {"ticket", BrowserDriver::field(answer, "ticket")},
                                                     {"decision", "allow"}});
        auto tokens = BrowserDriver(*_host).post("/oauth/token", {{"grant_type", "authorization_code"},
                                                                  {"client_id", app.at("/client_id")},
                                                                  {"code", BrowserDriver::parameter(answer, "code")},
                                                                  {"redirect_uri", app.at("/redirect_uris/0")},
                                                                  {"code_verifier", OAuthDriver::verifier()}});
        equal(200, tokens.status, tokens.body);
        return tokens;
    }
    int userinfo(const TestAnswer& tokens) const { return _host->call({.target = "/oauth/userinfo"}, tokens.at("/access_token")).status; }
    void requireEnded(const TestAnswer& app, const TestAnswer& tokens) const
    {
        equal(401, userinfo(tokens));
        const auto renewed = BrowserDriver(*_host).post(
            "/oauth/token",
            {{"grant_type", "refresh_token"}, {"client_id", app.at("/client_id")}, {"refresh_token", tokens.at("/refresh_token")}});
        equal("invalid_grant", renewed.at("/error"));
    }
    /// Sign-ins of identity that came from a provider.
    std::int64_t alive() const
    {
        return _host->count("SELECT COUNT(*) FROM sessions s JOIN browser_sessions b ON b.id = s.browser_session_id "
                            "WHERE b.provider_id IS NOT NULL AND s.ended_at IS NULL");
    }
    boost::json::object logoutClaims(const std::string& jti, const std::string& subject, const std::string& sid) const
    {
        const auto seconds = toMillis(_host->context().clock().now()) / 1000;
        boost::json::object claims = {
            {"iss", _upstream->issuer},
            {"aud", _upstream->clientId},
            {"iat", seconds},
            {"exp", seconds + 120},
            {"jti", jti},
            {"events", boost::json::object{{"http://schemas.openid.net/event/backchannel-logout", boost::json::object()}}}};
        if (!subject.empty()) claims["sub"] = subject;
        if (!sid.empty()) claims["sid"] = sid;
        return claims;
    }
    TestAnswer logout(const std::string& id, const boost::json::object& claims, std::string_view typ = "logout+jwt") const
    {
        return sendLogout(id, _upstream->sign(claims, typ));
    }
    TestAnswer sendLogout(const std::string& id, const std::string& token) const
    {
        return _host->call({.method = Method::Post,
                            .target = "/sso/providers/" + id + "/backchannel-logout",
                            .body = "logout_token=" + token,
                            .headers = {{"Content-Type", "application/x-www-form-urlencoded"}}});
    }
    /// Returns field and code of the first fault; empty if the answer is 200.
    static std::string faultOf(const TestAnswer& answer)
    {
        if (answer.status == 200) return {};
        return answer.has("/errors/0/field") ? answer.at("/errors/0/field") + ' ' + answer.at("/errors/0/code") : answer.body;
    }
    void allowOnly(std::string_view slug, const std::string& method) const
    {
        const auto answer = send(Method::Patch, "/api/organizations/" + _host->organizationId(slug),
                                 jsonWith(R"({"securityPolicy":{"allowedLoginMethods":["$"]}})", method), _operator);
        equal(200, answer.status, answer.body);
    }
};

} // namespace portico::tests
