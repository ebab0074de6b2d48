#include "identity/OAuthDriver.h"
#include "portico/system/Credentials.h"
#include "support/Suite.h"

namespace portico::tests
{

/// Secret of a client as the bearer token of SCIM: its rights and its end.
class DirectorySecretTest : public Suite<DirectorySecretTest>
{
    void setUp() override { _driver = std::make_unique<OAuthDriver>(); }
    void tearDown() override { _driver.reset(); }

    TEST(opensScimAlone)
    {
        const auto made = directory();
        const auto secret = made.at("/client_secret");
        equal("ok", verdict(secret));
        const auto caller = ask(secret, "/scim/v2/Users");
        equal(made.at("/client_id"), caller->principalId);
        equal(_driver->host().organizationId("acme"), caller->organizationId);
        CHECK(caller->scopes == std::vector<std::string>{"scim"} && caller->isServicePrincipal());
        for (const auto* path : {"/api/users", "/validate", "/scim/v2", "/oauth/register", ""})
            equal("bad_signature", verdict(secret, path), path);
        equal("bad_signature", verdict(secret, "/scim/v2/Users", "desk"));
        for (const auto& wrong : {std::string("x"), secret + "x", secret.substr(1), made.at("/client_id")})
            equal("revoked", verdict(wrong));
        // The second time from memory.
        equal("ok", verdict(secret));
    }

    TEST(endsWithTheSecretAndTheClient)
    {
        const auto made = directory();
        const auto first = made.at("/client_secret");
        const auto place = "/api/oauth-clients/" + made.at("/client_id");
        const auto second = _driver->manage(Method::Post, place + "/rotate-secret", "{}").at("/client_secret");
        for (const auto& secret : {first, second}) equal("ok", verdict(secret));
        _driver->host().context().clock().advance(std::chrono::hours(25));
        equal("revoked", verdict(first));
        equal("ok", verdict(second));
        CHECK(_driver->manage(Method::Patch, place, R"({"scopes":[]})").status == 200);
        equal("revoked", verdict(second));
        CHECK(_driver->manage(Method::Patch, place, R"({"scopes":["scim"]})").status == 200);
        equal("ok", verdict(second));
        CHECK(_driver->manage(Method::Delete, place).status < 300);
        equal("revoked", verdict(second));
    }

    TEST(clientsWithMoreToProveHaveNoSuchWay)
    {
        equal("revoked", verdict(directory(R"(,"dpop_bound_access_tokens":true)").at("/client_secret")));
        equal("revoked", verdict(_driver->client().at("/client_secret")));
    }

    TEST(showsItsLastUse)
    {
        const auto made = directory();
        const auto used = [&] { return _driver->manage(Method::Get, "/api/oauth-clients/" + made.at("/client_id")).at("/scim_used_at"); };
        equal("null", used());
        verdict(made.at("/client_secret"));
        const auto first = used();
        CHECK(first != "null");
        _driver->host().context().clock().advance(std::chrono::minutes(1));
        verdict(made.at("/client_secret"));
        equal(first, used());
        _driver->host().context().clock().advance(std::chrono::minutes(5));
        verdict(made.at("/client_secret"));
        CHECK(first != used());
    }

    TestAnswer directory(const std::string& more = {}) const
    {
        return _driver->client(jsonWith(R"(,"grant_types":["client_credentials"],"scopes":["scim"]$)", more));
    }
    std::shared_ptr<const Caller> ask(const std::string& secret, std::string_view path, std::string_view service = "identity")
    {
        interfaces::Credential credential{CredentialKind::AccessToken, secret, service, "192.0.2.7"};
        credential.path = path;
        return _driver->host().provided<interfaces::Credentials>().validate(credential);
    }
    /// `ok`, the reason of a 401, or the code.
    std::string verdict(const std::string& secret, std::string_view path = "/scim/v2/Users", std::string_view service = "identity")
    {
        try
        {
            ask(secret, path, service);
            return "ok";
        }
        catch (const Problem& problem)
        {
            const auto& details = problem.details();
            const auto at = details.find(R"("reason":")");
            return at == std::string::npos ? problem.code() : details.substr(at + 10, details.find('"', at + 10) - at - 10);
        }
    }

    std::unique_ptr<OAuthDriver> _driver;
};

} // namespace portico::tests
