#include "identity/IdentityHost.h"
#include "support/Suite.h"

#include "audit/Audit.h"
#include "audit/AuditTrail.h"

#include <algorithm>

namespace portico::tests
{

/// Audit log: visibility of entries, and detection of changes.
class AuditTest : public Suite<AuditTest>
{
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

    TEST(showsAnOrganizationItsOwn)
    {
        const auto own = get("/api/audit-events?type=service.probed", _ownerToken);
        equal(3, own.count("/items"), own.body);
        equal(_acme, own.at("/items/0/organizationId"));
        equal("user", own.at("/items/0/actor/type"));
        equal(_owner, own.at("/items/0/actor/id"));
        equal("success", own.at("/items/0/outcome"));
        equal(64, own.at("/items/0/hash").size());
        equal("null", own.at("/items/0/actor/impersonatorId"));
        equal(6, get("/api/audit-events?type=service.probed", _root).count("/items"));
        equal(3, get("/api/audit-events?type=service.probed&organizationId=" + _acme, _root).count("/items"));
        equal("not_found", get("/api/audit-events?organizationId=" + _host->organizationId("globex"), _ownerToken).code());
        const auto member = _host->signIn("member@acme.example", "identity");
        for (const auto* path : {"", "/export", "/verify"})
            equal("permission_denied", get("/api/audit-events" + std::string(path), member).code());
    }

    TEST(filters)
    {
        const auto count = [&](const std::string& query)
        { return get("/api/audit-events?type=service.probed&" + query, _ownerToken).count("/items"); };
        equal(3, count("actor=" + _owner));
        equal(0, count("actor=" + _member));
        equal(2, count("target=allow"));
        const auto at = get("/api/audit-events?type=service.probed", _ownerToken).at("/items/1/at");
        equal(2, count("from=" + at));
        equal(1, count("to=" + at));
        equal(3, get("/api/audit-events?type=service.probed,nothing.else", _ownerToken).count("/items"));
        equal("unknown_parameter", get("/api/audit-events?actr=x", _ownerToken).code());
        equal("validation_failed", get("/api/audit-events?from=yesterday", _ownerToken).code());
    }

    TEST(pagesWhileEntriesComeIn)
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
        equal("null", cursor);
        std::sort(seen.begin(), seen.end());
        CHECK(std::unique(seen.begin(), seen.end()) == seen.end());
        cursor = get(query, _ownerToken).at("/nextCursor");
        equal("invalid_cursor", get("/api/audit-events?limit=1&cursor=" + cursor, _ownerToken).code());
    }

    TEST(exportsLines)
    {
        for (int i = 0; i < 450; ++i) act(_ownerToken, "many");
        auto answer = get("/api/audit-events/export?target=many", _ownerToken);
        equal("application/x-ndjson", answer.contentType);
        const auto body = testing::TestHost::bodyOf(answer);
        equal(450, std::count(body.begin(), body.end(), '\n'));
        std::int64_t last = 0;
        for (std::size_t from = 0; from < body.size(); from = body.find('\n', from) + 1)
        {
            const auto event = boost::json::parse(body.substr(from, body.find('\n', from) - from));
            CHECK(event.at("sequence").as_int64() > last);
            equal(_acme, std::string(event.at("organizationId").as_string()));
            last = event.at("sequence").as_int64();
        }
    }

    TEST(findsAChangedEntry)
    {
        const auto place = sequenceOf(1);
        requireSound();
        tamper("UPDATE audit_events SET details = '{}', target = 'someone' WHERE sequence = " + place);
        requireBroken(place);
    }

    TEST(findsARemovedEntry)
    {
        const auto place = sequenceOf(2);
        tamper("DELETE FROM audit_events WHERE sequence = " + place);
        requireBroken(place);
    }

    TEST(findsAReorderedEntry)
    {
        const auto one = sequenceOf(3), other = sequenceOf(2);
        tamper("UPDATE audit_events SET sequence = 1000000 WHERE sequence = " + one);
        tamper("UPDATE audit_events SET sequence = " + one + " WHERE sequence = " + other);
        tamper("UPDATE audit_events SET sequence = " + other + " WHERE sequence = 1000000");
        requireBroken(one);
    }

    TEST(findsWhatIsMissingAtTheEnd)
    {
        const auto last = std::to_string(_host->count("SELECT MAX(sequence) FROM audit_events"));
        tamper("DELETE FROM audit_events WHERE sequence = " + last);
        requireBroken(last);
    }

    /// Contents of others are not its affair, but that nothing was taken out between its own entries is.
    TEST(anOrganizationsViewRestsOnTheWhole)
    {
        const auto foreign = std::to_string(_host->count("SELECT MIN(sequence) FROM audit_events WHERE type = 'service.probed' AND "
                                                         "organization_id <> '" +
                                                         _acme + '\''));
        auto said = get("/api/audit-events/verify", _ownerToken);
        CHECK(std::stoll(said.at("/ownEntries")) < std::stoll(said.at("/entries")));
        tamper("UPDATE audit_events SET target = 'someone' WHERE sequence = " + foreign);
        equal("true", get("/api/audit-events/verify", _ownerToken).at("/ok"));
        equal(foreign, get("/api/audit-events/verify", _root).at("/firstBroken"));
        tamper("DELETE FROM audit_events WHERE sequence = " + foreign);
        _host->reload();
        equal(foreign, get("/api/audit-events/verify", _ownerToken).at("/firstBroken"));
    }

    /// Repeated verifications by an organization do not read the whole log again, and still cover its new entries.
    TEST(goesOnFromWhereItWasWhole)
    {
        const auto verify = [&](const std::string& token) { return get("/api/audit-events/verify", token); };
        const auto before = verify(_ownerToken);
        act(_ownerToken, "later");
        const auto after = verify(_ownerToken);
        equal(std::stoll(before.at("/entries")) + 1, std::stoll(after.at("/entries")));
        equal(std::stoll(before.at("/ownEntries")) + 1, std::stoll(after.at("/ownEntries")));
        equal(verify(_root).at("/head"), after.at("/head"));
        const auto foreign = std::to_string(
            _host->count("SELECT MIN(sequence) FROM audit_events WHERE organization_id = '" + _host->organizationId("globex") + '\''));
        const auto own = sequenceOf(2);
        tamper("UPDATE audit_events SET prev_hash = 'x' WHERE sequence = " + foreign);
        equal("true", verify(_ownerToken).at("/ok"));
        // A missing entry of the organization causes a full verification.
        tamper("DELETE FROM audit_events WHERE sequence = " + own);
        equal(foreign, verify(_ownerToken).at("/firstBroken"));
        equal(foreign, verify(_root).at("/firstBroken"));
        for (int i = 0; i < 10; ++i) verify(_ownerToken);
        equal("rate_limited", verify(_ownerToken).code());
        equal(200, verify(_root).status);
    }

    TEST(keysSeeTheirOwnOrganization)
    {
        const auto root = _host->createUser("root@x.example", "acme", "owner", "platform_admin");
        const auto keyIn = [&](const std::string& context)
        {
            const auto token = _host->signIn("root@x.example", "identity");
            const auto moved = _host->call({.method = Method::Put, .target = "/api/auth/context", .body = context}, token);
            equal(200, moved.status, moved.body);
            const auto made = _host->call(
                {.method = Method::Post,
                 .target = "/api/api-keys",
                 .body = jsonWith(
                     R"({"name":"k","owner_type":"user","owner_id":"$","grants":[{"service_id":"identity","scopes":["audit.read"]}]})",
                     root)},
                token);
            equal(201, made.status, made.body);
            return made.at("/key");
        };
        const auto key = keyIn(jsonWith(R"({"kind":"organization","organizationId":"$"})", _acme));
        const auto list = get("/api/audit-events?limit=100", key);
        equal(200, list.status, list.body);
        for (std::size_t i = 0; i < list.count("/items"); ++i) equal(_acme, list.at("/items/" + std::to_string(i) + "/organizationId"));
        equal(404, get("/api/audit-events?organizationId=" + _host->organizationId("globex"), key).status);
        CHECK(std::stoll(get("/api/audit-events/verify", key).at("/ownEntries")) <
              std::stoll(get("/api/audit-events/verify", key).at("/entries")));
        equal(403, get("/api/audit-events", keyIn(R"({"kind":"personal"})")).status);
    }

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
        for (const auto* token : {&_ownerToken, &_root}) equal("true", get("/api/audit-events/verify", *token).at("/ok"));
    }

    void requireBroken(const std::string& place)
    {
        for (const auto* token : {&_ownerToken, &_root})
        {
            const auto said = get("/api/audit-events/verify", *token);
            equal("false", said.at("/ok"), said.body);
            equal(place, said.at("/firstBroken"));
        }
    }

    std::unique_ptr<IdentityHost> _host;
    std::string _owner, _member, _acme;
    std::string _ownerToken, _root;
};

} // namespace portico::tests
