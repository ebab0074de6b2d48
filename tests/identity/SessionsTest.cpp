#include "identity/IdentityHost.h"

namespace portico::tests
{

/// Lists of sign-ins of the caller and of other users, the rights to end them, and notifications.
class SessionsTest : public Suite<SessionsTest>
{
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _owner = _host->createUser("owner@acme.example", "acme", "owner");
        _member = _host->createUser("member@acme.example", "acme", "member");
    }
    void tearDown() override { _host.reset(); }

    TEST(listsOnesOwn)
    {
        const auto first = _host->signIn("member@acme.example");
        _host->signIn("owner@acme.example");
        later();
        const auto second = _host->signIn("member@acme.example");
        const auto list = get("/api/auth/sessions", second);
        equal(2, list.count("/items"));
        equal("true", list.at("/items/0/current"));
        equal("false", list.at("/items/1/current"));
        equal("desk", list.at("/items/0/service_id"));
        const auto page = get("/api/auth/sessions?limit=1&include=total", second);
        equal("2", page.at("/total"));
        const auto rest = get("/api/auth/sessions?limit=1&cursor=" + page.at("/nextCursor"), second);
        equal(list.at("/items/1/id"), rest.at("/items/0/id"));
        equal("validation_failed", remove("/api/auth/sessions?except=all", second).code());
        equal("ok", _host->verdict(first));
    }

    TEST(unusedSessionsExpire)
    {
        _host->browserLogin("member@acme.example");
        _host->context().clock().advance(std::chrono::hours(24 * 7));
        const auto now = _host->signIn("member@acme.example");
        equal(1, get("/api/auth/sessions", now).count("/items"));
        const auto owner = _host->signIn("owner@acme.example", "identity");
        equal(1, get("/api/users/" + _member + "/sessions", owner, "identity").count("/items"));
        _host->context().clock().advance(std::chrono::hours(1));
        _host->context().jobs().runDue();
        equal(1, _host->count("SELECT COUNT(*) FROM sessions WHERE end_reason = 'expired_idle'"));
        equal(2, _host->count("SELECT COUNT(*) FROM sessions WHERE ended_at IS NULL"));
    }

    TEST(aStricterPolicyReachesWhatThereIs)
    {
        const auto member = _host->signIn("member@acme.example");
        _host->browserLogin("member@acme.example");
        const auto personal = _host->count("SELECT COUNT(*) FROM sessions WHERE organization_id IS NULL");
        const auto begun = toMillis(_host->context().clock().now());
        const auto owner = _host->signIn("owner@acme.example", "identity");
        const auto adopt = [&](std::string_view policy)
        {
            const auto path = "/api/organizations/" + _host->organizationId("acme");
            return _host->call({.method = Method::Patch, .target = path, .body = jsonWith(R"({"securityPolicy":$})", policy)}, owner)
                .status;
        };
        equal(200, adopt(R"({"maxSessionHours":8,"idleHours":2})"));
        const auto hour = std::int64_t{3600} * 1000;
        CHECK(_host->count("SELECT MAX(expires_at) FROM sessions WHERE organization_id IS NOT NULL") <= begun + 8 * hour + 1000);
        CHECK(_host->count("SELECT MAX(absolute_expires_at) FROM refresh_families") <= begun + 8 * hour + 1000);
        CHECK(_host->count("SELECT MAX(idle_expires_at) FROM refresh_families") <= begun + 2 * hour + 1000);
        equal("ok", _host->verdict(member));
        equal(400, adopt(R"({"allowedLoginMethods":["passkey"]})"), "the actor cannot lock themselves out");
        _host->change("INSERT INTO passkeys (user_id, id, credential_id, algorithm, public_key, sign_count, aaguid, transports, backed_up, "
                      "name, version, created_at, updated_at) SELECT id, 'pk_x', 'x', -7, '', 0, '', '[]', FALSE, 'n', 1, 1, 1 FROM users "
                      "WHERE email = 'owner@acme.example'");
        equal(200, adopt(R"({"allowedLoginMethods":["passkey"]})"));
        equal("session_ended", _host->verdict(member));
        equal(personal, _host->count("SELECT COUNT(*) FROM sessions WHERE ended_at IS NULL"));
        const std::string ended = "SELECT COUNT(*) FROM audit_events WHERE type = 'session.ended' AND actor_id = '";
        equal(0, _host->count(ended + _member + '\''));
        CHECK(_host->count(ended + _owner + "' AND details LIKE '%" + _member + "%'") > 0);
    }

    TEST(endsOneAtOnce)
    {
        const auto first = _host->signIn("member@acme.example");
        later();
        const auto second = _host->signIn("member@acme.example");
        const auto foreign = _host->signIn("owner@acme.example");
        const auto id = get("/api/auth/sessions", first).at("/items/1/id");
        equal(404, remove("/api/auth/sessions/" + id, foreign).status);
        equal("version_conflict", _host->codeOfStaleDelete(_host->signIn("member@acme.example", "identity"), "/api/auth/sessions/" + id));
        equal(204, remove("/api/auth/sessions/" + id, second).status);
        equal("session_ended", _host->verdict(first));
        equal("ok", _host->verdict(second));
        equal(404, remove("/api/auth/sessions/" + id, second).status);
        equal(1, _host->count("SELECT COUNT(*) FROM sessions WHERE end_reason = 'revoked_by_user'"));
        equal(1, _host->count("SELECT COUNT(*) FROM audit_events WHERE type = 'session.revoked'"));
    }

    /// Otherwise the lost device would sign in again without a password.
    TEST(endingASignInEndsItsBrowserSession)
    {
        const auto lost = atIdentity("member@acme.example");
        const auto sibling = _host->signIn("member@acme.example");
        _host->change("UPDATE sessions SET browser_session_id = (SELECT id FROM browser_sessions) WHERE id = $1",
                      {_host->validate(sibling)->sessionId});
        const auto own = atIdentity("member@acme.example");
        const auto app = _host->signIn("member@acme.example");
        _host->change("UPDATE sessions SET browser_session_id = (SELECT browser_session_id FROM sessions WHERE id = $2) WHERE id = $1",
                      {_host->validate(app)->sessionId, _host->validate(own, "identity")->sessionId});
        const auto end = [&](const std::string& token, std::string_view service)
        { return remove("/api/auth/sessions/" + _host->validate(token, service)->sessionId, own, "identity").status; };
        equal(2, _host->count(activeBrowsers));
        equal(204, end(lost, "identity"));
        equal("session_ended", _host->verdict(sibling));
        equal(1, _host->count(activeBrowsers));
        // The caller's own browser stays signed in when one of its apps is signed out.
        equal(204, end(app, "desk"));
        equal("session_ended", _host->verdict(app));
        equal("ok", _host->verdict(own, "identity"));
        equal(1, _host->count(activeBrowsers));
    }

    TEST(administratorsEndBrowserSessions)
    {
        _host->createUser("member@acme.example", "globex", "member");
        const auto inAcme = _host->signIn("member@acme.example", "desk", context("acme"));
        const auto inGlobex = _host->signIn("member@acme.example", "desk", context("globex"));
        const auto owner = atIdentity("owner@acme.example");
        const auto enter = [&]
        {
            atIdentity("member@acme.example");
            _host->change("UPDATE sessions SET browser_session_id = (SELECT id FROM browser_sessions WHERE user_id = $1 "
                          "AND ended_at IS NULL) WHERE user_id = $1 AND ended_at IS NULL",
                          {_member});
            equal(2, _host->count(activeBrowsers));
        };
        const auto sessions = "/api/users/" + _member + "/sessions";
        enter();
        equal(204, remove(sessions + '/' + _host->validate(inAcme)->sessionId, owner, "identity").status);
        equal("session_ended", _host->verdict(inAcme));
        equal("ok", _host->verdict(inGlobex), "sign-ins in other organizations stay");
        equal(1, _host->count(activeBrowsers));
        _host->createUser("root@x.example", "", "member", "platform_admin");
        enter();
        equal(200, remove(sessions, _host->signIn("root@x.example", "identity"), "identity").status);
        equal("session_ended", _host->verdict(inGlobex));
        equal(1, _host->count(activeBrowsers), "only the owner's is left");
    }

    TEST(endsAllOthersOrAll)
    {
        const std::vector<std::pair<std::string, std::string>> browser = {{"X-Platform-Auth", "1"},
                                                                          {"Origin", "http://identity.localhost:8080"}};
        const auto atHome = _host->login("member@acme.example", IdentityHost::password, "identity", "", browser);
        const auto other = _host->browserLogin("member@acme.example");
        const auto foreign = _host->signIn("owner@acme.example");
        const auto kept = _host->login("member@acme.example", IdentityHost::password, "identity", "", browser);
        const auto answer = remove("/api/auth/sessions?except=current", kept.at("/access_token"), "identity");
        equal(200, answer.status);
        equal("2", answer.at("/ended"));
        CHECK(!answer.hasHeader("Set-Cookie"));
        equal("session_ended", _host->verdict(other.at("/access_token")));
        equal("session_ended", _host->verdict(atHome.at("/access_token"), "identity"));
        equal(1, _host->count("SELECT COUNT(*) FROM browser_sessions WHERE ended_at IS NULL"));
        const auto all = remove("/api/auth/sessions", kept.at("/access_token"), "identity");
        equal("1", all.at("/ended"));
        CHECK(all.headerBlock().find("platform_refresh=;") != std::string::npos);
        CHECK(all.headerBlock().find("platform_session=;") != std::string::npos);
        equal(0, _host->count("SELECT COUNT(*) FROM browser_sessions WHERE ended_at IS NULL"));
        equal("ok", _host->verdict(foreign));
    }

    TEST(othersAreTheAdministratorsAffair)
    {
        const auto token = _host->signIn("member@acme.example");
        const auto owner = _host->signIn("owner@acme.example", "identity");
        const auto list = get("/api/users/" + _member + "/sessions", owner, "identity");
        equal(1, list.count("/items"));
        const auto path = "/api/users/" + _member + "/sessions/" + list.at("/items/0/id");
        equal(204, remove(path, owner, "identity").status);
        equal("session_ended", _host->verdict(token));
        equal(1, _host->count("SELECT COUNT(*) FROM sessions WHERE end_reason = 'revoked_by_admin'"));
        const auto plain = _host->signIn("member@acme.example", "identity");
        for (const auto& id : {_owner, _member, std::string("usr_01arz3ndektsv4rrffq69g5fav")})
            equal("permission_denied", get("/api/users/" + id + "/sessions", plain, "identity").code());
        // A granted permission suffices.
        const auto organization = _host->organizationId("acme");
        _host->change("INSERT INTO permission_overrides VALUES ('ovr_01arz3ndektsv4rrffq69g5fav', $1, $2, 'identity.sessions:read', "
                      "'allow', '', '', NULL, 1, 0, 0)",
                      {_member, organization});
        equal(200, get("/api/users/" + _owner + "/sessions", plain, "identity").status);
        equal("permission_denied", remove("/api/users/" + _owner + "/sessions", plain, "identity").code());
        // These are on identity's own origin only.
        equal(404, get("/api/users/" + _member + "/sessions", owner, "desk").status);
    }

    TEST(ranksProtectSessions)
    {
        _host->createUser("admin@acme.example", "acme", "admin");
        const auto admin = _host->signIn("admin@acme.example", "identity");
        const auto token = _host->signIn("owner@acme.example");
        const auto id = get("/api/users/" + _owner + "/sessions", admin, "identity").at("/items/0/id");
        equal("outranked", remove("/api/users/" + _owner + "/sessions/" + id, admin, "identity").code());
        equal("outranked", remove("/api/users/" + _owner + "/sessions", admin, "identity").code());
        equal("ok", _host->verdict(token));
    }

    TEST(administratorsReachTheirOwnContextOnly)
    {
        _host->createUser("member@acme.example", "globex", "member");
        const auto inAcme = _host->signIn("member@acme.example", "desk", context("acme"));
        const auto inGlobex = _host->signIn("member@acme.example", "desk", context("globex"));
        const auto owner = _host->signIn("owner@acme.example", "identity");
        const auto sessions = "/api/users/" + _member + "/sessions";
        equal(1, get(sessions, owner, "identity").count("/items"));
        equal(404, get(sessions + "?organizationId=" + _host->organizationId("globex"), owner, "identity").status);
        const auto id = get("/api/auth/sessions", inGlobex).at("/items/0/id");
        const auto other = get("/api/auth/sessions", inGlobex).at("/items/1/id");
        const auto foreign = get(sessions, owner, "identity").at("/items/0/id") == id ? other : id;
        equal(404, remove(sessions + "/" + foreign, owner, "identity").status);
        equal("1", remove(sessions, owner, "identity").at("/ended"));
        equal("session_ended", _host->verdict(inAcme));
        equal("ok", _host->verdict(inGlobex));
        _host->createUser("root@x.example", "", "member", "platform_admin");
        equal(404,
              get("/api/users/usr_01arz3ndektsv4rrffq69g5fav/sessions", _host->signIn("root@x.example", "identity"), "identity").status);
        const auto stranger = _host->createUser("owner@other.example", "other", "owner");
        equal(404, get("/api/users/" + stranger + "/sessions", owner, "identity").status);
        equal(404, remove("/api/users/" + stranger + "/sessions", owner, "identity").status);
    }

    TEST(writesAboutNewDevices)
    {
        const auto from = [&](std::string address, std::string browser)
        {
            return _host->call({.method = Method::Post,
                                .target = "/api/auth/login",
                                .body = R"({"identifier":"member@acme.example","password":"correct horse battery","service_id":"desk"})",
                                .headers = {{"User-Agent", std::move(browser)}},
                                .clientAddress = std::move(address)});
        };
        const auto mails = [&] { return _host->context().mailer().sent().size(); };
        equal(200, from("192.0.2.1", "Firefox/1 (Linux)").status);
        equal(200, from("192.0.2.200", "Firefox/1 (Linux)").status);
        equal(0, mails());
        from("198.51.100.1", "Firefox/1 (Linux)");
        equal(1, mails());
        const auto mail = _host->context().mailer().sent()[0];
        equal("member@acme.example", mail.to);
        CHECK(mail.text.find("Firefox on Linux") != std::string::npos && mail.text.find("198.51.100.0/24") != std::string::npos);
        from("198.51.100.1", "Chrome/1 (Linux)");
        equal(2, mails());
        from("198.51.100.1", "Firefox/1 (Linux)");
        from("192.0.2.1", "Firefox/1 (Linux)");
        equal(2, mails());
        // Forgotten after a year.
        _host->context().clock().advance(std::chrono::hours(24 * 366));
        from("192.0.2.1", "Chrome/1 (Linux)");
        from("198.51.100.1", "Chrome/1 (Linux)");
        equal(3, mails());
    }

    static constexpr char activeBrowsers[] = "SELECT COUNT(*) FROM browser_sessions WHERE ended_at IS NULL";
    /// Signs in at identity's own origin, with a browser session, and returns the access token.
    std::string atIdentity(std::string_view email)
    {
        return _host
            ->login(email, IdentityHost::password, "identity", "", {{"X-Platform-Auth", "1"}, {"Origin", "http://identity.localhost:8080"}})
            .at("/access_token");
    }
    void later() { _host->context().clock().advance(std::chrono::milliseconds(1)); }
    std::string context(std::string_view slug) { return jsonWith(R"(,"organizationId":"$")", _host->organizationId(slug)); }
    TestAnswer get(const std::string& target, const std::string& token, std::string origin = "desk")
    {
        return _host->call({.target = target, .originService = std::move(origin)}, token);
    }
    TestAnswer remove(const std::string& target, const std::string& token, std::string origin = "desk")
    {
        return _host->call({.method = Method::Delete, .target = target, .originService = std::move(origin)}, token);
    }

    std::unique_ptr<IdentityHost> _host;
    std::string _owner;
    std::string _member;
};

} // namespace portico::tests
