#include "identity/IdentityHost.h"
#include "support/Suite.h"

#include <algorithm>
#include <thread>

namespace portico::tests
{

/// Validation reflects every change made before the call.
class CredentialsTest : public Suite<CredentialsTest>
{
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _host->createUser("admin@acme.example", "acme", "admin");
        _token = _host->signIn("admin@acme.example");
    }
    void tearDown() override { _host.reset(); }

    TEST(remembersWhatDidNotChange)
    {
        const auto first = _host->validate(_token);
        CHECK(first == _host->validate(_token));
        _host->change("UPDATE users SET locale = 'de'");
        CHECK(first != _host->validate(_token));
    }

    /// Cached callers for event loops, which cannot wait for the database. On PostgreSQL a query must check for changes.
    TEST(recallsWhatDidNotChange)
    {
        CHECK(!_host->validateCached(_token));
        const auto caller = _host->validate(_token);
        equal(_host->context().database().dialect() == Dialect::SQLite, _host->validateCached(_token) == caller);
        CHECK(!_host->validateCached(_token, "identity"));
        CHECK(!_host->validateCached(_token + "x"));
        _host->change("UPDATE users SET status = 'suspended'");
        CHECK(!_host->validateCached(_token));
        _host->change("UPDATE users SET status = 'active'");
        CHECK(!_host->validateCached(_token));
        _host->validate(_token);
        _host->context().clock().advance(std::chrono::seconds(600));
        CHECK(!_host->validateCached(_token));
    }

    TEST(seesEveryChangeAtOnce)
    {
        const auto expect = [&](std::string_view sql, std::string_view undo, std::string_view verdict)
        {
            equal("ok", _host->verdict(_token));
            _host->change(sql);
            equal(verdict, _host->verdict(_token), sql);
            _host->change(undo);
        };
        expect("UPDATE users SET status = 'suspended'", "UPDATE users SET status = 'active'", "user_suspended");
        expect("UPDATE memberships SET status = 'suspended'", "UPDATE memberships SET status = 'active'", "service_access_denied");
        expect("UPDATE organizations SET status = 'suspended'", "UPDATE organizations SET status = 'active'", "service_access_denied");
        expect("UPDATE service_access SET status = 'suspended'", "UPDATE service_access SET status = 'active'", "service_access_denied");
        expect("UPDATE services SET status = 'suspended', version = version + 1",
               "UPDATE services SET status = 'active', version = version + 1", "service_access_denied");
        expect("UPDATE sessions SET ended_at = 1", "UPDATE sessions SET ended_at = NULL", "session_ended");

        CHECK(_host->validate(_token)->may("desk.settings:write"));
        _host->change("UPDATE memberships SET role = 'member'");
        CHECK(!_host->validate(_token)->may("desk.settings:write"));
        equal("member", _host->validate(_token)->role);
    }

    TEST(refusesTokensThatAreNotOurs)
    {
        equal("bad_signature", _host->verdict("a.b.c"));
        equal("bad_signature", _host->verdict(""));
        equal("bad_signature", _host->verdict(_token + "."));
        IdentityHost other;
        other.createUser("admin@acme.example", "acme", "admin");
        equal("bad_signature", _host->verdict(other.signIn("admin@acme.example")));
    }

    TEST(expiresToTheSecond)
    {
        equal("ok", _host->verdict(_token));
        _host->context().clock().advance(std::chrono::seconds(599));
        equal("ok", _host->verdict(_token));
        _host->context().clock().advance(std::chrono::seconds(1));
        equal("expired", _host->verdict(_token));
    }

    TEST(bypassesOnlyForMembersOfTheAdminOrganization)
    {
        _host->createUser("operator@x.example", "", "member", "platform_super_admin");
        const auto token = _host->signIn("operator@x.example");
        const auto caller = _host->validate(token);
        CHECK(caller->platformBypass);
        equal("platform_super_admin", caller->platformRole);
        equal(5, caller->permissions.size());
        // Tenancy stays: the operator sees the active organization's data only.
        equal(_host->organizationId("admin"), caller->organizationId);

        _host->change("UPDATE memberships SET status = 'removed' WHERE organization_id = $1", {_host->organizationId("admin")});
        equal("service_access_denied", _host->verdict(token));
        // A platform role alone is worth nothing.
        _host->change("UPDATE users SET platform_role = 'platform_super_admin' WHERE email = 'admin@acme.example'");
        CHECK(!_host->validate(_token)->platformBypass);
        equal("", _host->validate(_token)->platformRole);
        equal("admin", _host->validate(_token)->role);
    }

    /// Operators need no access of the organization to the service, but their place in it.
    TEST(letsNoBypassOutliveTheStanding)
    {
        const auto user = _host->createUser("operator@x.example", "acme", "member", "platform_super_admin");
        const auto acme = _host->organizationId("acme");
        const auto token = _host->signIn("operator@x.example", "desk", jsonWith(R"(,"organizationId":"$")", acme));
        _host->change("UPDATE service_access SET status = 'suspended' WHERE organization_id = $1", {acme});
        equal(5, _host->validate(token)->permissions.size());
        const auto expect = [&](const std::string& verdict) { equal(verdict, _host->verdict(token)); };
        for (const auto* status : {"suspended", "removed"})
        {
            _host->change("UPDATE memberships SET status = $3 WHERE user_id = $1 AND organization_id = $2", {user, acme, status});
            expect("service_access_denied");
            CHECK(_host->validate(token, "desk", false)->permissions.empty());
        }
        _host->change("UPDATE memberships SET status = 'active' WHERE user_id = $1 AND organization_id = $2", {user, acme});
        expect("ok");
        _host->change("UPDATE organizations SET status = 'suspended' WHERE id = $1", {acme});
        expect("service_access_denied");
    }

    TEST(keepsServicesApart)
    {
        const auto own = _host->signIn("admin@acme.example", "identity");
        equal("wrong_audience", _host->verdict(_token, "identity"));
        equal("wrong_audience", _host->verdict(own, "desk"));
        CHECK(_host->validate(own, "identity")->may("identity.members:manage"));
        CHECK(!_host->validate(own, "identity")->may("identity.organizations:manage"));
    }

    TEST(overridesOneUser)
    {
        const auto user = _host->validate(_token)->principalId;
        const auto add = [&](std::string id, std::string permission, std::string effect, std::string expires)
        {
            _host->change(
                "INSERT INTO permission_overrides (id, user_id, organization_id, permission, effect, reason, created_by, expires_at, "
                "version, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, '', '', CAST(NULLIF($6, '') AS BIGINT), 1, 0, 0)",
                {std::move(id), user, _host->organizationId("acme"), std::move(permission), std::move(effect), std::move(expires)});
        };
        add("ovr_01jd0000000000000000000001", "desk.settings:*", "deny", "");
        CHECK(!_host->validate(_token)->may("desk.settings:write"));
        // One that runs out does so without a change of any row.
        const auto soon = toMillis(_host->context().clock().now() + std::chrono::seconds(5));
        add("ovr_01jd0000000000000000000002", "desk.tickets:write", "deny", std::to_string(soon));
        CHECK(!_host->validate(_token)->may("desk.tickets:write"));
        _host->context().clock().advance(std::chrono::seconds(5));
        CHECK(_host->validate(_token)->may("desk.tickets:write"));
    }

    TEST(seesChangesOfOtherHosts)
    {
        if (_host->context().database().dialect() == Dialect::SQLite) return; // its file belongs to one host
        equal("ok", _host->verdict(_token));
        // Simulates a change by another host: in the database only.
        _host->context().database().transact(
            [](Transaction& transaction)
            {
                transaction.execute("UPDATE users SET status = 'suspended'");
                transaction.execute("UPDATE revisions SET value = value + 1 WHERE id = 1");
            });
        equal("user_suspended", _host->verdict(_token));
    }

    TEST(changesConcernTheirTenantsOnly)
    {
        // Several, as two tenants may share a number of the host's.
        std::vector<std::string> foreign;
        for (const std::string slug : {"one", "two", "three", "four", "five"})
        {
            _host->createUser("owner@" + slug + ".example", slug, "owner");
            foreign.push_back(_host->signIn("owner@" + slug + ".example"));
        }
        const auto stillOpen = [&] { return std::ranges::count(foreign, "ok", [&](const auto& token) { return _host->verdict(token); }); };
        const auto mine = OrganizationId::parse(_host->validate(_token)->organizationId).value();
        const auto other = OrganizationId::parse(_host->organizationId("one")).value();
        identity::Changes changes(_host->context());
        const auto suspendAll = [&](const std::vector<Tenant>& concerned)
        { changes.run(concerned, [](Transaction& transaction) { transaction.execute("UPDATE users SET status = 'suspended'"); }); };
        equal(5, stillOpen());
        // These changes concern one organization, so callers of the others stay cached.
        suspendAll({mine});
        equal("user_suspended", _host->verdict(_token));
        CHECK(stillOpen() > 0);
        suspendAll({other});
        equal("user_suspended", _host->verdict(foreign[0]));
        suspendAll({});
        equal(0, stillOpen());
    }

    /// Changes that share people and organizations, named in any order, neither wait for each other crosswise nor lose one.
    TEST(changesOfManyTenantsDoNotLockEachOther)
    {
        const auto mine = OrganizationId::parse(_host->organizationId("acme")).value();
        const auto userId = UserId::parse(_host->validate(_token)->principalId).value();
        _host->change("INSERT INTO tenant_revisions (id, value) VALUES ('count', 0)");
        std::vector<std::thread> writers;
        for (int writer = 0; writer < 4; ++writer)
            writers.emplace_back(
                [&, writer]
                {
                    identity::Changes changes(_host->context());
                    const auto concerned = writer % 2 ? std::vector<Tenant>{mine, userId} : std::vector<Tenant>{userId, mine};
                    for (int i = 0; i < 25; ++i)
                        changes.run(concerned,
                                    [](Transaction& transaction)
                                    {
                                        const auto value =
                                            transaction.value<std::int64_t>("SELECT value FROM tenant_revisions WHERE id = 'count'");
                                        transaction.execute("UPDATE tenant_revisions SET value = $1 WHERE id = 'count'", *value + 1);
                                    });
                });
        for (auto& writer : writers) writer.join();
        equal(100, _host->count("SELECT value FROM tenant_revisions WHERE id = 'count'"));
    }

    /// Readers fill the cache while the role changes repeatedly. After each change, the next validation must reflect it.
    TEST(neverAnswersFromBeforeAChange)
    {
        std::atomic<bool> stop{false};
        std::vector<std::thread> readers;
        for (int i = 0; i < 3; ++i)
            readers.emplace_back(
                [&]
                {
                    while (!stop) _host->validate(_token);
                });
        bool right = true;
        for (int i = 0; i < 50 && right; ++i)
        {
            const std::string role = i % 2 ? "admin" : "member";
            _host->change("UPDATE memberships SET role = $1", {role});
            right = _host->validate(_token)->role == role;
        }
        stop = true;
        for (auto& reader : readers) reader.join();
        CHECK(right);
    }

    TEST(answersValidate)
    {
        const auto ask = [&](std::string query, std::string credential, std::string service = "desk") {
            return _host->call({.target = "/validate" + query, .headers = {{"X-Service-ID", std::move(service)}}}, std::move(credential));
        };
        const auto answer = ask("", _token);
        equal(200, answer.status);
        equal("true", answer.at("/valid"));
        equal("access_token", answer.at("/credential"));
        equal("desk", answer.at("/service_id"));
        equal("admin", answer.at("/role"));
        equal("acme", answer.at("/activeContext/organizationName"));
        equal("null", answer.at("/apiKey"));
        equal("test-request", answer.at("/requestId"));
        equal(200, ask("?permission=desk.tickets:read&permission=desk.settings:write", _token).status);
        equal("permission_denied", ask("?permission=desk.tickets:read&permission=desk.nothing:read", _token).code());
        equal("validation_failed", ask("?resource=queue", _token).code());
        equal("unknown_parameter", ask("?permissions=x", _token).code());
        equal(401, ask("", _token, "identity").status);
        _host->change("UPDATE service_access SET status = 'suspended'");
        equal("service_access_denied", ask("", _token).code());
        _host->change("UPDATE services SET complete = FALSE, status = 'draft', version = version + 1 WHERE service_id = 'desk'");
        equal("service_incomplete", ask("", _token).code());
    }

    TEST(failsClosed)
    {
        equal("ok", _host->verdict(_token));
        _host->change("ALTER TABLE sessions RENAME TO sessions_gone");
        CPPUNIT_ASSERT_THROW(_host->validate(_token), DatabaseError);
        _host->change("ALTER TABLE sessions_gone RENAME TO sessions");
        equal("ok", _host->verdict(_token));
    }

    std::unique_ptr<IdentityHost> _host;
    std::string _token;
};

} // namespace portico::tests
