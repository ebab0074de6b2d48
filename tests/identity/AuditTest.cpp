#include "identity/IdentityHost.h"

#include "audit/Audit.h"
#include "audit/AuditTrail.h"

#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>

namespace portico::tests
{

/// The audit trail: who sees which entries, and that nobody changes one unseen.
class AuditTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(AuditTest);
    CPPUNIT_TEST(showsAnOrganizationItsOwn);
    CPPUNIT_TEST(filters);
    CPPUNIT_TEST(pagesWhileEntriesComeIn);
    CPPUNIT_TEST(exportsLines);
    CPPUNIT_TEST(findsAChangedEntry);
    CPPUNIT_TEST(findsARemovedEntry);
    CPPUNIT_TEST(findsAReorderedEntry);
    CPPUNIT_TEST(findsWhatIsMissingAtTheEnd);
    CPPUNIT_TEST(anOrganizationsViewRestsOnTheWhole);
    CPPUNIT_TEST(goesOnFromWhereItWasWhole);
    CPPUNIT_TEST(keysSeeTheirOwnOrganization);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _owner = _host->createUser("owner@acme.example", "acme", "owner");
        _member = _host->createUser("member@acme.example", "acme", "member");
        _host->createUser("owner@globex.example", "globex", "owner");
        _host->createUser("root@x.example", "", "member", "platform_admin");
        _acme = _host->organizationId("acme");
        _ownerToken = _host->signIn("owner@acme.example", "identity");
        _root = _host->signIn("root@x.example", "identity");
        const auto globex = _host->signIn("owner@globex.example", "identity");
        for (const auto& token : {_ownerToken, globex})
            for (const auto* effect : {"allow", "deny", "allow"}) act(token, effect);
    }
    void tearDown() override { _host.reset(); }

    void showsAnOrganizationItsOwn()
    {
        const auto own = get("/api/audit-events?type=service.probed", _ownerToken);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(own.body, std::size_t{3}, own.count("/items"));
        CPPUNIT_ASSERT_EQUAL(_acme, own.at("/items/0/organizationId"));
        CPPUNIT_ASSERT_EQUAL(std::string("user"), own.at("/items/0/actor/type"));
        CPPUNIT_ASSERT_EQUAL(_owner, own.at("/items/0/actor/id"));
        CPPUNIT_ASSERT_EQUAL(std::string("success"), own.at("/items/0/outcome"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{64}, own.at("/items/0/hash").size());
        CPPUNIT_ASSERT_EQUAL(std::string("null"), own.at("/items/0/actor/impersonatorId"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{6}, get("/api/audit-events?type=service.probed", _root).count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{3}, get("/api/audit-events?type=service.probed&organizationId=" + _acme, _root).count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::string("not_found"),
                             get("/api/audit-events?organizationId=" + _host->organizationId("globex"), _ownerToken).code());
        const auto member = _host->signIn("member@acme.example", "identity");
        for (const auto* path : {"", "/export", "/verify"})
            CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"), get("/api/audit-events" + std::string(path), member).code());
    }

    void filters()
    {
        const auto count = [&](const std::string& query)
        { return get("/api/audit-events?type=service.probed&" + query, _ownerToken).count("/items"); };
        CPPUNIT_ASSERT_EQUAL(std::size_t{3}, count("actor=" + _owner));
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, count("actor=" + _member));
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, count("target=allow"));
        const auto at = get("/api/audit-events?type=service.probed", _ownerToken).at("/items/1/at");
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, count("from=" + at));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, count("to=" + at));
        CPPUNIT_ASSERT_EQUAL(std::size_t{3}, get("/api/audit-events?type=service.probed,nothing.else", _ownerToken).count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::string("unknown_parameter"), get("/api/audit-events?actr=x", _ownerToken).code());
        CPPUNIT_ASSERT_EQUAL(std::string("validation_failed"), get("/api/audit-events?from=yesterday", _ownerToken).code());
    }

    void pagesWhileEntriesComeIn()
    {
        std::string query = "/api/audit-events?type=service.probed&limit=1&include=total", cursor;
        std::vector<std::string> seen;
        for (int page = 0; page < 3; ++page)
        {
            const auto answer = get(query + (cursor.empty() ? "" : "&cursor=" + cursor), _ownerToken);
            seen.push_back(answer.at("/items/0/id"));
            cursor = answer.at("/nextCursor");
            act(_ownerToken, "later");
        }
        CPPUNIT_ASSERT_EQUAL(std::string("null"), cursor);
        std::sort(seen.begin(), seen.end());
        CPPUNIT_ASSERT(std::unique(seen.begin(), seen.end()) == seen.end());
        cursor = get(query, _ownerToken).at("/nextCursor");
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_cursor"), get("/api/audit-events?limit=1&cursor=" + cursor, _ownerToken).code());
    }

    void exportsLines()
    {
        for (int i = 0; i < 450; ++i) act(_ownerToken, "many");
        auto answer = get("/api/audit-events/export?target=many", _ownerToken);
        CPPUNIT_ASSERT_EQUAL(std::string("application/x-ndjson"), answer.contentType);
        const auto body = testing::TestHost::bodyOf(answer);
        CPPUNIT_ASSERT_EQUAL(std::ptrdiff_t{450}, std::count(body.begin(), body.end(), '\n'));
        std::int64_t last = 0;
        for (std::size_t from = 0; from < body.size(); from = body.find('\n', from) + 1)
        {
            const auto event = boost::json::parse(body.substr(from, body.find('\n', from) - from));
            CPPUNIT_ASSERT(event.at("sequence").as_int64() > last);
            CPPUNIT_ASSERT_EQUAL(_acme, std::string(event.at("organizationId").as_string()));
            last = event.at("sequence").as_int64();
        }
    }

    void findsAChangedEntry()
    {
        const auto place = sequenceOf(1);
        requireSound();
        tamper("UPDATE audit_events SET details = '{}', target = 'someone' WHERE sequence = " + place);
        requireBroken(place);
    }

    void findsARemovedEntry()
    {
        const auto place = sequenceOf(2);
        tamper("DELETE FROM audit_events WHERE sequence = " + place);
        requireBroken(place);
    }

    void findsAReorderedEntry()
    {
        const auto one = sequenceOf(3), other = sequenceOf(2);
        tamper("UPDATE audit_events SET sequence = 1000000 WHERE sequence = " + one);
        tamper("UPDATE audit_events SET sequence = " + one + " WHERE sequence = " + other);
        tamper("UPDATE audit_events SET sequence = " + other + " WHERE sequence = 1000000");
        requireBroken(one);
    }

    void findsWhatIsMissingAtTheEnd()
    {
        const auto last = std::to_string(_host->count("SELECT MAX(sequence) FROM audit_events"));
        tamper("DELETE FROM audit_events WHERE sequence = " + last);
        requireBroken(last);
    }

    /// Contents of others are not its affair, but that nothing was taken out between its own entries is.
    void anOrganizationsViewRestsOnTheWhole()
    {
        const auto foreign = std::to_string(_host->count("SELECT MIN(sequence) FROM audit_events WHERE type = 'service.probed' AND "
                                                         "organization_id <> '" +
                                                         _acme + '\''));
        auto said = get("/api/audit-events/verify", _ownerToken);
        CPPUNIT_ASSERT(std::stoll(said.at("/ownEntries")) < std::stoll(said.at("/entries")));
        tamper("UPDATE audit_events SET target = 'someone' WHERE sequence = " + foreign);
        CPPUNIT_ASSERT_EQUAL(std::string("true"), get("/api/audit-events/verify", _ownerToken).at("/ok"));
        CPPUNIT_ASSERT_EQUAL(foreign, get("/api/audit-events/verify", _root).at("/firstBroken"));
        tamper("DELETE FROM audit_events WHERE sequence = " + foreign);
        _host->reload();
        CPPUNIT_ASSERT_EQUAL(foreign, get("/api/audit-events/verify", _ownerToken).at("/firstBroken"));
    }

    /// An organization does not make the host read everybody's trail again and again, and is told of its own entries all the same.
    void goesOnFromWhereItWasWhole()
    {
        const auto verify = [&](const std::string& token) { return get("/api/audit-events/verify", token); };
        const auto before = verify(_ownerToken);
        act(_ownerToken, "later");
        const auto after = verify(_ownerToken);
        CPPUNIT_ASSERT_EQUAL(std::stoll(before.at("/entries")) + 1, std::stoll(after.at("/entries")));
        CPPUNIT_ASSERT_EQUAL(std::stoll(before.at("/ownEntries")) + 1, std::stoll(after.at("/ownEntries")));
        CPPUNIT_ASSERT_EQUAL(verify(_root).at("/head"), after.at("/head"));
        const auto foreign = std::to_string(
            _host->count("SELECT MIN(sequence) FROM audit_events WHERE organization_id = '" + _host->organizationId("globex") + '\''));
        const auto own = sequenceOf(2);
        tamper("UPDATE audit_events SET prev_hash = 'x' WHERE sequence = " + foreign);
        CPPUNIT_ASSERT_EQUAL(std::string("true"), verify(_ownerToken).at("/ok"));
        // What is gone of its own is missed, and looked for in the whole.
        tamper("DELETE FROM audit_events WHERE sequence = " + own);
        CPPUNIT_ASSERT_EQUAL(foreign, verify(_ownerToken).at("/firstBroken"));
        CPPUNIT_ASSERT_EQUAL(foreign, verify(_root).at("/firstBroken"));
        for (int i = 0; i < 10; ++i) verify(_ownerToken);
        CPPUNIT_ASSERT_EQUAL(std::string("rate_limited"), verify(_ownerToken).code());
        CPPUNIT_ASSERT_EQUAL(200, verify(_root).status);
    }

    void keysSeeTheirOwnOrganization()
    {
        const auto root = _host->createUser("root@x.example", "acme", "owner", "platform_admin");
        const auto keyIn = [&](const std::string& context)
        {
            const auto token = _host->signIn("root@x.example", "identity");
            const auto moved = _host->call({.method = Method::Put, .target = "/api/auth/context", .body = context}, token);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(moved.body, 200, moved.status);
            const auto made = _host->call({.method = Method::Post,
                                           .target = "/api/api-keys",
                                           .body = R"({"name":"k","owner_type":"user","owner_id":")" + root +
                                                   R"(","grants":[{"service_id":"identity","scopes":["audit.read"]}]})"},
                                          token);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(made.body, 201, made.status);
            return made.at("/key");
        };
        const auto key = keyIn(R"({"kind":"organization","organizationId":")" + _acme + "\"}");
        const auto list = get("/api/audit-events?limit=100", key);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(list.body, 200, list.status);
        for (std::size_t i = 0; i < list.count("/items"); ++i)
            CPPUNIT_ASSERT_EQUAL(_acme, list.at("/items/" + std::to_string(i) + "/organizationId"));
        CPPUNIT_ASSERT_EQUAL(404, get("/api/audit-events?organizationId=" + _host->organizationId("globex"), key).status);
        CPPUNIT_ASSERT(std::stoll(get("/api/audit-events/verify", key).at("/ownEntries")) <
                       std::stoll(get("/api/audit-events/verify", key).at("/entries")));
        CPPUNIT_ASSERT_EQUAL(403, get("/api/audit-events", keyIn(R"({"kind":"personal"})")).status);
    }

private:
    TestAnswer get(const std::string& target, const std::string& token) const { return _host->call({.target = target}, token); }

    /// Writes an entry as a route does.
    void act(const std::string& token, std::string target)
    {
        _host->context().clock().advance(std::chrono::milliseconds(1));
        const auto caller = _host->validate(token, "identity");
        _host->context().database().transact(
            [&](Transaction& transaction)
            {
                Request request;
                request.caller = caller.get();
                identity::AuditLog::of(request, _host->context().clock().now())
                    .record(transaction, identity::EventName(std::string_view("service.probed")), target);
            });
    }

    void tamper(const std::string& sql)
    {
        _host->context().database().transact([&](Transaction& transaction) { transaction.execute(sql); });
    }

    /// Place of one of acme's entries, from the end.
    std::string sequenceOf(int fromEnd)
    {
        return get("/api/audit-events?type=service.probed", _ownerToken).at("/items/" + std::to_string(fromEnd - 1) + "/sequence");
    }

    void requireSound()
    {
        for (const auto* token : {&_ownerToken, &_root})
            CPPUNIT_ASSERT_EQUAL(std::string("true"), get("/api/audit-events/verify", *token).at("/ok"));
    }

    void requireBroken(const std::string& place)
    {
        for (const auto* token : {&_ownerToken, &_root})
        {
            const auto said = get("/api/audit-events/verify", *token);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(said.body, std::string("false"), said.at("/ok"));
            CPPUNIT_ASSERT_EQUAL(place, said.at("/firstBroken"));
        }
    }

    std::unique_ptr<IdentityHost> _host;
    std::string _owner, _member, _acme;
    std::string _ownerToken, _root;
};

CPPUNIT_TEST_SUITE_REGISTRATION(AuditTest);

} // namespace portico::tests
