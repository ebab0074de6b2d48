#include "World.h"

#include <cppunit/extensions/HelperMacros.h>

#include <thread>

namespace portico::tests
{

/// Validation is right as of each call, whatever changed just before it.
template <class Engine>
class CredentialsTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(CredentialsTest);
    CPPUNIT_TEST(remembersWhatDidNotChange);
    CPPUNIT_TEST(recallsWhatDidNotChange);
    CPPUNIT_TEST(seesEveryChangeAtOnce);
    CPPUNIT_TEST(refusesTokensThatAreNotOurs);
    CPPUNIT_TEST(expiresToTheSecond);
    CPPUNIT_TEST(bypassesOnlyForMembersOfTheAdminOrganization);
    CPPUNIT_TEST(letsNoBypassOutliveTheStanding);
    CPPUNIT_TEST(keepsServicesApart);
    CPPUNIT_TEST(overridesOneUser);
    CPPUNIT_TEST(seesChangesOfOtherHosts);
    CPPUNIT_TEST(neverAnswersFromBeforeAChange);
    CPPUNIT_TEST(answersValidate);
    CPPUNIT_TEST(failsClosed);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        _world = std::make_unique<World>(Engine::dialect);
        _world->createUser("admin@acme.example", "acme", "admin");
        _token = _world->signIn("admin@acme.example");
    }
    void tearDown() override { _world.reset(); }

    void remembersWhatDidNotChange()
    {
        const auto first = _world->validate(_token);
        CPPUNIT_ASSERT(first == _world->validate(_token));
        _world->change("UPDATE users SET locale = 'de'");
        CPPUNIT_ASSERT(first != _world->validate(_token));
    }

    /// For event loops, which cannot wait for the database: on PostgreSQL only that tells whether anything has changed.
    void recallsWhatDidNotChange()
    {
        CPPUNIT_ASSERT(!_world->validateCached(_token));
        const auto caller = _world->validate(_token);
        CPPUNIT_ASSERT_EQUAL(Engine::dialect == Dialect::SQLite, _world->validateCached(_token) == caller);
        CPPUNIT_ASSERT(!_world->validateCached(_token, "identity"));
        CPPUNIT_ASSERT(!_world->validateCached(_token + "x"));
        _world->change("UPDATE users SET status = 'suspended'");
        CPPUNIT_ASSERT(!_world->validateCached(_token));
        _world->change("UPDATE users SET status = 'active'");
        CPPUNIT_ASSERT(!_world->validateCached(_token));
        _world->validate(_token);
        _world->context.testClock.advance(std::chrono::seconds(600));
        CPPUNIT_ASSERT(!_world->validateCached(_token));
    }

    void seesEveryChangeAtOnce()
    {
        const auto expect = [&](std::string_view sql, std::string_view undo, std::string_view verdict)
        {
            CPPUNIT_ASSERT_EQUAL(std::string("ok"), _world->verdict(_token));
            _world->change(sql);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(std::string(sql), std::string(verdict), _world->verdict(_token));
            _world->change(undo);
        };
        expect("UPDATE users SET status = 'suspended'", "UPDATE users SET status = 'active'", "user_suspended");
        expect("UPDATE memberships SET status = 'suspended'", "UPDATE memberships SET status = 'active'", "service_access_denied");
        expect("UPDATE organizations SET status = 'suspended'", "UPDATE organizations SET status = 'active'", "service_access_denied");
        expect("UPDATE service_access SET status = 'suspended'", "UPDATE service_access SET status = 'active'", "service_access_denied");
        expect("UPDATE services SET status = 'suspended', version = version + 1",
               "UPDATE services SET status = 'active', version = version + 1", "service_access_denied");
        expect("UPDATE sessions SET ended_at = 1", "UPDATE sessions SET ended_at = NULL", "session_ended");

        CPPUNIT_ASSERT(_world->validate(_token)->may("desk.settings:write"));
        _world->change("UPDATE memberships SET role = 'member'");
        CPPUNIT_ASSERT(!_world->validate(_token)->may("desk.settings:write"));
        CPPUNIT_ASSERT_EQUAL(std::string("member"), _world->validate(_token)->role);
    }

    void refusesTokensThatAreNotOurs()
    {
        CPPUNIT_ASSERT_EQUAL(std::string("bad_signature"), _world->verdict("a.b.c"));
        CPPUNIT_ASSERT_EQUAL(std::string("bad_signature"), _world->verdict(""));
        CPPUNIT_ASSERT_EQUAL(std::string("bad_signature"), _world->verdict(_token + "."));
        World other(Engine::dialect);
        other.createUser("admin@acme.example", "acme", "admin");
        CPPUNIT_ASSERT_EQUAL(std::string("bad_signature"), _world->verdict(other.signIn("admin@acme.example")));
    }

    void expiresToTheSecond()
    {
        CPPUNIT_ASSERT_EQUAL(std::string("ok"), _world->verdict(_token));
        _world->context.testClock.advance(std::chrono::seconds(599));
        CPPUNIT_ASSERT_EQUAL(std::string("ok"), _world->verdict(_token));
        _world->context.testClock.advance(std::chrono::seconds(1));
        CPPUNIT_ASSERT_EQUAL(std::string("expired"), _world->verdict(_token));
    }

    void bypassesOnlyForMembersOfTheAdminOrganization()
    {
        _world->createUser("operator@x.example", "", "member", "platform_super_admin");
        const auto token = _world->signIn("operator@x.example");
        const auto caller = _world->validate(token);
        CPPUNIT_ASSERT(caller->platformBypass);
        CPPUNIT_ASSERT_EQUAL(std::string("platform_super_admin"), caller->platformRole);
        CPPUNIT_ASSERT_EQUAL(std::size_t{5}, caller->permissions.size());
        // Tenancy stays: the operator sees the active organization's data only.
        CPPUNIT_ASSERT_EQUAL(_world->organizationId("admin"), caller->organizationId);

        _world->change("UPDATE memberships SET status = 'removed' WHERE organization_id = $1", {_world->organizationId("admin")});
        CPPUNIT_ASSERT_EQUAL(std::string("service_access_denied"), _world->verdict(token));
        // A platform role alone is worth nothing.
        _world->change("UPDATE users SET platform_role = 'platform_super_admin' WHERE email = 'admin@acme.example'");
        CPPUNIT_ASSERT(!_world->validate(_token)->platformBypass);
        CPPUNIT_ASSERT_EQUAL(std::string(), _world->validate(_token)->platformRole);
        CPPUNIT_ASSERT_EQUAL(std::string("admin"), _world->validate(_token)->role);
    }

    /// Operators need no access of the organization to the service, but their place in it.
    void letsNoBypassOutliveTheStanding()
    {
        const auto user = _world->createUser("operator@x.example", "acme", "member", "platform_super_admin");
        const auto acme = _world->organizationId("acme");
        const auto token = _world->signIn("operator@x.example", "desk", R"(,"organizationId":")" + acme + '"');
        _world->change("UPDATE service_access SET status = 'suspended' WHERE organization_id = $1", {acme});
        CPPUNIT_ASSERT_EQUAL(std::size_t{5}, _world->validate(token)->permissions.size());
        const auto expect = [&](const std::string& verdict) { CPPUNIT_ASSERT_EQUAL(verdict, _world->verdict(token)); };
        for (const auto* status : {"suspended", "removed"})
        {
            _world->change("UPDATE memberships SET status = $3 WHERE user_id = $1 AND organization_id = $2", {user, acme, status});
            expect("service_access_denied");
            CPPUNIT_ASSERT(_world->validate(token, "desk", false)->permissions.empty());
        }
        _world->change("UPDATE memberships SET status = 'active' WHERE user_id = $1 AND organization_id = $2", {user, acme});
        expect("ok");
        _world->change("UPDATE organizations SET status = 'suspended' WHERE id = $1", {acme});
        expect("service_access_denied");
    }

    void keepsServicesApart()
    {
        const auto own = _world->signIn("admin@acme.example", "identity");
        CPPUNIT_ASSERT_EQUAL(std::string("wrong_audience"), _world->verdict(_token, "identity"));
        CPPUNIT_ASSERT_EQUAL(std::string("wrong_audience"), _world->verdict(own, "desk"));
        CPPUNIT_ASSERT(_world->validate(own, "identity")->may("identity.members:manage"));
        CPPUNIT_ASSERT(!_world->validate(own, "identity")->may("identity.organizations:manage"));
    }

    void overridesOneUser()
    {
        const auto user = _world->validate(_token)->principalId;
        const auto add = [&](std::string id, std::string permission, std::string effect, std::string expires)
        {
            _world->change(
                "INSERT INTO permission_overrides (id, user_id, organization_id, permission, effect, reason, created_by, expires_at, "
                "version, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, '', '', CAST(NULLIF($6, '') AS BIGINT), 1, 0, 0)",
                {std::move(id), user, _world->organizationId("acme"), std::move(permission), std::move(effect), std::move(expires)});
        };
        add("ovr_1", "desk.settings:*", "deny", "");
        CPPUNIT_ASSERT(!_world->validate(_token)->may("desk.settings:write"));
        // One that runs out does so without a change of any row.
        const auto soon = toMillis(_world->context.testClock.now() + std::chrono::seconds(5));
        add("ovr_2", "desk.tickets:write", "deny", std::to_string(soon));
        CPPUNIT_ASSERT(!_world->validate(_token)->may("desk.tickets:write"));
        _world->context.testClock.advance(std::chrono::seconds(5));
        CPPUNIT_ASSERT(_world->validate(_token)->may("desk.tickets:write"));
    }

    void seesChangesOfOtherHosts()
    {
        if (Engine::dialect == Dialect::SQLite) return; // its file belongs to one host
        CPPUNIT_ASSERT_EQUAL(std::string("ok"), _world->verdict(_token));
        // As another host does it: in the database alone.
        _world->context.database().transact(
            [](Transaction& transaction)
            {
                transaction.execute("UPDATE users SET status = 'suspended'");
                transaction.execute("UPDATE revisions SET value = value + 1 WHERE id = 1");
            });
        CPPUNIT_ASSERT_EQUAL(std::string("user_suspended"), _world->verdict(_token));
    }

    /// Readers fill the cache as fast as they can while the role goes up and down; each time the change has returned, the next validation
    /// must know of it.
    void neverAnswersFromBeforeAChange()
    {
        std::atomic<bool> stop{false};
        std::vector<std::thread> readers;
        for (int i = 0; i < 3; ++i)
            readers.emplace_back(
                [&]
                {
                    while (!stop) _world->validate(_token);
                });
        bool right = true;
        for (int i = 0; i < 50 && right; ++i)
        {
            const std::string role = i % 2 ? "admin" : "member";
            _world->change("UPDATE memberships SET role = $1", {role});
            right = _world->validate(_token)->role == role;
        }
        stop = true;
        for (auto& reader : readers) reader.join();
        CPPUNIT_ASSERT(right);
    }

    void answersValidate()
    {
        const auto ask = [&](std::string query, std::string credential, std::string service = "desk")
        {
            return _world->call(
                {.path = "/validate" + query, .credential = std::move(credential), .headers = {{"X-Service-ID", std::move(service)}}});
        };
        const auto answer = ask("", _token);
        CPPUNIT_ASSERT_EQUAL(200, answer.status);
        CPPUNIT_ASSERT(answer.at("/valid").as_bool());
        CPPUNIT_ASSERT_EQUAL(std::string("access_token"), answer.text("/credential"));
        CPPUNIT_ASSERT_EQUAL(std::string("desk"), answer.text("/service_id"));
        CPPUNIT_ASSERT_EQUAL(std::string("admin"), answer.text("/role"));
        CPPUNIT_ASSERT_EQUAL(std::string("acme"), answer.text("/activeContext/organizationName"));
        CPPUNIT_ASSERT(answer.at("/apiKey").is_null());
        CPPUNIT_ASSERT_EQUAL(std::string("test"), answer.text("/requestId"));
        CPPUNIT_ASSERT_EQUAL(200, ask("?permission=desk.tickets:read&permission=desk.settings:write", _token).status);
        CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"),
                             ask("?permission=desk.tickets:read&permission=desk.nothing:read", _token).code);
        CPPUNIT_ASSERT_EQUAL(std::string("validation_failed"), ask("?resource=queue", _token).code);
        CPPUNIT_ASSERT_EQUAL(std::string("unknown_parameter"), ask("?permissions=x", _token).code);
        CPPUNIT_ASSERT_EQUAL(401, ask("", _token, "identity").status);
        _world->change("UPDATE service_access SET status = 'suspended'");
        CPPUNIT_ASSERT_EQUAL(std::string("service_access_denied"), ask("", _token).code);
        _world->change("UPDATE services SET complete = FALSE, status = 'draft', version = version + 1 WHERE service_id = 'desk'");
        CPPUNIT_ASSERT_EQUAL(std::string("service_incomplete"), ask("", _token).code);
    }

    void failsClosed()
    {
        CPPUNIT_ASSERT_EQUAL(std::string("ok"), _world->verdict(_token));
        _world->change("ALTER TABLE sessions RENAME TO sessions_gone");
        CPPUNIT_ASSERT_THROW(_world->validate(_token), DatabaseError);
        _world->change("ALTER TABLE sessions_gone RENAME TO sessions");
        CPPUNIT_ASSERT_EQUAL(std::string("ok"), _world->verdict(_token));
    }

private:
    std::unique_ptr<World> _world;
    std::string _token;
};

CPPUNIT_TEST_SUITE_REGISTRATION(CredentialsTest<OnSqlite>);
CPPUNIT_TEST_SUITE_REGISTRATION(CredentialsTest<OnPostgres>);

} // namespace portico::tests
