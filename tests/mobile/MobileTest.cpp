#include "mobile/FakePhone.h"
#include "support/Suite.h"

#include <algorithm>
#include <thread>

namespace portico::tests
{

namespace
{

/// A text of the library, freed.
std::string taken(char* text)
{
    std::string copy = text ? text : "";
    pm_string_free(text);
    return copy;
}

struct Answer
{
    pm_status status = PM_INTERNAL;
    std::string json;
    bool fromCache = false;
    std::int64_t age = 0;
};

using Reader = pm_status (*)(pm_client*, pm_source, pm_document*);

Answer ask(const FakePhone& phone, Reader read = pm_catalog, pm_source source = PM_NETWORK)
{
    pm_document document{sizeof(pm_document), nullptr, 0, 0, 0};
    const auto status = read(phone.client, source, &document);
    return {status, taken(document.json), document.from_cache == 1, document.age_seconds};
}

std::pair<pm_launch_kind, std::string> launched(const FakePhone& phone, pm_platform platform = PM_IOS)
{
    pm_launch_result result{sizeof(pm_launch_result), PM_LAUNCH_WEB, nullptr};
    const auto status = pm_launch(phone.client, "crm", platform, nullptr, &result);
    return {result.kind, status == PM_OK ? taken(result.url) : pm_status_name(status)};
}

} // namespace

class MobileTest : public Suite<MobileTest>
{
    FakeServer server;
    KeychainGroup group;

    void requireSignedIn(const FakePhone& phone, bool expected)
    {
        std::int32_t is = 0;
        equal(PM_OK, pm_signed_in(phone.client, &is));
        equal(expected, is == 1);
    }

    void requireGoodProofs() { equal(0, server.faults.size(), server.faults.empty() ? std::string() : server.faults.front()); }

    FakePhone& signedIn(FakePhone& phone)
    {
        equal(PM_OK, phone.signIn());
        return phone;
    }

public:
    TEST(signsInWithProofsThatTheServerVerifies)
    {
        for (const bool raw : {false, true})
        {
            FakePhone phone(server, group);
            phone.rawSignatures = raw;
            signedIn(phone);
            requireSignedIn(phone, true);
            equal(PM_OK, ask(phone).status);
            equal(R"({"theme":"dark"})", ask(phone, pm_preferences).json);
            equal(R"({"open":3,"overdue":0,"critical":1})", ask(phone, pm_actions).json);
            CHECK(phone.written().find("secret") == std::string::npos);
        }
        requireGoodProofs();
    }

    TEST(refusesForeignCallbacks)
    {
        FakePhone phone(server, group);
        char* url = nullptr;
        equal(PM_OK, pm_sign_in_start(phone.client, &url));
        const auto good = phone.callback(taken(url));
        const auto changed = [&](const std::string& from, const std::string& to)
        {
            auto text = good;
            text.replace(text.find(from), from.size(), to);
            return pm_sign_in_finish(phone.client, text.c_str());
        };
        equal(PM_WRONG_STATE, changed("&state=", "&state=x"));
        equal(PM_WRONG_STATE, changed("&state=", "&estate="));
        equal(PM_WRONG_STATE, changed("&state=", "&state=x&state="));
        equal(PM_WRONG_STATE, changed("portico-shell:", "https://evil.example"));
        equal(PM_WRONG_STATE, changed("/callback", "/other"));
        equal(PM_WRONG_ISSUER, changed("identity.example", "evil.example"));
        equal(PM_WRONG_ISSUER, changed("&iss=", "&is="));
        equal(PM_BAD_ANSWER, changed("good-code", "good%0acode"));
        CHECK(server.seen.empty());
        FakePhone other(server, group, "crm");
        equal(PM_WRONG_STATE, pm_sign_in_finish(other.client, good.c_str()));
        // None of them has spent the sign-in.
        equal(PM_OK, pm_sign_in_finish(phone.client, good.c_str()));
    }

    TEST(aDeclinedSignInHasItsReason)
    {
        FakePhone phone(server, group);
        char* url = nullptr;
        pm_sign_in_start(phone.client, &url);
        auto callback = phone.callback(taken(url));
        callback.replace(callback.find("code=good-code"), 14, "error=access_denied");
        equal(PM_DENIED, pm_sign_in_finish(phone.client, callback.c_str()));
        equal("access_denied", std::string(pm_last_problem(phone.client)));
    }

    TEST(signInsAreFinishedOnce)
    {
        FakePhone phone(server, group);
        char* url = nullptr;
        pm_sign_in_start(phone.client, &url);
        const auto callback = phone.callback(taken(url));
        equal(PM_OK, pm_sign_in_finish(phone.client, callback.c_str()));
        equal(PM_WRONG_STATE, pm_sign_in_finish(phone.client, callback.c_str()));
        pm_sign_in_start(phone.client, &url);
        const auto late = phone.callback(taken(url));
        group.now += 601;
        equal(PM_WRONG_STATE, pm_sign_in_finish(phone.client, late.c_str()));
    }

    TEST(showsTheCatalogOffline)
    {
        FakePhone phone(server, group);
        equal(PM_SIGNED_OUT, ask(phone).status);
        signedIn(phone);
        equal(PM_OFFLINE, ask(phone, pm_catalog, PM_CACHE_ONLY).status);
        const auto fresh = ask(phone);
        CHECK(!fresh.fromCache && fresh.age == 0);
        group.now += 3600;
        phone.offline = true;
        for (const auto source : {PM_NETWORK, PM_CACHE_ONLY})
        {
            const auto cached = ask(phone, pm_catalog, source);
            equal(PM_OK, cached.status);
            equal(fresh.json, cached.json);
            CHECK(cached.fromCache && cached.age == 3600);
        }
        phone.offline = false;
        // The server confirms the document by its tag.
        const auto confirmed = ask(phone);
        CHECK(confirmed.json == fresh.json && !confirmed.fromCache && confirmed.age == 0);
        equal("\"c1\"", server.seen.back().headers.at("If-None-Match"));
        equal(0, ask(phone, pm_catalog, PM_CACHE_ONLY).age);
        requireGoodProofs();
    }

    TEST(a503KeepsEverythingAnd401Nothing)
    {
        FakePhone phone(server, group);
        signedIn(phone);
        ask(phone);
        const auto secrets = group.secrets;
        for (const int status : {429, 500, 503})
        {
            server.fault = status;
            CHECK(ask(phone).fromCache);
            equal(PM_UNAVAILABLE, pm_refresh(phone.client));
            equal("PM_UNAVAILABLE", launched(phone).second);
            equal(PM_UNAVAILABLE, ask(phone, pm_preferences).status);
        }
        CHECK(secrets == group.secrets);
        server.fault = 0;
        server.revoked = true;
        equal(PM_SIGNED_OUT, ask(phone).status);
        requireSignedIn(phone, false);
        CHECK(phone.files.empty());
        equal(PM_SIGNED_OUT, ask(phone, pm_catalog, PM_CACHE_ONLY).status);
    }

    TEST(anotherUsersCacheIsNotShown)
    {
        FakePhone shell(server, group), other(server, group, "other");
        signedIn(shell);
        ask(shell);
        signedIn(other);
        equal(PM_OFFLINE, ask(shell, pm_catalog, PM_CACHE_ONLY).status);
        CHECK(shell.files.empty());
        equal(PM_OK, ask(shell).status);
    }

    TEST(corruptCachesAreIgnored)
    {
        FakePhone phone(server, group);
        signedIn(phone);
        const auto fresh = ask(phone).json;
        const auto good = phone.files.at("catalog");
        for (std::size_t size = 0; size < good.size(); size += 7)
        {
            phone.files["catalog"] = good.substr(0, size);
            equal(PM_OFFLINE, ask(phone, pm_catalog, PM_CACHE_ONLY).status);
            phone.files["catalog"] = good;
            phone.files["catalog"][size] ^= 1;
            // A changed tag or time costs a request, a changed document is not shown.
            const auto changed = ask(phone, pm_catalog, PM_CACHE_ONLY);
            CHECK(changed.status == PM_OFFLINE || changed.json == fresh);
        }
        phone.files["catalog"] = "garbage";
        equal(fresh, ask(phone).json);
    }

    TEST(aFullDiskLeavesNoHalfDocument)
    {
        FakePhone phone(server, group);
        signedIn(phone);
        phone.diskFull = true;
        equal(PM_OK, ask(phone).status);
        CHECK(phone.files.empty());
        CHECK(!phone.log.empty());
    }

    TEST(malformedAnswersChangeNothing)
    {
        FakePhone phone(server, group);
        signedIn(phone);
        const auto fresh = ask(phone).json;
        const auto files = phone.files;
        const std::string deep = std::string(100'000, '[');
        for (const std::string& body :
             {std::string("<html>"), std::string(), std::string(R"({"items":[{"a)"), std::string("[]"), std::string("{\"items\":{}}"), deep,
              std::string(5'000'000, ' '), std::string(R"({"items":[],"nextCursor":"again"})")})
        {
            server.instead["/api/catalog"] = {200, body};
            server.instead["/api/launch"] = {201, body};
            server.instead["/api/actions"] = {200, body};
            equal(PM_BAD_ANSWER, ask(phone).status);
            equal(PM_BAD_ANSWER, ask(phone, pm_actions).status);
            equal("PM_BAD_ANSWER", launched(phone).second);
        }
        equal("", phone.files["actions"]);
        const auto secrets = group.secrets;
        for (const std::string body :
             {"{}", R"({"access_token":1})", R"({"access_token":"a\nb","refresh_token":"r"})", "{\"access_token\":\"a\""})
        {
            server.instead["/oauth/token"] = {200, body};
            equal(PM_BAD_ANSWER, pm_refresh(phone.client));
        }
        for (const int status : {0, 99, 600, -1, 302})
        {
            server.instead["/oauth/token"] = {status, "{}"};
            equal(PM_BAD_ANSWER, pm_refresh(phone.client));
        }
        CHECK(secrets == group.secrets);
    }

    TEST(failingFunctionsOfTheShellHaveTheirStatus)
    {
        FakePhone phone(server, group);
        signedIn(phone);
        const auto secrets = group.secrets;
        phone.keyFails = true;
        equal(PM_KEY, pm_refresh(phone.client));
        phone.keyFails = false;
        for (const auto& point : {std::string("short"), std::string(65, '\3'), std::string(400, '\4')})
        {
            phone.point = point;
            equal(PM_KEY, pm_refresh(phone.client));
        }
        phone.point.clear();
        for (const auto& signature :
             {std::string("x"), std::string("\x30\x06\x02\x7f\x01\x02\x01\x01"), std::string("\x30\x7f") + std::string(10, '\2'),
              std::string(300, 'x'), std::string("\x30\x05\x02\x01\x01\x02\x00", 7)})
        {
            phone.signature = signature;
            equal(PM_KEY, pm_refresh(phone.client));
        }
        phone.signature.clear();
        phone.throws = true;
        equal(PM_INTERNAL, pm_refresh(phone.client));
        phone.throws = false;
        phone.offline = true;
        equal(PM_OFFLINE, pm_refresh(phone.client));
        phone.offline = false;
        phone.storeFails = true;
        equal(PM_STORAGE, pm_refresh(phone.client));
        equal(PM_STORAGE, ask(phone).status);
        phone.storeFails = false;
        CHECK(secrets == group.secrets);
        // Garbage in the store is no sign-in.
        for (auto& [name, value] : group.secrets) value = std::string(100, '\xff');
        equal(PM_SIGNED_OUT, pm_refresh(phone.client));
        signedIn(phone);
    }

    TEST(choosesWhereATapLeads)
    {
        FakePhone phone(server, group);
        signedIn(phone);
        ask(phone);
        for (const auto platform : {PM_IOS, PM_ANDROID})
            for (const bool build : {true, false})
                for (const bool store : {true, false})
                    for (const bool installed : {true, false})
                    {
                        server.hasBuild = build;
                        server.hasStore = store;
                        phone.installed = installed;
                        const auto before = server.seen.size();
                        const auto [kind, url] = launched(phone, platform);
                        const auto expected = !build ? PM_LAUNCH_WEB : installed ? PM_LAUNCH_LINK : store ? PM_LAUNCH_STORE : PM_LAUNCH_WEB;
                        equal(expected, kind);
                        const std::string start = kind == PM_LAUNCH_LINK  ? "https://launchpad.example/launch/crm?code="
                                                  : kind == PM_LAUNCH_WEB ? "https://crm.example/auth/callback?sso_code="
                                                  : platform == PM_IOS    ? "https://apps.example/ios"
                                                                          : "https://play.example/android";
                        CHECK(url.starts_with(start));
                        equal(before + 1, server.seen.size());
                        equal(std::string(platform == PM_IOS ? "crm org.example.crm" : "crm org.example.crm.droid"), phone.installedAsked);
                    }
        CHECK(phone.written().find("launch-secret") == std::string::npos);
        requireGoodProofs();
    }

    TEST(refusesLaunchesToForeignPlaces)
    {
        FakePhone phone(server, group);
        signedIn(phone);
        phone.installed = 1;
        for (const std::string url : {"javascript:alert(1)", "http://crm.example/", "https://user@crm.example/", "file:///etc/passwd",
                                      "https://crm.example\\@evil/", "https://", "/deals", "intent://crm"})
        {
            server.instead["/api/launch"] = {201, R"({"url":")" + (url.find('\\') == std::string::npos ? url : "https://a\\\\b") + "\"}"};
            equal("PM_BAD_ANSWER", launched(phone).second);
        }
        server.instead["/api/launch"] = {201, R"({"url":"https://evil.example/l?code=1","universalLink":"https://evil.example/l?code=1"})"};
        equal("PM_BAD_ANSWER", launched(phone).second);
        server.instead["/api/launch"] = {402, R"({"code":"plan_required"})"};
        equal("PM_REFUSED", launched(phone).second);
        equal("plan_required", std::string(pm_last_problem(phone.client)));
        pm_launch_result result{sizeof(pm_launch_result), PM_LAUNCH_WEB, nullptr};
        for (const auto* id : {"", "../crm", "CRM", "crm?x"})
            equal(PM_INVALID_ARGUMENT, pm_launch(phone.client, id, PM_IOS, nullptr, &result));
        for (const auto* path : {"//evil.example", "https://evil.example", "/a\\b", "deals"})
            equal(PM_INVALID_ARGUMENT, pm_launch(phone.client, "crm", PM_IOS, path, &result));
        equal(PM_INVALID_ARGUMENT, pm_launch(phone.client, "crm", static_cast<pm_platform>(7), nullptr, &result));
    }

    TEST(exchangesTheCodeOfALink)
    {
        FakePhone phone(server, group);
        auto config = FakePhone::config();
        config.service_id = "crm";
        config.service_url = "https://crm.example";
        config.client_id = "crm-mobile";
        const auto shell = phone.shell();
        pm_client* crm = nullptr;
        equal(PM_OK, pm_client_create(&config, &shell, &crm));
        char* path = nullptr;
        for (const auto* link :
             {"https://evil.example/launch/crm?code=abc", "https://launchpad.example/launch/social?code=abc",
              "https://launchpad.example.evil.example/launch/crm?code=abc", "https://launchpad.example/launch/crm/../x?code=abc"})
            equal(PM_WRONG_ISSUER, pm_exchange(crm, link, &path));
        for (const auto* link : {"https://launchpad.example/launch/crm", "https://launchpad.example/launch/crm?code=a%20b"})
            equal(PM_BAD_ANSWER, pm_exchange(crm, link, &path));
        CHECK(server.seen.empty());
        equal(PM_OK, pm_exchange(crm, "https://launchpad.example/launch/crm?code=abc-1", &path));
        equal("/deals/7", taken(path));
        CHECK(server.seen.back().body.find(R"("redirect_uri":"https://crm.example/auth/callback")") != std::string::npos);
        equal(PM_OK, pm_refresh(crm));
        pm_client_free(crm);
        requireGoodProofs();
    }

    /// Two apps refresh at the same time, in rounds that are far enough apart for the token to rotate in each.
    TEST(appsOfAGroupRefreshTogether)
    {
        FakePhone first(server, group, "first"), second(server, group, "second");
        signedIn(first);
        constexpr int rounds = 200;
        std::vector<pm_status> statuses;
        for (int round = 0; round < rounds; ++round)
        {
            // Every second round follows the one before within the time in which nothing rotates.
            group.now += round % 2 == 0 ? 40 : 1;
            pm_status other = PM_INTERNAL;
            std::thread thread([&] { other = pm_refresh(second.client); });
            statuses.push_back(pm_refresh(first.client));
            thread.join();
            statuses.push_back(other);
        }
        equal(std::ptrdiff_t(2 * rounds), std::ranges::count(statuses, PM_OK));
        equal(rounds / 2, server.rotations);
        CHECK(group.secrets.at("launchpad-mobile.session").find("\"refresh-secret-" + std::to_string(server.generation) + '"') !=
              std::string::npos);
        CHECK(!server.revoked);
        equal(PM_OK, ask(first).status);
        equal(PM_OK, ask(second).status);
        requireGoodProofs();
    }

    /// The server refuses the token that an app has presented, but another app has just stored a newer sign-in.
    TEST(appsFollowTheNewestSignIn)
    {
        FakePhone first(server, group, "first"), second(server, group, "second");
        signedIn(first);
        equal(PM_OK, ask(second).status);
        server.revoked = true;
        signedIn(second);
        equal(PM_OK, ask(first).status);
        requireSignedIn(first, true);
    }

    TEST(signingOutEndsTheGroup)
    {
        FakePhone first(server, group, "first"), second(server, group, "second");
        signedIn(first);
        ask(second);
        equal(PM_OK, pm_sign_out(first.client));
        CHECK(server.revoked);
        CHECK(group.secrets.empty());
        equal(PM_SIGNED_OUT, ask(second).status);
        CHECK(second.files.empty());
        signedIn(first);
        first.offline = true;
        equal(PM_OK, pm_sign_out(first.client));
        CHECK(group.secrets.empty());
    }

    TEST(nullPointersAreArguments)
    {
        FakePhone phone(server, group);
        pm_client* client = nullptr;
        const auto config = FakePhone::config();
        const auto shell = phone.shell();
        equal(PM_INVALID_ARGUMENT, pm_client_create(nullptr, &shell, &client));
        equal(PM_INVALID_ARGUMENT, pm_client_create(&config, nullptr, &client));
        equal(PM_INVALID_ARGUMENT, pm_client_create(&config, &shell, nullptr));
        const auto without = [&](auto member)
        {
            auto incomplete = shell;
            incomplete.*member = nullptr;
            return pm_client_create(&config, &incomplete, &client);
        };
        for (const auto status : {without(&pm_shell::http), without(&pm_shell::secret_get), without(&pm_shell::secret_compare_and_set),
                                  without(&pm_shell::secret_delete), without(&pm_shell::key_public), without(&pm_shell::key_sign),
                                  without(&pm_shell::random), without(&pm_shell::now), without(&pm_shell::cache_read),
                                  without(&pm_shell::cache_write), without(&pm_shell::cache_remove), without(&pm_shell::is_installed)})
            equal(PM_INVALID_ARGUMENT, status);
        equal(PM_OK, without(&pm_shell::log));
        pm_client_free(client);
        for (const auto member : {&pm_config::issuer, &pm_config::launchpad_url, &pm_config::service_id, &pm_config::service_url,
                                  &pm_config::client_id, &pm_config::redirect_uri, &pm_config::app_name})
        {
            auto incomplete = config;
            incomplete.*member = nullptr;
            equal(PM_INVALID_ARGUMENT, pm_client_create(&incomplete, &shell, &client));
            CHECK(!client);
        }
        auto small = config;
        small.size = 8;
        equal(PM_INVALID_ARGUMENT, pm_client_create(&small, &shell, &client));
        for (const auto* url :
             {"", "identity", "http://identity.example", "https://identity.example/path", "https://identity.example:0", "https://a b"})
        {
            auto wrong = config;
            wrong.issuer = url;
            equal(PM_INVALID_ARGUMENT, pm_client_create(&wrong, &shell, &client), url);
        }
        auto local = config;
        local.issuer = "http://identity.localhost:8080";
        equal(PM_OK, pm_client_create(&local, &shell, &client));
        pm_client_free(client);
        pm_client_free(nullptr);
        pm_string_free(nullptr);
        char* text = nullptr;
        std::int32_t is = 0;
        equal(PM_INVALID_ARGUMENT, pm_sign_in_start(phone.client, nullptr));
        equal(PM_INVALID_ARGUMENT, pm_sign_in_start(nullptr, &text));
        equal(PM_INVALID_ARGUMENT, pm_sign_in_finish(phone.client, nullptr));
        equal(PM_INVALID_ARGUMENT, pm_sign_in_finish(nullptr, "portico-shell:/callback"));
        equal(PM_INVALID_ARGUMENT, pm_signed_in(phone.client, nullptr));
        equal(PM_INVALID_ARGUMENT, pm_signed_in(nullptr, &is));
        equal(PM_INVALID_ARGUMENT, pm_refresh(nullptr));
        equal(PM_INVALID_ARGUMENT, pm_sign_out(nullptr));
        for (const auto read : {pm_catalog, pm_preferences, pm_actions})
        {
            pm_document whole{sizeof(pm_document), nullptr, 0, 0, 0};
            equal(PM_INVALID_ARGUMENT, read(phone.client, PM_NETWORK, nullptr));
            equal(PM_INVALID_ARGUMENT, read(nullptr, PM_NETWORK, &whole));
            equal(PM_INVALID_ARGUMENT, read(phone.client, static_cast<pm_source>(2), &whole));
        }
        pm_document document{4, nullptr, 0, 0, 0};
        equal(PM_INVALID_ARGUMENT, pm_catalog(phone.client, PM_NETWORK, &document));
        equal(PM_INVALID_ARGUMENT, pm_launch(phone.client, "crm", PM_IOS, nullptr, nullptr));
        pm_launch_result result{sizeof(pm_launch_result), PM_LAUNCH_WEB, nullptr};
        equal(PM_INVALID_ARGUMENT, pm_launch(nullptr, "crm", PM_IOS, nullptr, &result));
        equal(PM_INVALID_ARGUMENT, pm_launch(phone.client, nullptr, PM_IOS, nullptr, &result));
        equal(PM_INVALID_ARGUMENT, pm_exchange(phone.client, nullptr, &text));
        equal(PM_INVALID_ARGUMENT, pm_exchange(nullptr, "https://launchpad.example/launch/crm?code=a", &text));
        equal(PM_INVALID_ARGUMENT, pm_exchange(phone.client, "https://launchpad.example/launch/crm?code=a", nullptr));
        CHECK(!text && !result.url);
        equal(PM_INVALID_ARGUMENT, pm_lockup(PM_LIGHT, 32, nullptr));
        CHECK(pm_sink_write(nullptr, "", 0) != 0);
        CHECK(pm_response_status(nullptr, 200) != 0);
        CHECK(pm_response_header(nullptr, "a", "b") != 0);
        CHECK(pm_response_body(nullptr, "a", 1) != 0);
        equal("", std::string(pm_last_problem(nullptr)));
        equal(std::uint32_t(PM_VERSION), pm_version());
    }

    TEST(drawsTheLockup)
    {
        char* svg = nullptr;
        equal(PM_OK, pm_lockup(PM_LIGHT, 64, &svg));
        const auto light = taken(svg);
        CHECK(light.starts_with("<svg ") && light.find("width=\"272\" height=\"64\"") != std::string::npos);
        equal(PM_OK, pm_lockup(PM_DARK, 64, &svg));
        CHECK(taken(svg) != light);
        for (const std::uint32_t height : {0u, 7u, 4097u, 4294967295u}) equal(PM_INVALID_ARGUMENT, pm_lockup(PM_LIGHT, height, &svg));
        equal(PM_INVALID_ARGUMENT, pm_lockup(static_cast<pm_theme>(2), 32, &svg));
    }
};

} // namespace portico::tests
