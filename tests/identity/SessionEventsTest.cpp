#include "identity/IdentityHost.h"

#include "portico/testing/FakeChannels.h"

namespace portico::tests
{

using testing::FakeChannels;

/// Event stream that notifies an open page of changes to its sign-in.
class SessionEventsTest : public Suite<SessionEventsTest>
{
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _host->createUser("owner@acme.example", "acme", "owner");
    }
    void tearDown() override { _host.reset(); }

    TEST(announcesTheEndAndCloses)
    {
        const auto first = _host->signIn("owner@acme.example");
        const auto second = _host->signIn("owner@acme.example");
        const auto stream = events({}, first);
        const auto other = events({}, second);
        equal(2, channels().streams());
        _host->call({.method = Method::Post, .target = "/api/auth/logout", .originService = "desk"}, first);
        const auto text = FakeChannels::sentTo(*stream.live);
        CHECK(text.find("event: session\n") != std::string::npos);
        CHECK(text.find(R"(data: {"state":"ended"})") != std::string::npos);
        CHECK(FakeChannels::sentTo(*other.live).find("ended") == std::string::npos);
        CHECK(text.find("retry: ") != std::string::npos);
        // The end is also reported if another session causes it.
        const auto third = _host->signIn("owner@acme.example");
        _host->call({.method = Method::Delete, .target = "/api/auth/sessions?except=current", .originService = "desk"}, third);
        const auto end = FakeChannels::sentTo(*other.live);
        CHECK(end.find("ended") != std::string::npos && end.find("retry: ") != std::string::npos);
    }

    TEST(cookiesOpenItToo)
    {
        const auto login = _host->browserLogin("owner@acme.example");
        const auto stream = events(login.cookie("platform_refresh"), {});
        equal(200, stream.status);
        _host->call({.method = Method::Post, .target = "/api/auth/logout", .originService = "desk"}, login.at("/access_token"));
        const auto end = FakeChannels::sentTo(*stream.live);
        CHECK(end.find("ended") != std::string::npos && end.find("retry: ") != std::string::npos);
    }

    TEST(announcesStaleData)
    {
        _host->createUser("owner@acme.example", "globex", "member");
        const auto token = _host->signIn("owner@acme.example", "desk", jsonWith(R"(,"organizationId":"$")", _host->organizationId("acme")));
        const auto stream = events({}, token);
        _host->call({.method = Method::Put,
                     .target = "/api/auth/context",
                     .body = jsonWith(R"({"kind":"organization","organizationId":"$"})", _host->organizationId("globex")),
                     .originService = "desk"},
                    token);
        const auto text = FakeChannels::sentTo(*stream.live);
        CHECK(text.find("event: principal\n") != std::string::npos);
        const auto revision = _host->count("SELECT MAX(revision) FROM users");
        CHECK(text.find(R"(data: {"revision":)" + std::to_string(revision)) != std::string::npos);
    }

    TEST(refusesEndedSignIns)
    {
        const auto login = _host->browserLogin("owner@acme.example");
        _host->call({.method = Method::Post, .target = "/api/auth/logout", .originService = "desk"}, login.at("/access_token"));
        equal(401, events({}, login.at("/access_token")).status);
        equal("session_ended", events(login.cookie("platform_refresh"), {}).code());
        for (const auto* handle : {"", "prt1.x.y.1.z", "nonsense"}) equal(401, events(handle, {}).status);
    }

    TEST(appsEmbedTheChannel)
    {
        const auto login = atHome();
        const auto cookie = "platform_session=" + login.cookie("platform_session");
        const auto page = embed("/session/channel?service_id=desk", cookie);
        equal(200, page.status);
        CHECK(page.body.find(R"(data-state="active")") != std::string::npos);
        const auto policy = page.headerBlock();
        CHECK(policy.find("script-src 'sha256-") != std::string::npos);
        CHECK(policy.find("unsafe-inline") == std::string::npos);
        CHECK(policy.find("frame-ancestors https://desk.example http://desk.localhost:8080") != std::string::npos);
        CHECK(embed("/session/channel?service_id=desk", "platform_session=x").body.find(R"(data-state="ended")") != std::string::npos);
        equal(403, embed("/session/channel?service_id=nothing", cookie).status);
        // A preview is listed when it embeds the page; other origins are not.
        auto manifest = IdentityHost::deskManifest();
        manifest.insert(manifest.find('{') + 1, R"("previewOriginPatterns":["https://desk-*.preview.example"],)");
        _host->publish({IdentityHost::identityManifest(), manifest});
        const auto from = [&](const std::string& url) {
            return _host->call({.target = "/session/channel?service_id=desk", .headers = {{"Referer", url}}, .originService = "identity"});
        };
        CHECK(from("https://desk-42.preview.example/").headerBlock().find(" https://desk-42.preview.example") != std::string::npos);
        equal(200, from("https://desk.example/tickets").status);
        for (const auto* foreign : {"https://desk-.preview.example/", "https://desk-a.b.preview.example/", "https://evil.example/",
                                    "https://desk-a.preview.example.evil.example/"})
            equal(403, from(foreign).status, foreign);
        CHECK(from("https://desk-a;.preview.example/").headerBlock().find("preview.example") == std::string::npos);
        equal(400, embed("/session/channel", cookie).status);
    }

    TEST(aTicketOfALogoutNotifiesTheBrowser)
    {
        const auto login = atHome();
        const auto cookie = "platform_session=" + login.cookie("platform_session");
        for (const auto* target : {"/session/broadcast-logout", "/session/broadcast-logout?lt=x"})
        {
            const auto page = embed(target, cookie);
            CHECK(page.body.find(R"(data-state="active")") != std::string::npos && !page.hasHeader("Set-Cookie"));
        }
        const auto url = _host->call({.method = Method::Post, .target = "/api/auth/logout"}, login.at("/access_token")).at("/broadcastUrl");
        const auto target = url.substr(url.find("/session/"));
        const auto page = embed(target, cookie);
        CHECK(page.body.find(R"(data-state="ended" data-ended="1")") != std::string::npos);
        CHECK(page.headerBlock().find("platform_session=;") != std::string::npos);
        CHECK(page.headerBlock().find("platform_refresh=;") == std::string::npos);
        CHECK(!embed(target, cookie).hasHeader("Set-Cookie"));
    }

    /// A link or a frame on another site, with a ticket of its author's: browsers send no strict cookies with it, and would clear them.
    TEST(aTicketOnAnotherSiteClearsNothing)
    {
        for (const auto* destination : {"document", "iframe", "image", ""})
        {
            const auto url =
                _host->call({.method = Method::Post, .target = "/api/auth/logout"}, atHome().at("/access_token")).at("/broadcastUrl");
            const auto page = _host->call({.target = url.substr(url.find("/session/")),
                                           .headers = {{"Sec-Fetch-Dest", destination}, {"Sec-Fetch-Site", "cross-site"}}});
            equal(200, page.status, destination);
            CPPUNIT_ASSERT_MESSAGE(destination, !page.hasHeader("Set-Cookie"));
        }
    }

    TEST(aTicketIsOfTheBrowserThatSignedOut)
    {
        const auto mine = "platform_session=" + atHome().cookie("platform_session");
        const auto staysSignedIn = [&](const TestAnswer& theirs, const std::string& scope)
        {
            const auto out =
                _host->call({.method = Method::Post, .target = "/api/auth/logout", .body = jsonWith(R"({"scope":"$"})", scope)},
                            theirs.at("/access_token"));
            const auto url = out.at("/broadcastUrl");
            const auto page = embed(url.substr(url.find("/session/")), mine);
            CHECK(page.body.find(R"(data-state="active" data-ended="")") != std::string::npos && !page.hasHeader("Set-Cookie"));
        };
        staysSignedIn(atHome(), "browser");
        // Also applies if only one app has signed out.
        const auto other = atHome();
        const auto cookie = "platform_session=" + other.cookie("platform_session");
        const auto out =
            _host->call({.method = Method::Post, .target = "/api/auth/logout", .body = R"({"scope":"app"})"}, other.at("/access_token"));
        const auto url = out.at("/broadcastUrl");
        CHECK(!embed(url.substr(url.find("/session/")), cookie).hasHeader("Set-Cookie"));
        CHECK(embed("/session/channel?service_id=desk", cookie).body.find(R"(data-state="active")") != std::string::npos);
    }

    TEST(aProofReplacesWhatTheBrowserIsKnownBy)
    {
        const auto login = atHome();
        const auto state = [&](const std::string& handle)
        {
            const auto page = embed("/session/channel?service_id=desk", "platform_session=" + handle);
            return between(page.body, "data-state=\"", "\"");
        };
        const auto send = [&](Method method, const std::string& target, const std::string& body, const std::string& handle)
        {
            return _host->call({.method = method,
                                .target = target,
                                .body = body,
                                .headers = {{"Cookie", "platform_session=" + handle}},
                                .originService = "identity"},
                               login.at("/access_token"));
        };
        const auto first = login.cookie("platform_session");
        const std::string proof = jsonWith(R"({"factor":"password","password":"$"})", IdentityHost::password);
        const auto raised = send(Method::Post, "/api/auth/step-up", proof, first);
        equal(200, raised.status, raised.body);
        const auto second = raised.cookie("platform_session");
        CHECK(!second.empty() && second != first);
        // Requests sent before the answer arrived are accepted; later the old handle is invalid.
        equal("active", state(first));
        CHECK(send(Method::Post, "/api/auth/step-up", proof, first).cookie("platform_session").empty());
        _host->context().clock().advance(std::chrono::seconds(31));
        equal("ended", state(first));
        equal("active", state(second));
        const auto moved = send(Method::Put, "/api/auth/context", R"({"kind":"personal"})", second);
        equal(200, moved.status, moved.body);
        equal("active", state(moved.cookie("platform_session")));
        // A step-up does not replace the handle of another browser.
        const auto others = atHome().cookie("platform_session");
        CHECK(send(Method::Post, "/api/auth/step-up", proof, others).cookie("platform_session").empty());
        equal("active", state(others));
    }

    static std::string between(const std::string& text, std::string_view before, std::string_view after)
    {
        const auto from = text.find(before);
        if (from == std::string::npos) return {};
        const auto begin = from + before.size();
        return text.substr(begin, text.find(after, begin) - begin);
    }
    TestAnswer atHome()
    {
        return _host->login("owner@acme.example", IdentityHost::password, "identity", "",
                            {{"X-Platform-Auth", "1"}, {"Origin", "http://identity.localhost:8080"}});
    }
    TestAnswer embed(const std::string& target, const std::string& cookie)
    {
        return _host->call({.target = target, .headers = {{"Cookie", cookie}}, .originService = "identity"});
    }
    FakeChannels& channels() { return _host->context().channels(); }
    TestAnswer events(const std::string& cookie, const std::string& token)
    {
        TestRequest request{.target = "/api/auth/session-events", .originService = "desk"};
        if (!cookie.empty()) request.headers.emplace_back("Cookie", "platform_refresh=" + cookie);
        return _host->call(std::move(request), token);
    }

    std::unique_ptr<IdentityHost> _host;
};

} // namespace portico::tests
