#include "identity/UpstreamFixture.h"
#include "support/Suite.h"

#include <algorithm>

namespace portico::tests
{

/// Limits of sign-ins by an organization's provider: valid for that organization only, for users up to the rank of the person who
/// configured it, and never for operators.
class ProviderScopeTest : public Suite<ProviderScopeTest, UpstreamFixture>
{
    TEST(aSignInBeginsInItsOrganization)
    {
        const auto id = open();
        _host->createUser("ada@acme.example", "other", "member");
        // The context of the last work was another.
        _host->signIn("ada@acme.example", "identity", jsonWith(R"(,"organizationId":"$")", _host->organizationId("other")));
        equal(303, roundTrip(id).status);
        equal(1, _host->count("SELECT COUNT(*) FROM sessions WHERE amr LIKE '%idp:%' AND organization_id = '" +
                              _host->organizationId("acme") + '\''));
    }

    TEST(aSignInMovesNowhereElse)
    {
        const auto id = open();
        _host->createUser("ada@acme.example", "other", "member");
        const auto token = asIfThrough(id, "ada@acme.example", "acme");
        equal("login_method_not_allowed", move(token, R"({"kind":"personal"})").code());
        equal("login_method_not_allowed", move(token, organization("other")).code());
        equal(200, move(token, organization("acme")).status);
        equal(_host->organizationId("acme"), _host->validate(token, "identity")->organizationId);
        // A password typed afterwards does not widen it.
        const auto raised = post("/api/auth/step-up", jsonWith(R"({"factor":"password","password":"$"})", IdentityHost::password), token);
        equal("login_method_not_allowed", move(raised.at("/access_token"), organization("other")).code());
    }

    TEST(requestsAcceptTheSecondFactorOfTheProvider)
    {
        const auto id = open();
        const auto plain = asIfThrough(id, "ada@acme.example", "acme");
        const auto other = asIfThrough(id, "ada@acme.example", "acme", R"("mfa-idp:another")");
        const auto proved = asIfThrough(id, "ada@acme.example", "acme", R"("mfa-idp:)" + id + '"');
        _host->change(R"(UPDATE organizations SET security_policy = '{"allowedLoginMethods":[],"mfaRequired":true}' WHERE slug = 'acme')");
        const auto members = [&](const std::string& token)
        { return send(Method::Get, "/api/organizations/" + _host->organizationId("acme") + "/members", {}, token); };
        refused(members(plain), 403, "org_policy_mfa_required");
        refused(members(other), 403, "org_policy_mfa_required");
        const auto shown = members(proved);
        equal(200, shown.status, shown.body);
    }

    TEST(aStepUpByPasswordKeepsTheMethodAndTheFactorOfTheProvider)
    {
        const auto id = open();
        const auto proved = asIfThrough(id, "ada@acme.example", "acme", R"("mfa-idp:)" + id + '"');
        _host->change(R"(UPDATE organizations SET security_policy = '{"allowedLoginMethods":["idp:)" + id +
                      R"("],"mfaRequired":true}' WHERE slug = 'acme')");
        const auto raised = post("/api/auth/step-up", jsonWith(R"({"factor":"password","password":"$"})", IdentityHost::password), proved);
        equal(200, raised.status, raised.body);
        const auto token = raised.at("/access_token");
        const auto shown = send(Method::Get, "/api/organizations/" + _host->organizationId("acme") + "/members", {}, token);
        equal(200, shown.status, shown.body);
        equal(200, move(token, organization("acme")).status);
    }

    TEST(aSignInOfARemovedProviderMovesNowhere)
    {
        const auto id = open();
        _host->createUser("ada@acme.example", "other", "member");
        const auto token = asIfThrough(id, "ada@acme.example", "acme");
        _host->change("DELETE FROM identity_providers WHERE id = $1", {id});
        for (const auto& where : {organization("other"), organization("acme"), std::string(R"({"kind":"personal"})")})
            equal("login_method_not_allowed", move(token, where).code());
    }

    TEST(theInstallationsProvidersMoveFreely)
    {
        const auto id = provider();
        const auto token = asIfThrough(id, "ada@acme.example", "acme");
        equal(200, move(token, R"({"kind":"personal"})").status);
    }

    TEST(aSignInNeverHasTheBypass)
    {
        _host->createUser("op@admin.example", "acme", "member");
        for (const std::string slug : {"acme", "admin"})
        {
            const auto id = provider(owned(slug), slug == "acme" ? "https://idp.example" : "https://rogue.example");
            _host->change("UPDATE organizations SET security_policy = '{\"allowedLoginMethods\":[]}'");
            const auto token = asIfThrough(id, "op@admin.example", slug);
            CPPUNIT_ASSERT_MESSAGE(slug, !_host->validate(token, "identity")->platformBypass);
            equal(403, send(Method::Get, "/api/system/self-check", {}, token).status);
        }
        // The operator's direct sign-in has the role, and lists the restricted ones.
        const auto shown = send(Method::Get, "/api/system/self-check", {}, _operator);
        equal("organization_provider", shown.at("/powerlessSignIns/0/reason"), shown.body);
    }

    TEST(aLinkedOperatorStaysOut)
    {
        const auto id = open();
        equal(303, roundTrip(id).status);
        _host->change("UPDATE users SET platform_role = 'platform_admin' WHERE email = 'ada@acme.example'");
        refusedAgain(id);
        _host->change("UPDATE users SET platform_role = NULL WHERE email = 'ada@acme.example'");
        equal(303, roundTrip(id).status);
    }

    TEST(rankIsJudgedAtEverySignIn)
    {
        prove("acme", "acme.example");
        _host->createUser("sue@acme.example", "acme", "super_admin");
        const auto bob = _host->createUser("bob@acme.example", "acme", "member");
        const auto id = provider(owned("acme"), "https://idp.example", elevated("sue@acme.example"));
        _upstream->profile = {{"email", "bob@acme.example"}};
        equal(303, roundTrip(id).status);
        const auto role = [&](std::string_view to) {
            _host->change("UPDATE memberships SET role = $1 WHERE user_id = $2", {std::string(to), bob});
        };
        role("owner");
        refusedAgain(id);
        role("super_admin");
        equal(303, roundTrip(id).status);
        // An owner of another organization is a member in this one.
        _host->createUser("bob@acme.example", "side", "owner");
        equal(303, roundTrip(id).status);
        // An owner lends the provider their rank by sending its secret again.
        role("owner");
        refusedAgain(id);
        equal(200,
              send(Method::Patch, "/api/identity-providers/" + id, R"({"clientSecret":"s3cret"})", elevated("ada@acme.example")).status);
        equal(303, roundTrip(id).status);
    }

    TEST(rankIsJudgedAtLinking)
    {
        _host->createUser("sue@acme.example", "acme", "super_admin");
        const auto id = provider(owned("acme"), "https://idp.example", elevated("sue@acme.example"));
        const auto begin = [&](std::string_view email)
        { return post("/api/auth/linked-accounts/" + id + "/start", "{}", elevated(email)); };
        equal("account_not_linked", begin("ada@acme.example").code());
        equal(200, begin("sue@acme.example").status);
        // The rank of the moment at which the person comes back counts.
        const auto bob = _host->createUser("bob@acme.example", "acme", "member");
        BrowserDriver browser(*_host);
        browser.signIn("bob@acme.example");
        const auto begun = begin("bob@acme.example");
        const auto left = browser.get(begun.at("/url").substr(begun.at("/url").find("/sso/")));
        _host->change("UPDATE memberships SET role = 'owner' WHERE user_id = $1", {bob});
        equal(403, browser.get(_upstream->authorize(BrowserDriver::locationOf(left))).status);
        equal(0, _host->count("SELECT COUNT(*) FROM linked_accounts"));
        _host->createUser("op@admin.example", "acme", "member");
        const auto operators = post("/api/auth/linked-accounts/" + id + "/start", "{}", _operator);
        equal("account_not_linked", operators.code());
    }

    TEST(aPlatformRoleEndsTheLinks)
    {
        const auto bob = linkedBob();
        const auto done = send(Method::Patch, "/api/users/" + bob, R"({"platformRole":"platform_admin"})", _operator);
        equal(200, done.status, done.body);
        requireUnlinked();
        auto session = _host->context().database().session();
        const auto details = session.value<std::string>("SELECT details FROM audit_events WHERE type = 'user.updated'").value_or("");
        CPPUNIT_ASSERT_MESSAGE(details, details.find(R"("linksRemoved":1)") != std::string::npos);
        const std::string ended = "SELECT COUNT(*) FROM audit_events WHERE type = 'session.ended' AND ";
        equal(0, _host->count(ended + "actor_id = '" + bob + '\''));
        CHECK(_host->count(ended + "details LIKE '%" + bob + "%'") > 0);
    }

    TEST(aPlatformRoleEndsSignInsWithoutABrowserSession)
    {
        const auto id = open();
        const auto bob = _host->createUser("bob@acme.example", "acme", "member");
        const auto through = asIfThrough(id, "bob@acme.example", "acme");
        const auto own = _host->signIn("bob@acme.example", "identity");
        const auto done = send(Method::Patch, "/api/users/" + bob, R"({"platformRole":"platform_admin"})", _operator);
        equal(200, done.status, done.body);
        equal("session_ended", _host->verdict(through, "identity"));
        equal("ok", _host->verdict(own, "identity"));
    }

    TEST(aPlatformRoleOfTheCommandLineEndsTheLinks)
    {
        linkedBob();
        _host->createUser("bob@acme.example", {}, "member", "platform_admin");
        requireUnlinked();
    }

    /// A provider of acme, which its policy allows, set up by its owner; Ada is linked by her first sign-in there.
    std::string open()
    {
        prove("acme", "acme.example");
        const auto id = provider(owned("acme"), "https://idp.example", elevated("ada@acme.example"));
        _host->change("UPDATE organizations SET security_policy = '{\"allowedLoginMethods\":[]}' WHERE slug = 'acme'");
        return id;
    }
    std::string organization(std::string_view slug) const
    {
        return jsonWith(R"({"kind":"organization","organizationId":"$"})", _host->organizationId(slug));
    }
    /// Returns a token of a sign-in whose rows name that provider. @param also further method of `amr`, as JSON
    std::string asIfThrough(const std::string& id, std::string_view email, std::string_view slug, const std::string& also = {}) const
    {
        auto token = _host->signIn(email, "identity", jsonWith(R"(,"organizationId":"$")", _host->organizationId(slug)));
        _host->change("UPDATE sessions SET amr = $1 WHERE id = $2",
                      {"[\"idp:" + id + (also.empty() ? "\"]" : "\"," + also + ']'), _host->validate(token, "identity")->sessionId});
        return token;
    }
    TestAnswer move(const std::string& token, const std::string& where) const
    {
        return send(Method::Put, "/api/auth/context", where, token);
    }
    void refusedAgain(const std::string& id)
    {
        BrowserDriver browser(*_host);
        const auto answer = roundTrip(id, browser);
        equal(403, answer.status, answer.body);
        CHECK(answer.body.find("No account is linked to") != std::string::npos);
    }
    std::string linkedBob()
    {
        const auto id = open();
        const auto bob = _host->createUser("bob@acme.example", "acme", "member");
        _upstream->profile = {{"email", "bob@acme.example"}};
        equal(303, roundTrip(id).status);
        equal("bob@acme.example", reached());
        return bob;
    }
    void requireUnlinked() const
    {
        equal(0, _host->count("SELECT COUNT(*) FROM linked_accounts"));
        equal("", reached(), "the browser's session came from there");
        const auto mail = _host->context().mailer().sentTo("bob@acme.example").back().text;
        CPPUNIT_ASSERT_MESSAGE(mail, mail.find("was unlinked from yours") != std::string::npos);
    }
};

} // namespace portico::tests
