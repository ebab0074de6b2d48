#include "identity/IdentityHost.h"

#include "portico/testing/FakeChannels.h"

namespace portico::tests
{

using testing::FakeChannels;

/// The stream that tells an open page what happens to its sign-in.
class SessionEventsTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(SessionEventsTest);
    CPPUNIT_TEST(tellsOfTheEndAndEnds);
    CPPUNIT_TEST(cookiesOpenItToo);
    CPPUNIT_TEST(tellsWhatIsOutOfDate);
    CPPUNIT_TEST(refusesEndedSignIns);
    CPPUNIT_TEST(appsEmbedTheChannel);
    CPPUNIT_TEST(aTicketOfALogoutTellsTheBrowser);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _host->createUser("owner@acme.example", "acme", "owner");
    }
    void tearDown() override { _host.reset(); }

    void tellsOfTheEndAndEnds()
    {
        const auto first = _host->signIn("owner@acme.example");
        const auto second = _host->signIn("owner@acme.example");
        const auto stream = events({}, first);
        const auto other = events({}, second);
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, channels().streams());
        _host->call({.method = Method::Post, .target = "/api/auth/logout", .originService = "desk"}, first);
        const auto text = FakeChannels::sentTo(*stream.live);
        CPPUNIT_ASSERT(text.find("event: session\n") != std::string::npos);
        CPPUNIT_ASSERT(text.find(R"(data: {"state":"ended"})") != std::string::npos);
        CPPUNIT_ASSERT(FakeChannels::sentTo(*other.live).find("ended") == std::string::npos);
        CPPUNIT_ASSERT(text.find("retry: ") != std::string::npos);
        // Whoever ends it from elsewhere is heard as well.
        const auto third = _host->signIn("owner@acme.example");
        _host->call({.method = Method::Delete, .target = "/api/auth/sessions?except=current", .originService = "desk"}, third);
        const auto end = FakeChannels::sentTo(*other.live);
        CPPUNIT_ASSERT(end.find("ended") != std::string::npos && end.find("retry: ") != std::string::npos);
    }

    void cookiesOpenItToo()
    {
        const auto login = _host->browserLogin("owner@acme.example");
        const auto stream = events(login.cookie("platform_refresh"), {});
        CPPUNIT_ASSERT_EQUAL(200, stream.status);
        _host->call({.method = Method::Post, .target = "/api/auth/logout", .originService = "desk"}, login.at("/access_token"));
        const auto end = FakeChannels::sentTo(*stream.live);
        CPPUNIT_ASSERT(end.find("ended") != std::string::npos && end.find("retry: ") != std::string::npos);
    }

    void tellsWhatIsOutOfDate()
    {
        _host->createUser("owner@acme.example", "globex", "member");
        const auto token = _host->signIn("owner@acme.example", "desk", R"(,"organizationId":")" + _host->organizationId("acme") + '"');
        const auto stream = events({}, token);
        _host->call({.method = Method::Put,
                     .target = "/api/auth/context",
                     .body = R"({"kind":"organization","organizationId":")" + _host->organizationId("globex") + "\"}",
                     .originService = "desk"},
                    token);
        const auto text = FakeChannels::sentTo(*stream.live);
        CPPUNIT_ASSERT(text.find("event: principal\n") != std::string::npos);
        const auto revision = _host->count("SELECT MAX(revision) FROM users");
        CPPUNIT_ASSERT(text.find(R"(data: {"revision":)" + std::to_string(revision)) != std::string::npos);
    }

    void refusesEndedSignIns()
    {
        const auto login = _host->browserLogin("owner@acme.example");
        _host->call({.method = Method::Post, .target = "/api/auth/logout", .originService = "desk"}, login.at("/access_token"));
        CPPUNIT_ASSERT_EQUAL(401, events({}, login.at("/access_token")).status);
        CPPUNIT_ASSERT_EQUAL(std::string("session_ended"), events(login.cookie("platform_refresh"), {}).code());
        for (const auto* handle : {"", "prt1.x.y.1.z", "nonsense"}) CPPUNIT_ASSERT_EQUAL(401, events(handle, {}).status);
    }

    void appsEmbedTheChannel()
    {
        const auto login = atHome();
        const auto cookie = "platform_session=" + login.cookie("platform_session");
        const auto page = embed("/session/channel?service_id=desk", cookie);
        CPPUNIT_ASSERT_EQUAL(200, page.status);
        CPPUNIT_ASSERT(page.body.find(R"(data-state="active")") != std::string::npos);
        const auto policy = page.headerBlock();
        CPPUNIT_ASSERT(policy.find("script-src 'sha256-") != std::string::npos);
        CPPUNIT_ASSERT(policy.find("unsafe-inline") == std::string::npos);
        CPPUNIT_ASSERT(policy.find("frame-ancestors https://desk.example http://desk.localhost:8080") != std::string::npos);
        CPPUNIT_ASSERT(embed("/session/channel?service_id=desk", "platform_session=x").body.find(R"(data-state="ended")") !=
                       std::string::npos);
        CPPUNIT_ASSERT_EQUAL(403, embed("/session/channel?service_id=nothing", cookie).status);
        CPPUNIT_ASSERT_EQUAL(400, embed("/session/channel", cookie).status);
    }

    void aTicketOfALogoutTellsTheBrowser()
    {
        const auto login = atHome();
        const auto cookie = "platform_session=" + login.cookie("platform_session");
        for (const auto* target : {"/session/broadcast-logout", "/session/broadcast-logout?lt=x"})
        {
            const auto page = embed(target, cookie);
            CPPUNIT_ASSERT(page.body.find(R"(data-state="active")") != std::string::npos && !page.hasHeader("Set-Cookie"));
        }
        const auto url = _host->call({.method = Method::Post, .target = "/api/auth/logout"}, login.at("/access_token")).at("/broadcastUrl");
        const auto target = url.substr(url.find("/session/"));
        const auto page = embed(target, {});
        CPPUNIT_ASSERT(page.body.find(R"(data-state="ended" data-ended="1")") != std::string::npos);
        CPPUNIT_ASSERT(page.headerBlock().find("platform_session=;") != std::string::npos);
        CPPUNIT_ASSERT(!embed(target, {}).hasHeader("Set-Cookie"));
    }

private:
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

CPPUNIT_TEST_SUITE_REGISTRATION(SessionEventsTest);

} // namespace portico::tests
