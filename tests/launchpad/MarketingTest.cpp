#include "launchpad/LaunchpadFixture.h"

#include "marketing/AdminPage.h"
#include "marketing/CheckoutPages.h"
#include "marketing/ClaimPages.h"

#include "common/Csv.h"
#include "portico/interfaces/PersonalData.h"

#include <atomic>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace portico::tests
{

using testing::FakeCalls;

/// Pages for visitors, the waitlist, demos and their administration.
class MarketingTest : public LaunchpadFixture
{
    CPPUNIT_TEST_SUITE(MarketingTest);
    CPPUNIT_TEST(showsFourPagesWithoutScripts);
    CPPUNIT_TEST(translatesEveryPage);
    CPPUNIT_TEST(showsMinimumPrices);
    CPPUNIT_TEST(redirectsDevelopers);
    CPPUNIT_TEST(answersRepeatedEntriesAlike);
    CPPUNIT_TEST(rejectsEntriesWithoutConsentOrProof);
    CPPUNIT_TEST(isClosedWhileIdentityIsAway);
    CPPUNIT_TEST(limitsFormsPerAddress);
    CPPUNIT_TEST(joinsByTheForm);
    CPPUNIT_TEST(rejectsFormsOfOtherSites);
    CPPUNIT_TEST(showsTheWidgetOfAProvider);
    CPPUNIT_TEST(storesADemoWithoutACalendar);
    CPPUNIT_TEST(reservesADemoInTheCalendar);
    CPPUNIT_TEST(refusesATimeThatIsTaken);
    CPPUNIT_TEST(storesNothingWhileTheCalendarIsAway);
    CPPUNIT_TEST(reservesASlotOnceForManyVisitors);
    CPPUNIT_TEST(beginsAnAdminSessionForOperators);
    CPPUNIT_TEST(endsTheAdminSessionWithTheSignIn);
    CPPUNIT_TEST(listsAndChangesWhatVisitorsLeft);
    CPPUNIT_TEST(exportsForSpreadsheets);
    CPPUNIT_TEST(changesAStatusByThePage);
    CPPUNIT_TEST(exportsAndForgetsAVisitorByAddress);
    CPPUNIT_TEST_SUITE_END();

public:
    static constexpr auto slotStart = "2026-11-24T09:00:00.000Z";
    static constexpr auto waitlistPath = "/api/public/waitlist";
    static constexpr auto demoPath = "/api/public/demo-bookings";

    void setUp() override
    {
        LaunchpadFixture::setUp();
        serveNeighbours();
    }
    void tearDown() override
    {
        settings.config.clear();
        LaunchpadFixture::tearDown();
    }
    void serveNeighbours()
    {
        host->context().calls().answer([this](const Call& call)
                                       { return call.service == "identity" ? checkProof(call) : inCalendar(call); });
    }
    void withCalendar()
    {
        settings.config["launchpad.demo.host"] = "ada";
        LaunchpadFixture::setUp();
        serveNeighbours();
    }

    CallResult checkProof(const Call& call) const
    {
        if (call.request.url.starts_with("/api/public/human-verification?")) return FakeCalls::responding(200, challenge);
        if (identityIsAway) return FakeCalls::failing(CallResult::Outcome::NotReached);
        if (call.request.body.find("\"payload\":\"good\"") != std::string::npos) return FakeCalls::responding(204);
        if (call.request.body.find("\"payload\"") == std::string::npos)
            return FakeCalls::responding(428, R"({"code":"human_verification_required","detail":"Solve the challenge."})");
        return FakeCalls::responding(400, R"({"code":"human_verification_failed","detail":"Not solved."})");
    }
    CallResult inCalendar(const Call& call)
    {
        const auto& url = call.request.url;
        if (calendarIsAway) return FakeCalls::failing(CallResult::Outcome::TimedOut);
        if (url == "/api/public/ada")
            return FakeCalls::responding(200, R"({"handle":"ada","eventTypes":[{"slug":"intro"},{"slug":"other"}]})");
        if (url.starts_with("/api/public/ada/intro/availability?"))
            return FakeCalls::responding(200,
                                         std::string(R"({"slots":[{"start":")") + slotStart + R"(","end":"2026-11-24T09:30:00.000Z"}]})");
        const std::lock_guard lock(_mutex);
        if (url == "/api/public/ada/intro/hold")
        {
            if (!_held.insert(call.request.body.substr(0, call.request.body.find(','))).second)
                return FakeCalls::responding(409, R"({"code":"slot_held","detail":"Held."})");
            return FakeCalls::responding(201, R"({"holdId":"hld_1","holdToken":"secret","start":"2026-11-24T09:00:00.000Z"})");
        }
        if (url == "/api/public/ada/intro/confirm")
            return FakeCalls::responding(
                201, R"({"booking":{"bookingId":"bkg_1","status":"confirmed"},"manageUrl":"https://calendar.example/m?token=t"})");
        return FakeCalls::responding(404, R"({"code":"not_found"})");
    }

    static std::string entry(std::string_view email, std::string_view more = R"(,"humanVerification":{"provider":"pow","payload":"good"})")
    {
        return R"({"consent":true,"email":")" + std::string(email) + '"' + std::string(more) + '}';
    }
    static std::string demoBody(std::string_view more = {})
    {
        return R"({"name":"Ada","email":"ada@visitor.example","company":"Engines","humanVerification":{"provider":"pow","payload":"good"})" +
               std::string(more) + '}';
    }
    static std::string slot() { return std::string(R"(,"slot":{"start":")") + slotStart + R"(","timezone":"Europe/London"})"; }

    std::int64_t rows(std::string_view table) const
    {
        return *host->context().database().session().value<std::int64_t>("SELECT count(*) FROM " + std::string(table));
    }

    void showsFourPagesWithoutScripts()
    {
        for (const auto* path : {"/", "/pricing", "/portfolio", "/developers"})
        {
            const auto page = visitor(Method::Get, path);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(path, 200, page.status);
            CPPUNIT_ASSERT_EQUAL(std::string("text/html; charset=utf-8"), page.contentType);
            CPPUNIT_ASSERT_MESSAGE(page.body, page.body.find("<script") == std::string::npos);
            CPPUNIT_ASSERT_MESSAGE(page.body, page.body.find("<h1>") != std::string::npos);
        }
        CPPUNIT_ASSERT(visitor(Method::Get, "/portfolio").body.find("<h2>crm</h2>") != std::string::npos);
        CPPUNIT_ASSERT(visitor(Method::Get, "/developers").body.find("href=\"/developers/signup\"") != std::string::npos);
    }

    void translatesEveryPage()
    {
        const auto page = visitor(Method::Get, "/pricing", {}, "192.0.2.1", {{"Accept-Language", "de-AT"}});
        CPPUNIT_ASSERT(page.body.find("lang=\"de\"") != std::string::npos && page.body.find("ab 49.00 USD pro Platz") != std::string::npos);
        // Binds all pages as the plugin does.
        auto& context = host->context();
        launchpad::PageShelf shelf(context);
        const launchpad::Registry apps(context);
        const launchpad::PriceList prices(context.config());
        const launchpad::BillingSettings billing(context.config());
        const launchpad::HumanChecks humans(context);
        const launchpad::DemoCalendar calendar(context);
        const launchpad::Leads leads(context, humans, calendar);
        const launchpad::MarketingPages pages(context, shelf, apps, prices, billing, humans, leads, calendar);
        const launchpad::AdminSessions sessions(context);
        const launchpad::AdminRoutes changes(context, sessions);
        const launchpad::ProcessorApi processor(context, billing);
        launchpad::ActionQueue actions(context);
        const launchpad::PlanEffects effects(context, billing, apps, actions);
        const launchpad::SubscriptionSync sync(context, processor, effects);
        const launchpad::CheckoutService checkouts(context, billing, prices, apps, processor, sync, effects);
        const launchpad::CheckoutPages buying(context, shelf, apps, prices, billing, checkouts);
        const launchpad::ClaimPages claiming(context, shelf, billing, checkouts);
        const launchpad::AdminPage lists(context, shelf, sessions, changes, checkouts);
        for (const auto& finding : shelf.pages.templates().findings()) CPPUNIT_FAIL(finding);
    }

    void showsMinimumPrices()
    {
        const auto page = visitor(Method::Get, "/pricing").body;
        for (const auto* text :
             {"3 apps", "5 apps", "10 apps", "All apps", "from 49.00 USD per seat", "from 490.00 USD per seat", "href=\"/sales\""})
            CPPUNIT_ASSERT_MESSAGE(text, page.find(text) != std::string::npos);
    }

    void redirectsDevelopers()
    {
        settings.config["launchpad.developerAppUrl"] = "https://developers.example";
        LaunchpadFixture::setUp();
        const auto answer = visitor(Method::Get, "/developers/signup");
        CPPUNIT_ASSERT_EQUAL(302, answer.status);
        CPPUNIT_ASSERT_EQUAL(std::string("https://developers.example/signup"), locationOf(answer));
    }

    void answersRepeatedEntriesAlike()
    {
        const auto first = visitor(Method::Post, waitlistPath, entry("Ada@Visitor.example"));
        const auto again =
            visitor(Method::Post, waitlistPath,
                    entry("ada@visitor.EXAMPLE", R"(,"name":"Other","humanVerification":{"provider":"pow","payload":"good"})"));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(first.body, 202, first.status);
        CPPUNIT_ASSERT_EQUAL(first.body, again.body);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, rows("waitlist_entry"));
    }

    void rejectsEntriesWithoutConsentOrProof()
    {
        assertProblem(visitor(Method::Post, waitlistPath, R"({"email":"a@b.example","consent":false})"), 400, "validation_failed");
        assertProblem(visitor(Method::Post, waitlistPath, R"({"email":"no address","consent":true})"), 400, "validation_failed");
        assertProblem(visitor(Method::Post, waitlistPath, entry("a@b.example", {})), 428, "human_verification_required");
        assertProblem(
            visitor(Method::Post, waitlistPath, entry("a@b.example", R"(,"humanVerification":{"provider":"pow","payload":"bad"})")), 400,
            "human_verification_failed");
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, rows("waitlist_entry"));
    }

    void isClosedWhileIdentityIsAway()
    {
        identityIsAway = true;
        assertProblem(visitor(Method::Post, waitlistPath, entry("a@b.example")), 503, "validation_unavailable");
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, rows("waitlist_entry"));
    }

    void limitsFormsPerAddress()
    {
        for (int i = 0; i < 5; ++i)
            CPPUNIT_ASSERT_EQUAL(202, visitor(Method::Post, waitlistPath, entry("a@b.example"), "2001:db8::1").status);
        assertProblem(visitor(Method::Post, waitlistPath, entry("a@b.example"), "2001:db8:0:1::2"), 429, "rate_limited");
        CPPUNIT_ASSERT_EQUAL(202, visitor(Method::Post, waitlistPath, entry("a@b.example"), "2001:db8:1::1").status);
        CPPUNIT_ASSERT_EQUAL(201, visitor(Method::Post, demoPath, demoBody(), "2001:db8::1").status);
    }

    void joinsByTheForm()
    {
        const auto page = visitor(Method::Get, "/waitlist").body;
        CPPUNIT_ASSERT(page.find("<noscript>") != std::string::npos);
        const auto sent = sendForm("/waitlist", "email=ada%40visitor.example&consent=true&proof=good");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(sent.body, 303, sent.status);
        CPPUNIT_ASSERT_EQUAL(std::string("/waitlist?sent=1"), locationOf(sent));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, rows("waitlist_entry"));
        const auto wrong = sendForm("/waitlist", "email=ada&name=%3Cb%3E&proof=good");
        CPPUNIT_ASSERT_EQUAL(400, wrong.status);
        CPPUNIT_ASSERT(wrong.body.find("Enter a complete email address.") != std::string::npos);
        CPPUNIT_ASSERT(wrong.body.find("value=\"&lt;b&gt;\"") != std::string::npos);
        const auto bot = sendForm("/waitlist", "email=bot%40visitor.example&consent=true");
        CPPUNIT_ASSERT_EQUAL(428, bot.status);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, rows("waitlist_entry"));
    }

    void rejectsFormsOfOtherSites()
    {
        const auto answer = visitor(Method::Post, "/waitlist", "email=a%40b.example&consent=true&proof=good&form_token=x", "192.0.2.1",
                                    {{"Content-Type", "application/x-www-form-urlencoded"}});
        CPPUNIT_ASSERT_EQUAL(403, answer.status);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, rows("waitlist_entry"));
    }

    void showsTheWidgetOfAProvider()
    {
        const auto own = visitor(Method::Get, "/waitlist");
        CPPUNIT_ASSERT(own.body.find("data-widget") == std::string::npos);
        CPPUNIT_ASSERT(own.headerBlock().find("cloudflare") == std::string::npos);
        challenge = R"({"provider":"turnstile","siteKey":"site<1>"})";
        CPPUNIT_ASSERT_MESSAGE("identity is asked once a minute",
                               visitor(Method::Get, "/waitlist").body.find("data-widget") == std::string::npos);
        advance(std::chrono::minutes(1));
        for (const auto* path : {"/waitlist", "/demo", "/sales"})
        {
            const auto page = visitor(Method::Get, path);
            CPPUNIT_ASSERT_MESSAGE(page.body, page.body.find("data-site-key=\"site&lt;1&gt;\"") != std::string::npos);
            const auto headers = page.headerBlock();
            for (const auto* source :
                 {"script-src 'self' https://challenges.cloudflare.com;", "frame-src https://challenges.cloudflare.com"})
                CPPUNIT_ASSERT_MESSAGE(headers, headers.find(source) != std::string::npos);
        }
        const auto sent = sendForm("/waitlist", "email=ada%40visitor.example&consent=true&provider=turnstile&proof=good");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(sent.body, 303, sent.status);
        CPPUNIT_ASSERT(host->context().calls().calls().back().request.body.find(R"("provider":"turnstile")") != std::string::npos);
    }

    void storesADemoWithoutACalendar()
    {
        const auto made = visitor(Method::Post, demoPath, demoBody(R"(,"package":"enterprise","teamSize":40)"));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(made.body, 201, made.status);
        CPPUNIT_ASSERT_EQUAL(std::string("requested"), made.at("/status"));
        CPPUNIT_ASSERT(made.at("/bookingId").starts_with("dmo_"));
        assertProblem(visitor(Method::Post, demoPath, demoBody(slot())), 400, "validation_failed");
        assertProblem(visitor(Method::Post, demoPath, demoBody(R"(,"package":"five")")), 400, "validation_failed");
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, rows("demo_booking"));
    }

    void reservesADemoInTheCalendar()
    {
        withCalendar();
        CPPUNIT_ASSERT_EQUAL(std::string(slotStart), visitor(Method::Get, "/api/public/demo-times").at("/times/0"));
        CPPUNIT_ASSERT(visitor(Method::Get, "/demo").body.find(std::string("value=\"") + slotStart) != std::string::npos);
        const auto made = visitor(Method::Post, demoPath, demoBody(slot()));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(made.body, 201, made.status);
        CPPUNIT_ASSERT_EQUAL(std::string("confirmed"), made.at("/status"));
        CPPUNIT_ASSERT_EQUAL(std::string("https://calendar.example/m?token=t"), made.at("/manageUrl"));
        const auto sent = host->context().calls().calls();
        CPPUNIT_ASSERT_EQUAL(std::string("/api/public/ada/intro/confirm"), sent.back().request.url);
        CPPUNIT_ASSERT(sent.back().request.body.find(
                           R"("guest":{"name":"Ada","email":"ada@visitor.example","timeZone":"Europe/London"})") != std::string::npos);
    }

    void refusesATimeThatIsTaken()
    {
        withCalendar();
        CPPUNIT_ASSERT_EQUAL(201, visitor(Method::Post, demoPath, demoBody(slot())).status);
        assertProblem(visitor(Method::Post, demoPath, demoBody(slot())), 409, "slot_taken");
        const auto page = sendForm("/demo", std::string("name=A&email=a%40b.example&company=C&proof=good&slot=") + slotStart);
        CPPUNIT_ASSERT_EQUAL(409, page.status);
        CPPUNIT_ASSERT(page.body.find("This time is no longer available.") != std::string::npos);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, rows("demo_booking"));
    }

    void storesNothingWhileTheCalendarIsAway()
    {
        withCalendar();
        calendarIsAway = true;
        assertProblem(visitor(Method::Post, demoPath, demoBody(slot())), 503, "calendar_unavailable");
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, rows("demo_booking"));
        CPPUNIT_ASSERT_EQUAL(201, visitor(Method::Post, demoPath, demoBody()).status);
        CPPUNIT_ASSERT_EQUAL(200, visitor(Method::Get, "/demo").status);
    }

    void reservesASlotOnceForManyVisitors()
    {
        withCalendar();
        constexpr int visitors = 200, threads = 8;
        std::atomic<int> next{0}, made{0}, taken{0};
        std::vector<std::thread> all;
        for (int i = 0; i < threads; ++i)
            all.emplace_back(
                [&]
                {
                    for (auto number = next++; number < visitors; number = next++)
                    {
                        const auto answer = visitor(Method::Post, demoPath, demoBody(slot()), "198.51.100." + std::to_string(number));
                        if (answer.status == 201) ++made;
                        if (answer.code() == "slot_taken") ++taken;
                    }
                });
        for (auto& each : all) each.join();
        CPPUNIT_ASSERT_EQUAL(1, made.load());
        CPPUNIT_ASSERT_EQUAL(visitors - 1, taken.load());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, rows("demo_booking"));
    }

    // Administration.
    Caller operatorOf()
    {
        auto caller = newPerson("member");
        caller.platformBypass = true;
        caller.platformRole = "platform_admin";
        return caller;
    }
    /// Cookies of an operator's browser with an admin session.
    std::string adminCookies()
    {
        const auto person = operatorOf();
        const auto begun = made(post(person, "/api/admin-session"));
        return signInCookie(person) + "; " + cookieName("marketing_admin") + '=' + begun.cookie(cookieName("marketing_admin"));
    }
    testing::TestAnswer adminCall(Method method, std::string_view target, const std::string& cookies, std::string_view body = {}) const
    {
        return visitor(method, target, body, "192.0.2.1", {{"Cookie", cookies}});
    }

    void beginsAnAdminSessionForOperators()
    {
        assertProblem(post(owner, "/api/admin-session"), 403, "permission_denied");
        const auto cookies = adminCookies();
        const auto session = adminCall(Method::Get, "/api/admin-session", cookies);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(session.body, 200, session.status);
        CPPUNIT_ASSERT_EQUAL(std::string("2026-11-23T16:00:00.000Z"), session.at("/expiresAt"));
        CPPUNIT_ASSERT_EQUAL(204, adminCall(Method::Delete, "/api/admin-session", cookies).status);
        assertProblem(adminCall(Method::Get, "/api/admin/waitlist", cookies), 401, "session_ended");
        assertProblem(visitor(Method::Get, "/api/admin/waitlist"), 401, "authentication_required");
        assertProblem(visitor(Method::Delete, "/api/admin-session"), 401, "authentication_required");
    }

    void endsTheAdminSessionWithTheSignIn()
    {
        const auto cookies = adminCookies();
        CPPUNIT_ASSERT_EQUAL(200, adminCall(Method::Get, "/api/admin/waitlist", cookies).status);
        auto demoted = *signIns->cookies["handle"];
        demoted.platformBypass = false;
        signIns->cookies["handle"] = std::make_shared<const Caller>(demoted);
        assertProblem(adminCall(Method::Get, "/api/admin/waitlist", cookies), 403, "permission_denied");
        signIns->cookies.clear();
        assertProblem(adminCall(Method::Get, "/api/admin/waitlist", cookies), 401, "session_ended");
        advance(std::chrono::hours(9));
        assertProblem(adminCall(Method::Get, "/api/admin/waitlist", cookies), 401, "session_ended");
    }

    void listsAndChangesWhatVisitorsLeft()
    {
        visitor(Method::Post, waitlistPath, entry("first@visitor.example"));
        advance(std::chrono::seconds(1));
        visitor(Method::Post, waitlistPath, entry("second@visitor.example"));
        const auto cookies = adminCookies();
        const auto list = adminCall(Method::Get, "/api/admin/waitlist?limit=1", cookies);
        CPPUNIT_ASSERT_EQUAL(std::string("second@visitor.example"), list.at("/items/0/email"));
        CPPUNIT_ASSERT(list.at("/nextCursor") != "null");
        const auto path = "/api/admin/waitlist/" + list.at("/items/0/id");
        assertProblem(adminCall(Method::Patch, path, cookies, R"({"status":"joined"})"), 409, "invalid_transition");
        CPPUNIT_ASSERT_EQUAL(std::string("invited"), adminCall(Method::Patch, path, cookies, R"({"status":"invited"})").at("/status"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, adminCall(Method::Get, "/api/admin/waitlist?status=invited,joined", cookies).count("/items"));
        assertProblem(adminCall(Method::Patch, path, cookies, R"({"status":"waiting"})"), 409, "invalid_transition");
        visitor(Method::Post, demoPath, demoBody());
        const auto demo = adminCall(Method::Get, "/api/admin/demo-bookings", cookies).at("/items/0/id");
        CPPUNIT_ASSERT_EQUAL(200, adminCall(Method::Patch, "/api/admin/demo-bookings/" + demo, cookies, R"({"status":"done"})").status);
        assertProblem(adminCall(Method::Patch, "/api/admin/demo-bookings/" + demo, cookies, R"({"status":"canceled"})"), 409,
                      "invalid_transition");
    }

    void exportsForSpreadsheets()
    {
        visitor(
            Method::Post, waitlistPath,
            entry("a@b.example", R"x(,"name":"=cmd()","company":"A \"B\", C","humanVerification":{"provider":"pow","payload":"good"})x"));
        const auto file = adminCall(Method::Get, "/api/admin/waitlist.csv", adminCookies());
        CPPUNIT_ASSERT_EQUAL(std::string("text/csv; charset=utf-8"), file.contentType);
        CPPUNIT_ASSERT(file.body.find(R"x("a@b.example","'=cmd()","A ""B"", C")x") != std::string::npos);
        std::string text;
        launchpad::addCsvRow(text, {"-1", "+1", "@x", "", "plain"});
        CPPUNIT_ASSERT_EQUAL(std::string("\"'-1\",\"'+1\",\"'@x\",\"\",\"plain\"\r\n"), text);
    }

    void changesAStatusByThePage()
    {
        visitor(Method::Post, waitlistPath, entry("a@b.example"));
        const auto login = visitor(Method::Get, "/admin/marketing");
        CPPUNIT_ASSERT_EQUAL(303, login.status);
        CPPUNIT_ASSERT_EQUAL(std::string("/login?return_to=/admin/marketing"), locationOf(login));
        const auto page = visitor(Method::Get, "/admin/marketing", {}, "192.0.2.1", {{"Cookie", signInCookie(owner)}});
        CPPUNIT_ASSERT_EQUAL(403, page.status);
        const auto cookies = adminCookies();
        const auto list = adminCall(Method::Get, "/api/admin/waitlist", cookies);
        const auto sent = sendForm("/admin/marketing", "id=" + list.at("/items/0/id") + "&status=invited", cookies);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(sent.body, 303, sent.status);
        CPPUNIT_ASSERT_EQUAL(std::string("invited"), adminCall(Method::Get, "/api/admin/waitlist", cookies).at("/items/0/status"));
        CPPUNIT_ASSERT_EQUAL(409, sendForm("/admin/marketing", "id=" + list.at("/items/0/id") + "&status=waiting", cookies).status);
    }

    void exportsAndForgetsAVisitorByAddress()
    {
        visitor(Method::Post, waitlistPath, entry("Ada@Visitor.example"));
        visitor(Method::Post, waitlistPath, entry("other@visitor.example"));
        visitor(Method::Post, demoPath, demoBody());
        auto& data = *host->context().services().provided<interfaces::PersonalData>();
        const interfaces::Person person{"usr_" + makeUlid(Instant{}), "ada@visitor.EXAMPLE", {}};
        std::set<std::string> kinds;
        const auto collect = [&](std::string_view kind, std::string_view) { kinds.emplace(kind); };
        data.give(person, collect);
        CPPUNIT_ASSERT(kinds == (std::set<std::string>{"waitlist", "demos"}));
        for (int i = 0; i < 2; ++i) data.forget(person);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, rows("waitlist_entry"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, rows("demo_booking"));
    }

    bool identityIsAway = false;
    /// Answer of identity to a request for a challenge.
    std::string challenge = R"({"provider":"pow","signature":"s"})";
    bool calendarIsAway = false;

private:
    std::mutex _mutex;
    std::set<std::string> _held;
};

CPPUNIT_TEST_SUITE_REGISTRATION(MarketingTest);

} // namespace portico::tests
