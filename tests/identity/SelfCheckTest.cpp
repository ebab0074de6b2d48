#include "identity/IdentityHost.h"
#include "support/Suite.h"

namespace portico::tests
{

/// Conditions that are reported to operators.
class SelfCheckTest : public Suite<SelfCheckTest>
{
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _host->createUser("op@x.example", {}, "member", "platform_admin");
        _ada = _host->createUser("ada@x.example", "acme", "owner");
    }
    void tearDown() override { _host.reset(); }

    TEST(isForOperators)
    {
        equal(403, check("ada@x.example").status);
        equal(200, check("op@x.example").status);
        equal(401, _host->call({.target = "/api/system/self-check"}).status);
    }

    TEST(namesWhatIsWrong)
    {
        const auto before = check("op@x.example");
        equal(0, before.count("/ineffectivePlatformRoles"));
        equal(0, before.count("/waitingDeletions"));
        equal(0, before.count("/incompleteServices"));
        CHECK(before.body.find(R"("id":"V6.3.3","title":"Operators have a second factor","ok":false)") != std::string::npos);
        _host->change("UPDATE users SET platform_role = 'platform_super_admin' WHERE id = $1", {_ada});
        _host->change("UPDATE services SET complete = FALSE, version = version + 1 WHERE service_id = 'desk'");
        _host->change("INSERT INTO erasures (user_id, email, locale, waiting_for, started_at) VALUES ($1, 'x', 'en', '[\"crm\"]', 1)",
                      {_ada});
        const auto after = check("op@x.example");
        equal(_ada, after.at("/ineffectivePlatformRoles/0/userId"));
        equal("desk", after.at("/incompleteServices/0"));
        equal("crm", after.at("/waitingDeletions/0/waitingFor/0"));
        equal("false", after.at("/ok"));
    }

    TEST(namesSettingsThatDoNotFit)
    {
        _host = std::make_unique<IdentityHost>(IdentityHost::Settings{{"identity.refresh.idleSeconds", "86400"},
                                                                      {"identity.refresh.absoluteSeconds", "43200"},
                                                                      {"identity.accounts.termsUrl", "https://x.example/terms"}});
        _host->createUser("op@x.example", {}, "member", "platform_admin");
        const auto answer = check("op@x.example");
        equal(1, answer.count("/misconfigurations"));
        equal("identity.refresh.idleSeconds", answer.at("/misconfigurations/0/setting"));
    }

    /// At their next request, with the same token; their own things stay open, so that they can add a factor.
    TEST(aPolicyReachesWhoIsSignedIn)
    {
        const auto token = _host->signIn("ada@x.example");
        equal("ok", _host->verdict(token));
        _host->change(R"(UPDATE organizations SET security_policy = '{"mfaRequired":true}' WHERE slug = 'acme')");
        equal("org_policy_mfa_required", _host->verdict(token));
        equal("org_policy_mfa_required", _host->verdict(token));
        CHECK(!_host->validateCached(token));
        CHECK(_host->validate(token, "desk", false) != nullptr);
        // A password typed once more is no second factor.
        const auto again = _host->call({.method = Method::Post,
                                        .target = "/api/auth/step-up",
                                        .body = jsonWith(R"({"factor":"password","password":"$"})", IdentityHost::password),
                                        .originService = "desk"},
                                       token);
        equal("org_policy_mfa_required", _host->verdict(again.at("/access_token")));
        _host->change("UPDATE organizations SET security_policy = '{}' WHERE slug = 'acme'");
        equal("ok", _host->verdict(token));
    }

    TestAnswer check(std::string_view email) const
    {
        return _host->call({.target = "/api/system/self-check"}, _host->signIn(email, "identity"));
    }

    std::unique_ptr<IdentityHost> _host;
    std::string _ada;
};

} // namespace portico::tests
