#include "audit/Audit.h"
#include "identity/IdentityHost.h"
#include "privacy/Deletions.h"
#include "support/Suite.h"

#include "portico/interfaces/PersonalData.h"

#include <algorithm>
#include <functional>
#include <set>
#include <stdexcept>
#include <utility>

namespace portico::tests
{

namespace
{

constexpr std::string_view exportPath = "/api/auth/me/export";
constexpr std::chrono::hours day{24};

/// A service that keeps something of people; it can go wrong.
class Diary final : public interfaces::PersonalData
{
public:
    void give(const interfaces::Person& person, const Receiver& receive) override
    {
        if (during) std::exchange(during, {})();
        for (int page = 0; page < pages; ++page)
        {
            if (failures > 0 && page == pages / 2)
            {
                --failures;
                throw std::runtime_error("the diary fell into the water");
            }
            receive("pages", jsonWith(R"({"page":$,"of":"$"})", page, person.email));
        }
    }
    void forget(const interfaces::Person& person) override
    {
        forgotten.push_back(person);
        if (failures > 0)
        {
            --failures;
            throw std::runtime_error("the diary is locked");
        }
    }

    int pages = 3;
    int failures = 0;
    /// Once, before the next answer.
    std::function<void()> during;
    std::vector<interfaces::Person> forgotten;
};

std::string keeperManifest()
{
    auto text = IdentityHost::deskManifest();
    const std::string_view none = R"("plugin":{})";
    return text.replace(text.find(none), none.size(),
                        R"("plugin":{"provides":[{"interface":"portico.personal-data","version":"1.0","many":true}]})");
}

} // namespace

/// Export and deletion of a user's data.
class PrivacyTest : public Suite<PrivacyTest>
{
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _ada = _host->createUser("ada@x.example", "acme", "member", {});
        _host->createUser("boss@x.example", "acme", "owner", {});
        _host->context().services().offer<interfaces::PersonalData>("desk", _diary);
    }
    void tearDown() override { _host.reset(); }

    TEST(gives)
    {
        const auto token = elevated("ada@x.example");
        const auto asked = send(Method::Post, exportPath, "{}", token);
        equal(202, asked.status);
        const auto id = asked.at("/exportId");
        equal(id, send(Method::Post, exportPath, "{}", token).at("/exportId"), "one at a time");
        equal("running", get(one(id), token).at("/status"));
        equal("export_not_ready", get(one(id) + "/file", token).code());
        _host->context().jobs().runDue();
        equal("ready", get(one(id), token).at("/status"));
        const auto answer = get(one(id) + "/file", token);
        equal(200, answer.status);
        const auto text = fileOf(id);
        const auto document = boost::json::parse(text);
        equal(_ada, std::string(document.at("userId").as_string()));
        std::multiset<std::string> kinds;
        for (const auto& record : document.at("records").as_array())
            kinds.insert(std::string(record.at("service_id").as_string()) + ' ' + std::string(record.at("kind").as_string()));
        equal(1, kinds.count("identity account"));
        equal(1, kinds.count("identity memberships"));
        equal(1, kinds.count("identity sessions"));
        CHECK(kinds.contains("identity auditEvents"));
        equal(3, kinds.count("desk pages"));
        CPPUNIT_ASSERT_MESSAGE("no secrets", text.find("argon2") == std::string::npos);
    }

    TEST(givesWhatADeletionErases)
    {
        const auto token = elevated("ada@x.example");
        equal(201, send(Method::Post, "/api/api-keys",
                        jsonWith(R"({"name":"x","environment":"live","owner_type":"user","owner_id":"$","grants":[{"service_id":"desk",)"
                                 R"("scopes":["tickets.read"]}]})",
                                 _ada),
                        token)
                       .status);
        const auto acme = _host->organizationId("acme");
        const auto add = [&](std::string_view sql) { _host->change(sql, {_ada, acme}); };
        _host->change("INSERT INTO api_key_uses SELECT id, 3600000, 2, 3600001, '198.51.100.0/24', 'desk' FROM api_keys");
        _host->change("INSERT INTO api_key_days SELECT id, 0, 'desk', 2, 0, 0 FROM api_keys");
        _host->change("INSERT INTO service_onboarding (service_id, owner_id, status, done, data, version, created_at, updated_at) "
                      "VALUES ('desk', $1, 'in_progress', '[]', '{\"colour\":{\"chosen\":\"onboarding-teal\"}}', 1, 0, 0)",
                      {_ada});
        add("INSERT INTO scim_users (user_id, organization_id, user_name, user_name_key, attributes, created_at, updated_at) "
            "VALUES ($1, $2, 'ada', 'ada', '{\"title\":\"Countess\"}', 0, 0)");
        add("INSERT INTO permission_overrides (id, user_id, organization_id, permission, effect, reason, created_by, version, created_at, "
            "updated_at) VALUES ('ovr_01arz3ndektsv4rrffq69g5fav', $1, $2, 'desk.tickets:read', 'deny', 'on leave', 'x', 1, 0, 0)");
        add("INSERT INTO invitations (id, organization_id, email, email_key, role, service_ids, message, token_hash, status, invited_by, "
            "expires_at, version, created_at, updated_at) VALUES ('inv_01arz3ndektsv4rrffq69g5fav', $2, 'ada@x.example', 'ada@x.example', "
            "'member', '[]', 'Come aboard', 'x', 'expired', $1, 0, 1, 0, 0)");
        const auto text = fileOf(exported("ada@x.example"));
        for (const auto* kind :
             {"apiKeyUses", "apiKeyDays", "onboarding", "directoryEntries", "permissionOverrides", "invitations", "lastContexts"})
            CPPUNIT_ASSERT_MESSAGE(kind, text.find('"' + std::string(kind) + '"') != std::string::npos);
        for (const auto* part : {"onboarding-teal", "Countess", "on leave", "Come aboard"})
            CPPUNIT_ASSERT_MESSAGE(part, text.find(part) != std::string::npos);
    }

    TEST(exportsAreForTheirOwnerOnly)
    {
        equal("step_up_required", send(Method::Post, exportPath, "{}", _host->signIn("ada@x.example")).code());
        const auto id = exported("ada@x.example");
        const auto boss = elevated("boss@x.example");
        equal(404, get(one(id), boss).status);
        equal(404, get(one(id) + "/file", boss).status);
        equal(404, get(one("exp_x"), boss).status);
        equal(401, get(one(id) + "/file", {}).status);
        // A sign-in that was not proved again shows how far it is, and no more.
        const auto plain = _host->signIn("ada@x.example");
        equal(200, get(one(id), plain).status);
        equal("step_up_required", get(one(id) + "/file", plain).code());
    }

    TEST(givesNothingOfOthers)
    {
        _host->createUser("root@x.example", {}, "member", "platform_super_admin");
        const auto as = [&](std::string_view email, std::string token, Method method, std::string path, std::string body)
        {
            TestRequest request{.method = method, .target = std::move(path), .body = std::move(body)};
            request.clientAddress = email == "ada@x.example" ? "198.51.100.1" : "203.0.113.50";
            request.headers = {{"User-Agent", email == "ada@x.example" ? "Adas own" : "Anothers own"}};
            return _host->call(std::move(request), token);
        };
        const auto provedAs = [&](std::string_view email)
        {
            return as(email, _host->signIn(email, "identity"), Method::Post, "/api/auth/step-up",
                      jsonWith(R"({"factor":"password","password":"$"})", IdentityHost::password))
                .at("/access_token");
        };
        const auto ada = provedAs("ada@x.example");
        // Something is done to her, and in her name.
        const auto changed = as("boss@x.example", _host->signIn("boss@x.example", "identity"), Method::Patch,
                                "/api/organizations/" + _host->organizationId("acme") + "/members/" + _ada, R"({"role":"admin"})");
        equal(200, changed.status, changed.body);
        const auto acting = as("root@x.example", provedAs("root@x.example"), Method::Post, "/api/users/" + _ada + "/impersonate",
                               R"({"reason":"She asked","minutes":5})");
        equal(201, acting.status, acting.body);
        equal(200, as("root@x.example", acting.at("/access_token"), Method::Patch, "/api/auth/me", R"({"displayName":"Ada"})").status);
        equal(202, as("somebody", {}, Method::Post, "/api/auth/password/forgot", R"({"email":"ada@x.example"})").status);
        const auto text = fileOf(exported("ada@x.example"));
        const auto has = [&](std::string_view part) { return text.find(part) != std::string::npos; };
        CPPUNIT_ASSERT_MESSAGE(text, has("198.51.100.") && has("Adas own"));
        CHECK(!has("203.0.113") && !has("Anothers own"));
        // Actions are exported without data that reveals other users' location.
        CHECK(has("membership.changed") && has("user.impersonated") && has("user.password_reset_requested"));
        const auto hash =
            _host->context().database().session().value<std::string>("SELECT hash FROM audit_events WHERE type = $1", "membership.changed");
        CHECK(!hash->empty() && !has(*hash));
    }

    /// An account with an unverified address does not get the records of that address.
    TEST(unprovedAddressesExportNothing)
    {
        const auto applied = send(
            Method::Post, "/api/public/developers/apply",
            jsonWith(
                R"({"applicantName":"The real Ada","email":"ada@x.example","useCase":"Engines","acceptTerms":true,"humanVerification":$})",
                _host->humanProof("developer_apply")),
            {}, "identity");
        equal(202, applied.status, applied.body);
        CHECK(fileOf(exported("ada@x.example")).find("The real Ada") != std::string::npos);
        const auto token = elevated("ada@x.example");
        _host->change("UPDATE users SET email_verified = FALSE WHERE id = $1", {_ada});
        const auto id = send(Method::Post, exportPath, "{}", token).at("/exportId");
        _host->context().jobs().runDue();
        equal("ready", get(one(id), token).at("/status"));
        const auto text = fileOf(id);
        CHECK(text.find("The real Ada") == std::string::npos);
        CPPUNIT_ASSERT_MESSAGE("nor do other services give by it", text.find(R"("of":"ada@x.example")") == std::string::npos);
        CHECK(text.find(R"("of":"")") != std::string::npos);
    }

    TEST(twoRunsMakeOneFile)
    {
        // A worker was thought dead, and was not: while it writes, another does the same job.
        const auto runsTwice = [&](const std::string& id, const std::function<void()>& meanwhile)
        {
            _diary.during = [&]
            {
                meanwhile();
                const auto order = jsonWith(R"({"userId":"$","exportId":"$"})", _ada, id);
                _host->context().database().transact([&](Transaction& transaction)
                                                     { _host->context().jobs().enqueue(transaction, "identity.data-export", order, {}); });
                _host->context().jobs().runDue();
            };
            _host->context().jobs().runDue();
        };
        const auto token = elevated("ada@x.example");
        const auto requireOne = [&](const std::string& id, std::int64_t exports)
        {
            equal("ready", get(one(id), _host->signIn("ada@x.example")).at("/status"));
            const auto text = fileOf(id);
            CHECK(boost::json::parse(text).at("records").as_array().size() > 3);
            equal(std::uint64_t{text.size()}, _host->context().blobs().usedBytes(_ada), "no other file");
            const auto mails = _host->context().mailer().sentTo("ada@x.example");
            equal(exports,
                  std::ranges::count_if(mails, [](const auto& mail) { return mail.text.find("/account-export/") != std::string::npos; }));
            equal(exports, _host->count("SELECT COUNT(*) FROM audit_events WHERE type = 'user.exported'"));
        };
        // The other one finishes it.
        const auto first = send(Method::Post, exportPath, "{}", token).at("/exportId");
        runsTwice(first, [] {});
        requireOne(first, 1);
        // The second export fails after it has begun, and is retried.
        const auto second = send(Method::Post, exportPath, "{}", token).at("/exportId");
        runsTwice(second, [&] { _diary.failures = 1; });
        equal("running", get(one(second), token).at("/status"));
        _host->context().clock().advance(std::chrono::hours(2));
        _host->context().jobs().runDue();
        requireOne(second, 2);
    }

    TEST(waitsForAServiceThatIsAway)
    {
        _host->publish({IdentityHost::identityManifest(), keeperManifest()});
        _host->context().services().withdraw(interfaces::PersonalData::interfaceName);
        const auto token = elevated("ada@x.example");
        const auto id = send(Method::Post, exportPath, "{}", token).at("/exportId");
        for (int i = 0; i < 50; ++i)
        {
            _host->context().jobs().runDue();
            _host->context().clock().advance(std::chrono::minutes(11));
        }
        equal("running", get(one(id), elevated("ada@x.example")).at("/status"));
        equal("desk", get(one(id), elevated("ada@x.example")).at("/waitingFor/0"));
        _host->context().services().offer<interfaces::PersonalData>("desk", _diary);
        _host->context().jobs().runDue();
        equal("ready", get(one(id), elevated("ada@x.example")).at("/status"));
        CHECK(fileOf(id).find("\"desk\"") != std::string::npos);
    }

    TEST(failedExportStartsAgain)
    {
        _diary.failures = 2;
        _diary.pages = 5000;
        const auto token = elevated("ada@x.example");
        const auto id = send(Method::Post, exportPath, "{}", token).at("/exportId");
        for (int i = 0; i < 3; ++i)
        {
            _host->context().jobs().runDue();
            _host->context().clock().advance(std::chrono::minutes(1));
        }
        equal("ready", get(one(id), token).at("/status"));
        const auto text = fileOf(id);
        CHECK(boost::json::parse(text).at("records").as_array().size() > 5000);
        equal(std::uint64_t{text.size()}, _host->context().blobs().usedBytes(_ada), "nothing of the attempts is left");
    }

    TEST(keepsAFileForAWeek)
    {
        const auto id = exported("ada@x.example");
        _host->context().clock().advance(7 * day + std::chrono::seconds(1));
        const auto token = elevated("ada@x.example");
        equal("expired", get(one(id), token).at("/status"));
        equal("export_not_ready", get(one(id) + "/file", token).code());
        _host->context().jobs().runDue();
        equal(0, _host->context().blobs().usedBytes(_ada));
        // A new export replaces the old one.
        exported("ada@x.example");
        const auto size = _host->context().blobs().usedBytes(_ada);
        exported("ada@x.example");
        _host->context().clock().advance(std::chrono::hours(2));
        _host->context().jobs().runDue();
        CHECK(_host->context().blobs().usedBytes(_ada) < 2 * size);
    }

    TEST(leadsFromTheMailToTheFile)
    {
        const auto id = exported("ada@x.example");
        const auto mail = _host->context().mailer().sentTo("ada@x.example").back();
        equal("Your data export is ready", mail.subject);
        const auto path = "/account-export/" + id;
        CHECK(mail.text.find("http://identity.localhost:8080" + path) != std::string::npos);
        const auto led = _host->call({.target = path});
        equal(303, led.status);
        CHECK(led.headerBlock().find("Location: /login?") != std::string::npos);
        const auto cookie = browserCookie("ada@x.example");
        equal(200, _host->call({.target = path, .headers = {{"Cookie", cookie}}}).status);
        equal(404, _host->call({.target = path, .headers = {{"Cookie", browserCookie("boss@x.example")}}}).status);
        _host->context().clock().advance(std::chrono::minutes(16));
        equal(303, _host->call({.target = path, .headers = {{"Cookie", cookie}}}).status, "proved too long ago");
    }

    TEST(asksBeforeItDeletes)
    {
        const auto plain = _host->signIn("ada@x.example");
        equal("step_up_required", deleteOf(plain).code());
        const auto token = elevated("ada@x.example");
        equal(400, send(Method::Delete, "/api/auth/me", R"({"confirm":"yes"})", token).status);
        equal(400, send(Method::Delete, "/api/auth/me", "{}", token).status);
        const auto planned = deleteOf(token);
        equal(202, planned.status);
        equal("2026-01-31", planned.at("/deletionAt").substr(0, 10));
        // All sign-ins end with it.
        equal(401, get("/api/auth/me", token).status);
        equal(401, get("/api/auth/me", plain).status);
        equal("Your account will be deleted", _host->context().mailer().sentTo("ada@x.example").back().subject);
    }

    TEST(lastOwnerCannotBeDeleted)
    {
        equal("last_owner", deleteOf(elevated("boss@x.example")).code());
        _host->createUser("second@x.example", "acme", "owner");
        equal(202, deleteOf(elevated("boss@x.example")).status);
        // Members with a scheduled deletion do not count as owners.
        equal("last_owner", deleteOf(elevated("second@x.example")).code());
    }

    TEST(signingInTakesItBack)
    {
        deleteOf(elevated("ada@x.example"));
        equal(401, _host->login("ada@x.example", "a wrong password").status);
        _host->context().clock().advance(29 * day);
        _host->context().jobs().runDue();
        const auto back = _host->login("ada@x.example", IdentityHost::password);
        equal(200, back.status);
        equal("active", back.at("/user/status"));
        _host->context().clock().advance(5 * day);
        _host->context().jobs().runDue();
        equal(200, _host->login("ada@x.example", IdentityHost::password).status);
        CHECK(_diary.forgotten.empty());
        equal(1, _host->count("SELECT COUNT(*) FROM audit_events WHERE type = 'user.deletion_cancelled'"));
    }

    TEST(aNewPasswordTakesItBackToo)
    {
        deleteOf(elevated("ada@x.example"));
        _host->call({.method = Method::Post, .target = "/api/auth/password/forgot", .body = R"({"email":"ada@x.example"})"});
        _host->context().jobs().runDue();
        const auto reset =
            _host->call({.method = Method::Post,
                         .target = "/api/auth/password/reset",
                         .body = jsonWith(R"({"token":"$","newPassword":"a quiet harbour"})", _host->mailedToken("ada@x.example"))});
        equal(204, reset.status);
        equal(200, _host->login("ada@x.example", "a quiet harbour").status);
    }

    /// Checks every table, so that tables of later versions are covered.
    TEST(forgetsEverywhere)
    {
        const auto token = elevated("ada@x.example");
        send(Method::Put, "/api/auth/me/recovery-email", R"({"email":"ada-private@x.example"})", token);
        send(Method::Patch, "/api/auth/me/preferences", R"({"shared":{"theme":"dark"}})", token);
        send(Method::Patch, "/api/auth/me", R"({"givenName":"Adalbertine"})", token);
        send(Method::Post, "/api/api-keys",
             jsonWith(R"({"name":"x","environment":"live","owner_type":"user","owner_id":"$","grants":[{"service_id":"desk",)"
                      R"("scopes":["tickets.read"]}]})",
                      _ada),
             token);
        exported("ada@x.example");
        deleted("ada@x.example");
        equal(1, _diary.forgotten.size());
        equal("ada@x.example", _diary.forgotten[0].email);
        equal(1, _diary.forgotten[0].organizationIds.size());
        equal(0, _host->context().blobs().usedBytes(_ada));
        equal("Your account has been deleted", _host->context().mailer().sentTo("ada@x.example").back().subject);
        const std::set<std::string> mayName{"memberships.user_id", "erasures.user_id", "erasure_steps.user_id"};
        for (const auto& named : textColumns())
        {
            const auto& table = named.first;
            const auto& column = named.second;
            const auto place = table + '.' + column;
            const auto holds = [&](const std::string& what)
            { return _host->count("SELECT COUNT(*) FROM \"" + table + "\" WHERE \"" + column + "\" LIKE '%" + what + "%'"); };
            for (const auto* text : {"ada@x.example", "ada-private@x.example", "Adalbertine"})
                equal(0, holds(text), place + " has " + text);
            if (column == "user_id" && !mayName.contains(place)) equal(0, holds(_ada), place);
        }
    }

    TEST(forgetsApplicationsOfAnEarlierAddress)
    {
        equal(202, send(Method::Post, "/api/public/developers/apply",
                        jsonWith(R"({"applicantName":"The real Ada","email":"ada@x.example","useCase":"Engines","acceptTerms":true,)"
                                 R"("humanVerification":$})",
                                 _host->humanProof("developer_apply")),
                        {}, "identity")
                       .status);
        equal(202, send(Method::Post, "/api/auth/me/email", R"({"newEmail":"new@x.example"})", elevated("ada@x.example")).status);
        equal(200,
              send(Method::Post, "/api/auth/email/verify", jsonWith(R"({"token":"$"})", _host->mailedToken("new@x.example")), {}).status);
        equal(1, _host->count("SELECT COUNT(*) FROM developers WHERE email = 'new@x.example' AND email_key = 'new@x.example'"));
        deleted("new@x.example");
        equal(0, _host->count("SELECT COUNT(*) FROM developers WHERE applicant_name <> '' OR email LIKE '%@x.example'"));
    }

    TEST(theIdIsNeverUsedAgainAndTheTrailHolds)
    {
        deleted("ada@x.example");
        equal(401, _host->login("ada@x.example", IdentityHost::password).status);
        auto session = _host->context().database().session();
        CHECK(!identity::audit::firstBroken(session));
        CHECK(_host->count("SELECT COUNT(*) FROM audit_events WHERE actor_id = '" + _ada + "'") > 0);
        equal(1, _host->count("SELECT COUNT(*) FROM audit_events WHERE type = 'user.deleted'"));
        // The address is free, for another account.
        CHECK(_host->createUser("ada@x.example", "acme") != _ada);
        equal(200, _host->login("ada@x.example", IdentityHost::password).status);
        const auto members = _host->call({.target = "/api/organizations/" + _host->organizationId("acme") + "/members"},
                                         _host->signIn("boss@x.example", "identity"));
        equal(200, members.status);
        CHECK(members.body.find(_ada) == std::string::npos);
    }

    TEST(deletesOnlyWhenAllHaveForgotten)
    {
        _host->publish({IdentityHost::identityManifest(), keeperManifest()});
        _host->context().services().withdraw(interfaces::PersonalData::interfaceName);
        deleted("ada@x.example");
        equal(401, _host->login("ada@x.example", IdentityHost::password).status, "identity need not wait");
        equal("desk", waiting().at(0).waitingFor.at(0));
        for (int i = 0; i < 50; ++i)
        {
            _host->context().clock().advance(std::chrono::minutes(11));
            _host->context().jobs().runDue();
        }
        equal(1, waiting().size());
        equal(0, _host->context().jobs().deadLetters());
        // Back, but not well: asked again.
        _diary.failures = 12;
        _host->context().services().offer<interfaces::PersonalData>("desk", _diary);
        for (int i = 0; i < 14; ++i)
        {
            _host->context().clock().advance(std::chrono::minutes(11));
            _host->context().jobs().runDue();
        }
        equal(13, _diary.forgotten.size());
        equal("ada@x.example", _diary.forgotten.back().email);
        CHECK(waiting().empty());
        equal(0, _host->count("SELECT COUNT(*) FROM erasures WHERE email <> ''"));
    }

    TEST(doesNotWaitForARetiredService)
    {
        _host->publish({IdentityHost::identityManifest(), keeperManifest()});
        _host->context().services().withdraw(interfaces::PersonalData::interfaceName);
        deleteOf(elevated("ada@x.example"));
        _host->change("UPDATE services SET status = 'retired' WHERE service_id = 'desk'");
        _host->context().clock().advance(30 * day);
        _host->context().jobs().runDue();
        CHECK(waiting().empty());
        equal(1, _host->count("SELECT COUNT(*) FROM erasures WHERE finished_at IS NOT NULL"));
    }

    TEST(aHouseholdPassesOn)
    {
        const auto now = std::to_string(toMillis(_host->context().clock().now()));
        const auto boss = _host->context().database().session().value<std::string>("SELECT id FROM users WHERE email = 'boss@x.example'");
        for (const std::string id : {"hh_01arz3ndektsv4rrffq69g5fav", "hh_01arz3ndektsv4rrffq69g5faw"})
        {
            _host->change("INSERT INTO households (id, name, owner_user_id, status, version, created_at, updated_at) VALUES ($1, 'Home', "
                          "$2, 'active', 1, " +
                              now + ", " + now + ")",
                          {id, _ada});
            _host->change("INSERT INTO household_members (household_id, user_id, role, status, joined_at, version, created_at, updated_at) "
                          "VALUES ($1, $2, 'manager', 'active', 1, 1, 1, 1)",
                          {id, _ada});
        }
        _host->change("INSERT INTO household_members (household_id, user_id, role, status, joined_at, version, created_at, updated_at) "
                      "VALUES ('hh_01arz3ndektsv4rrffq69g5fav', $1, 'adult', 'active', 1, 1, 1, 1)",
                      {*boss});
        deleted("ada@x.example");
        equal(1, _host->count("SELECT COUNT(*) FROM household_members WHERE role = 'manager'"));
        equal(1, _host->count("SELECT COUNT(*) FROM households WHERE status = 'active' AND owner_user_id = '" + *boss + "'"));
        equal(1, _host->count("SELECT COUNT(*) FROM households WHERE status = 'deleted' AND name = ''"));
        equal(1, _host->count("SELECT COUNT(*) FROM audit_events e JOIN households h ON h.id = e.target WHERE e.type = "
                              "'household.deleted' AND h.status = 'deleted'"));
    }

    TEST(aDeletionThatWasTakenBackAndPlannedAgainHasItsWholeGrace)
    {
        deleteOf(elevated("ada@x.example"));
        _host->context().clock().advance(20 * day);
        deleteOf(elevated("ada@x.example"));
        _host->context().clock().advance(29 * day);
        _host->context().jobs().runDue();
        equal(1, _host->count("SELECT COUNT(*) FROM users WHERE status = 'deactivated'"));
        _host->context().clock().advance(day + std::chrono::hours(2));
        _host->context().jobs().runDue();
        equal(1, _host->count("SELECT COUNT(*) FROM users WHERE status = 'deleted'"));
    }

    TEST(goesOnAfterARestart)
    {
        _diary.failures = 1;
        deleteOf(elevated("ada@x.example"));
        _host->context().clock().advance(30 * day);
        _host->context().jobs().runDue();
        equal(1, waiting().size());
        _host->reload();
        // Simulates a lost job.
        _host->change("DELETE FROM portico_job WHERE type = 'identity.deletion'");
        _host->context().clock().advance(std::chrono::hours(2));
        _host->context().jobs().runDue();
        CHECK(waiting().empty());
        equal(2, _diary.forgotten.size());
    }

    TestAnswer send(Method method, std::string_view path, std::string body, const std::string& token, std::string origin = "desk") const
    {
        return _host->call({.method = method, .target = std::string(path), .body = std::move(body), .originService = std::move(origin)},
                           token);
    }
    TestAnswer get(const std::string& path, const std::string& token) const
    {
        return _host->call({.target = path, .originService = "desk"}, token);
    }
    TestAnswer deleteOf(const std::string& token) const { return send(Method::Delete, "/api/auth/me", R"({"confirm":"delete"})", token); }
    static std::string one(const std::string& id) { return std::string(exportPath) + '/' + id; }

    std::string elevated(std::string_view email) const
    {
        return send(Method::Post, "/api/auth/step-up", jsonWith(R"({"factor":"password","password":"$"})", IdentityHost::password),
                    _host->signIn(email))
            .at("/access_token");
    }
    std::string exported(std::string_view email) const
    {
        const auto token = elevated(email);
        const auto id = send(Method::Post, exportPath, "{}", token).at("/exportId");
        _host->context().jobs().runDue();
        equal("ready", get(one(id), token).at("/status"));
        return id;
    }
    void deleted(std::string_view email) const
    {
        equal(202, deleteOf(elevated(email)).status);
        _host->context().clock().advance(30 * day);
        _host->context().jobs().runDue();
    }
    std::string fileOf(const std::string& id) const
    {
        const auto key = _host->context().database().session().value<std::string>("SELECT blob_key FROM data_exports WHERE id = $1", id);
        return _host->context().blobs().text(key.value_or("")).value_or("");
    }
    std::string browserCookie(std::string_view email) const
    {
        const auto answer = _host->login(email, IdentityHost::password, "identity", {},
                                         {{"X-Platform-Auth", "1"}, {"Origin", "http://identity.localhost:8080"}});
        return "platform_session=" + answer.cookie("platform_session");
    }
    std::vector<identity::WaitingDeletion> waiting() const
    {
        auto session = _host->context().database().session();
        return identity::deletions::waiting(session);
    }
    /// Returns the text columns of identity's tables, except those of the immutable audit log.
    std::vector<std::pair<std::string, std::string>> textColumns() const
    {
        auto session = _host->context().database().session();
        const auto* sql =
            session.dialect() == Dialect::SQLite
                ? "SELECT m.name, p.name FROM sqlite_master m JOIN pragma_table_info(m.name) p WHERE m.type = 'table' AND p.type = 'TEXT'"
                : "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = current_schema() AND "
                  "data_type = 'text'";
        std::vector<std::pair<std::string, std::string>> found;
        for (Row row : session.query(sql))
        {
            const std::string table(row.text(0));
            if (table != "audit_events" && !table.starts_with("portico_")) found.emplace_back(table, row.text(1));
        }
        CHECK(found.size() > 100);
        return found;
    }

    std::unique_ptr<IdentityHost> _host;
    Diary _diary;
    std::string _ada;
};

} // namespace portico::tests
