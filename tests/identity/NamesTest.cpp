#include "identity/IdentityHost.h"
#include "support/Suite.h"

#include "common/Names.h"

#include "portico/Text.h"

namespace portico::tests
{

/// Rule of names, and its use by everything that has a name.
class NamesTest : public Suite<NamesTest>
{
    TEST(areOneLineThatCanBeSeen)
    {
        for (const auto* name : {"Zo\u00eb \u5f20\u4e09 O'Neil", "\U0001f469\u200d\U0001f680", "\u0645\u06cc\u200c\u0634\u0648\u062f", ""})
            CPPUNIT_ASSERT_MESSAGE(name, identity::names::isName(name));
        for (const auto* name : {"a\nb", "a\rb", "a\tb", "\x1b[2J", "a\x7f", "a\u0085b", "a\u009bb", "a\u00adb", "a\u061cb", "a\u200bb",
                                 "a\u200eb", "\u200f", "a\u2028b", "a\u2029b", "a\u202eb", "a\u2060b", "a\u2067b", "a\ufeffb"})
            CPPUNIT_ASSERT_MESSAGE(name, !identity::names::isName(name));
    }

    TEST(namesOfDirectoriesAreCleaned)
    {
        equal("Ada Lovelace", identity::names::cleanName(" \u202eAda\n Lovelace\u200f ", 120));
        equal(80, characterCount(identity::names::cleanName(std::string(200, 'x') + "\u00e9", 80)));
        equal("\u00e9\u00e9", identity::names::cleanName("\u00e9\u00e9\u00e9", 2));
        CHECK(identity::names::cleanName("\n\u2028", 10).empty());
    }

    TEST(areTheSameRuleEverywhere)
    {
        IdentityHost host;
        const auto ada = host.createUser("ada@acme.example", "acme", "owner");
        host.createUser("op@admin.example", "", "owner", "platform_super_admin");
        host.createUser("solo@x.example");
        const auto acme = host.organizationId("acme");
        const auto elevated = [&](std::string_view email)
        {
            return host
                .call({.method = Method::Post,
                       .target = "/api/auth/step-up",
                       .body = R"({"factor":"password","password":"correct horse battery"})"},
                      host.signIn(email, "identity"))
                .at("/access_token");
        };
        const auto owner = elevated("ada@acme.example"), op = elevated("op@admin.example"), solo = elevated("solo@x.example");
        struct Row
        {
            Method method;
            std::string target;
            /// The name is put in place of `%`.
            std::string body;
            std::string field;
            const std::string& by;
        };
        const auto post = Method::Post;
        const auto made = [&](const Row& row, const std::string& name)
        {
            auto body = row.body;
            body.replace(body.find('%'), 1, name);
            return host.call({.method = row.method, .target = row.target, .body = std::move(body)}, row.by);
        };
        const std::vector<Row> rows = {
            {post, "/api/households", R"({"name":"%"})", "name", solo},
            {post, "/api/organizations/" + acme + "/agents", jsonWith(R"({"name":"%","ownerUserId":"$","role":"member"})", ada), "name",
             owner},
            {post, "/api/api-keys",
             jsonWith(
                 R"({"name":"%","owner_type":"organization","owner_id":"$","grants":[{"service_id":"desk","scopes":["tickets.read"]}]})",
                 acme),
             "name", owner},
            {post, "/api/webhook-endpoints", R"({"url":"https://hooks.example/in","description":"%","types":["user.created"]})",
             "description", owner},
            {post, "/api/auth/passkeys/register/options", R"({"name":"%"})", "name", owner},
            {post, "/api/auth/mfa/totp/enroll", R"({"name":"%"})", "name", owner},
            {post, "/api/organizations", R"({"name":"%","kind":"business"})", "name", owner},
            {post, "/api/users", R"({"email":"new@x.example","displayName":"%"})", "displayName", op},
            {Method::Patch, "/api/users/" + ada, R"({"displayName":"%"})", "displayName", op},
            {post, "/api/identity-providers", R"({"name":"%","issuer":"https://id.example","clientId":"c"})", "name", op},
            {post, "/api/identity-providers", R"({"name":"P","issuer":"https://id.example","clientId":"c","button":{"label":"%"}})",
             "button.label", op},
        };
        for (const auto& row : rows)
        {
            for (const auto* bad : {R"(Acme\nYour bank)", R"(Acme\u202egnp)", R"(Acme\u0085Bank)"})
            {
                const auto refused = made(row, bad);
                equal(400, refused.status, row.target + refused.body);
                equal("invalid_name", refused.at("/errors/0/code"), row.target);
                equal(row.field, refused.at("/errors/0/field"), row.target);
            }
            // Characters, not bytes.
            std::string longest;
            for (int i = 0; i < 80; ++i) longest += "\u00fc";
            const auto taken = made(row, longest);
            CPPUNIT_ASSERT_MESSAGE(row.target + taken.body, taken.body.find("too_long") == std::string::npos);
            CPPUNIT_ASSERT_MESSAGE(row.target + taken.body, taken.body.find("invalid_name") == std::string::npos);
        }
    }

    TEST(namesOfDeveloperFormsAreCleaned)
    {
        IdentityHost host;
        const auto fault = [&](const char* target, std::string body)
        { return host.call({.method = Method::Post, .target = target, .body = std::move(body)}).at("/errors/0/field"); };
        for (const auto* field : {"applicantName", "company", "country"})
        {
            std::string body = R"({"email":"a@x.example","useCase":"one\ntwo","acceptTerms":true)";
            for (const auto* each : {"applicantName", "company", "country"})
                body += std::string(",\"") + each + (each == field ? R"(":"A\nB")" : R"(":"A")");
            equal(field, fault("/api/public/developers/apply", body + '}'));
        }
        for (const auto* field : {"appName", "summary", "contact"})
        {
            std::string body =
                R"({"developerEmail":"a@x.example","slug":"notes","description":"one\ntwo","homepageUrl":"https://n.example",)"
                R"("callbackUrls":["https://n.example/cb"],"requestedScopes":[{"service_id":"desk","scopes":["tickets.read"]}],)"
                R"("surface_kind":"application")";
            for (const auto* each : {"appName", "summary", "contact"})
                body += std::string(",\"") + each + (each == field ? R"(":"A\u2028B")" : R"(":"A")");
            equal(field, fault("/api/public/app-submissions", body + '}'));
        }
    }

    /// A leaked key with an old name is still disabled.
    TEST(olderNamesRemainValid)
    {
        IdentityHost host;
        const auto acme = (host.createUser("ada@acme.example", "acme", "owner"), host.organizationId("acme"));
        const auto owner = host.call({.method = Method::Post,
                                      .target = "/api/auth/step-up",
                                      .body = R"({"factor":"password","password":"correct horse battery"})"},
                                     host.signIn("ada@acme.example", "identity"))
                               .at("/access_token");
        const auto key =
            host.call({.method = Method::Post,
                       .target = "/api/api-keys",
                       .body = jsonWith(R"({"name":"CI","owner_type":"organization","owner_id":"$","grants":[{"service_id":"desk",)"
                                        R"("scopes":["tickets.read"]}]})",
                                        acme)},
                      owner)
                .at("/apiKey/id");
        host.change("UPDATE api_keys SET name = $1", {"C\nI"});
        const auto patched = [&](const char* body)
        { return host.call({.method = Method::Patch, .target = "/api/api-keys/" + key, .body = body}, owner); };
        equal("disabled", patched(R"({"status":"disabled"})").at("/status"));
        equal("invalid_name", patched(R"({"name":"C\nI"})").at("/errors/0/code"));
    }
};

} // namespace portico::tests
