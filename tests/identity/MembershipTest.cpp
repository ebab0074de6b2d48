#include "identity/IdentityHost.h"

#include "common/Role.h"

#include <map>
#include <thread>

namespace portico::tests
{

/// Members: rules of ranks, cleanup after a membership, and protection of the last owner.
class MembershipTest : public Suite<MembershipTest>
{
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        for (const auto* role : {"owner", "super_admin", "admin", "member", "guest"})
            _ids[role] = _host->createUser(mail(role), "acme", role);
        _host->createUser("owner@other.example", "other", "owner");
        _acme = _host->organizationId("acme");
    }
    void tearDown() override { _host.reset(); }

    /// Every role on every other, as 2.6 says.
    TEST(followsTheRanks)
    {
        const std::vector<std::string> roles = {"owner", "super_admin", "admin", "member", "guest"};
        for (const auto& actor : roles)
        {
            const auto token = _host->signIn(mail(actor), "identity");
            elevate();
            for (const auto& subject : roles)
            {
                const auto target = _host->createUser("subject-" + subject + "@acme.example", "acme", subject);
                const auto rankOf = [](const std::string& role) { return rank(parseEnum<identity::Role>(role).value()); };
                const bool mayManage = rankOf(actor) >= 60;
                const bool below = rankOf(actor) > rankOf(subject) || (actor == "owner" && subject == "owner");
                const auto expected = !mayManage ? "permission_denied" : below ? "" : "outranked";
                equal(expected, patch(token, target, R"({"status":"suspended"})").code(), actor + " on " + subject);
                equal(expected, patch(token, target, R"({"status":"active"})").code(), actor + " on " + subject);
                equal(expected, remove(token, target).code(), actor + " off " + subject);
            }
        }
        // Owners change owners with a fresh proof only.
        const auto second = _host->createUser("second@acme.example", "acme", "owner");
        equal("step_up_required", patch(_host->signIn(mail("owner"), "identity"), second, R"({"role":"admin"})").code());
    }

    TEST(grantsNothingAboveItself)
    {
        const auto admin = _host->signIn(mail("admin"), "identity");
        for (const auto* above : {"super_admin", "owner"})
            equal("role_above_own", patch(admin, _ids["member"], jsonWith(R"({"role":"$"})", above)).code());
        equal(200, patch(admin, _ids["member"], R"({"role":"admin"})").status);
        // The member now has the same rank, and only higher ranks can lower it.
        equal("outranked", patch(admin, _ids["member"], R"({"role":"guest"})").code());
        for (const auto* bad :
             {R"({"role":"king"})", R"({"status":"removed"})", R"({"status":"invited"})", R"({"role":null})", R"({"status":null})"})
            equal("validation_failed", patch(admin, _ids["guest"], bad).code());
        equal("role_above_own", patch(admin, _ids["guest"], R"({"role":"owner"})").code());
    }

    TEST(lists)
    {
        const auto token = _host->signIn(mail("member"), "identity");
        const auto all = get(token, "?include=total");
        equal("5", all.at("/total"));
        equal(_ids["owner"], all.at("/items/0/userId"));
        equal(_acme, all.at("/items/0/organizationId"));
        equal("owner@acme.example", all.at("/items/0/user/email"));
        equal(2, get(token, "?role=admin,guest").count("/items"));
        equal(1, get(token, "?q=SUPER_").count("/items"));
        equal(0, get(token, "?q=%25").count("/items"));
        equal("unknown_parameter", get(token, "?rolle=admin").code());
        std::size_t seen = 0;
        std::string cursor;
        do {
            const auto page = get(token, "?limit=2" + (cursor.empty() ? "" : "&cursor=" + cursor));
            seen += page.count("/items");
            cursor = page.at("/nextCursor");
        } while (cursor != "null");
        equal(5, seen);
        equal("permission_denied", get(_host->signIn(mail("guest"), "identity"), "").code());
        _host->change("UPDATE memberships SET status = 'suspended' WHERE user_id = $1", {_ids["guest"]});
        equal(1, get(token, "?status=suspended").count("/items"));
    }

    TEST(listsNamesAloneElsewhere)
    {
        const auto token = _host->signIn(mail("member"), "desk");
        const auto ask = [&](const std::string& credential)
        { return _host->call({.target = "/api/organizations/" + _acme + "/members", .originService = "desk"}, credential); };
        const auto list = ask(token);
        equal(200, list.status);
        equal(5, list.count("/items"));
        CHECK(list.has("/items/0/user/displayName") && list.has("/items/0/userId"));
        CHECK(!list.has("/items/0/user/email") && !list.has("/items/0/role"));
        // Also applies on identity's origin with the token of another service.
        const auto named = _host->call(
            {.target = "/api/organizations/" + _acme + "/members", .headers = {{"X-Service-ID", "desk"}}, .originService = "identity"},
            token);
        equal(5, named.count("/items"), named.body);
        CHECK(!named.has("/items/0/user/email") && !named.has("/items/0/role"));
        // Hidden members are not searched either.
        const auto found = [&](const std::string& q) {
            return _host->call({.target = "/api/organizations/" + _acme + "/members?q=" + q, .originService = "desk"}, token)
                .count("/items");
        };
        equal(0, found("acme.example"));
        CHECK(found(_host->call({.target = "/api/auth/me"}, _host->signIn(mail("owner"), "identity")).at("/user/displayName")) > 0);
        equal(403, ask(_host->signIn(mail("guest"), "desk")).status);
        equal(404, ask(_host->signIn("owner@other.example", "desk")).status);
    }

    TEST(changesTakeEffectAtOnce)
    {
        const auto token = _host->signIn(mail("admin"));
        const auto owner = _host->signIn(mail("owner"), "identity");
        CHECK(_host->validate(token)->may("desk.tickets:purge"));
        equal(200, patch(owner, _ids["admin"], R"({"role":"member"})").status);
        CHECK(!_host->validate(token)->may("desk.tickets:purge"));
        equal(200, patch(owner, _ids["admin"], R"({"status":"suspended"})").status);
        equal("session_ended", _host->verdict(token));
        equal(1, _host->count("SELECT COUNT(*) FROM audit_events WHERE type = 'session.ended' AND actor_id = '" + _ids["owner"] + "'"));
        equal("membership_required",
              _host->login(mail("admin"), IdentityHost::password, "desk", jsonWith(R"(,"organizationId":"$")", _acme)).code());
        equal(200, patch(owner, _ids["admin"], R"({"status":"active"})").status);
        equal("ok", _host->verdict(_host->signIn(mail("admin"))));
        equal("version_conflict", patch(owner, _ids["admin"], R"({"role":"guest"})", {{"If-Match", "\"1\""}}).code());
    }

    TEST(removalEndsWhatWasThere)
    {
        _host->createUser(mail("member"), "other", "member");
        const auto here = _host->signIn(mail("member"), "desk", jsonWith(R"(,"organizationId":"$")", _acme));
        const auto there = _host->signIn(mail("member"), "desk", jsonWith(R"(,"organizationId":"$")", _host->organizationId("other")));
        const auto key =
            _host
                ->call({.method = Method::Post,
                        .target = "/api/api-keys",
                        .body = jsonWith(
                            R"({"name":"k","environment":"live","owner_type":"user","owner_id":"$","grants":[{"service_id":"desk",)"
                            R"("scopes":["tickets.read"]}]})",
                            _ids["member"]),
                        .originService = "desk"},
                       here)
                .at("/key");
        equal("ok", _host->verdict(key));
        equal(204, remove(_host->signIn(mail("admin"), "identity"), _ids["member"]).status);
        equal("session_ended", _host->verdict(here));
        equal(1, _host->count("SELECT COUNT(*) FROM audit_events WHERE type = 'session.ended' AND actor_id = '" + _ids["admin"] + "'"));
        equal("key_revoked", _host->verdict(key));
        equal("ok", _host->verdict(there));
        equal(404, remove(_host->signIn(mail("admin"), "identity"), _ids["member"]).status);
        equal(4, get(_host->signIn(mail("admin"), "identity"), "").count("/items"));
        // A former member can return.
        _host->createUser(mail("member"), "acme", "guest");
        equal(5, get(_host->signIn(mail("admin"), "identity"), "").count("/items"));
    }

    TEST(theLastOwnerStays)
    {
        const auto owner = _host->signIn(mail("owner"), "identity");
        elevate();
        equal("last_owner", patch(owner, _ids["owner"], R"({"role":"admin"})").code());
        equal("last_owner", patch(owner, _ids["owner"], R"({"status":"suspended"})").code());
        equal("last_owner", remove(owner, _ids["owner"]).code());
        const auto second = _host->createUser("second@acme.example", "acme", "owner");
        // A suspended owner does not count.
        _host->change("UPDATE users SET status = 'suspended' WHERE id = $1", {second});
        equal("last_owner", remove(owner, _ids["owner"]).code());
        _host->change("UPDATE users SET status = 'active' WHERE id = $1", {second});
        equal(204, remove(owner, _ids["owner"]).status);
    }

    TEST(twoOwnersCannotDemoteEachOther)
    {
        for (int round = 0; round < 5; ++round)
        {
            const auto first = _host->createUser(mail("owner"), "acme", "owner");
            const auto second = _host->createUser("second@acme.example", "acme", "owner");
            const auto one = _host->signIn(mail("owner"), "identity"), other = _host->signIn("second@acme.example", "identity");
            elevate();
            {
                const std::jthread left([&] { patch(one, second, R"({"role":"member"})"); });
                const std::jthread right([&] { patch(other, first, R"({"role":"member"})"); });
            }
            equal(1, owners());
            // And each themselves.
            _host->createUser(mail("owner"), "acme", "owner");
            _host->createUser("second@acme.example", "acme", "owner");
            {
                const std::jthread left([&] { remove(one, first); });
                const std::jthread right([&] { remove(other, second); });
            }
            equal(1, owners());
        }
    }

    TEST(keepsStrangersOut)
    {
        const auto stranger = _host->signIn("owner@other.example", "identity");
        elevate();
        equal(404, patch(stranger, _ids["member"], R"({"role":"guest"})").status);
        equal(404, remove(stranger, _ids["member"]).status);
        // Users of other organizations are treated like unknown ones.
        const auto owner = _host->signIn(mail("owner"), "identity");
        const auto foreign = _host->createUser("more@other.example", "other", "member");
        for (const auto& id : {foreign, std::string("usr_01jd0000000000000000000000")})
            equal(404, patch(owner, id, R"({"role":"guest"})").status);
        _host->createUser("op@admin.example", "", "member", "platform_admin");
        equal(200, patch(_host->signIn("op@admin.example", "identity"), _ids["owner"], R"({"status":"active"})").status);
    }

    TEST(everyChangeIsOneTransaction)
    {
        const auto before = _host->count("SELECT COUNT(*) FROM audit_events");
        const auto owner = _host->signIn(mail("owner"), "identity");
        equal("last_owner", (elevate(), remove(owner, _ids["owner"]).code()));
        // The sign-in alone.
        equal(before + 1, _host->count("SELECT COUNT(*) FROM audit_events"));
        equal(200, patch(owner, _ids["guest"], R"({"role":"member"})").status);
        equal(before + 2, _host->count("SELECT COUNT(*) FROM audit_events"));
        // A request without a change writes no audit entry.
        const auto same = patch(owner, _ids["guest"], R"({"role":"member"})");
        equal("2", same.at("/version"));
        equal(before + 2, _host->count("SELECT COUNT(*) FROM audit_events"));
    }

    static std::string mail(std::string_view role) { return std::string(role) + "@acme.example"; }
    TestAnswer call(const std::string& token, Method method, const std::string& tail, std::string body = {},
                    std::vector<std::pair<std::string, std::string>> headers = {})
    {
        return _host->call({.method = method,
                            .target = "/api/organizations/" + _acme + "/members" + tail,
                            .body = std::move(body),
                            .headers = std::move(headers)},
                           token);
    }
    TestAnswer get(const std::string& token, const std::string& query) { return call(token, Method::Get, query); }
    TestAnswer patch(const std::string& token, const std::string& user, std::string body,
                     std::vector<std::pair<std::string, std::string>> headers = {})
    {
        return call(token, Method::Patch, '/' + user, std::move(body), std::move(headers));
    }
    TestAnswer remove(const std::string& token, const std::string& user) { return call(token, Method::Delete, '/' + user); }
    void elevate() { _host->change("UPDATE sessions SET elevated_until = 9999999999999"); }
    std::int64_t owners()
    {
        return _host->count("SELECT COUNT(*) FROM memberships WHERE role = 'owner' AND status = 'active' AND organization_id = '" + _acme +
                            "'");
    }

    std::unique_ptr<IdentityHost> _host;
    std::map<std::string, std::string, std::less<>> _ids;
    std::string _acme;
};

} // namespace portico::tests
