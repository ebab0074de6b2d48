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
class MarketingTest : public Suite<MarketingTest, LaunchpadFixture>
{
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
        return jsonWith(R"({"consent":true,"email":"$"$})", email, more);
    }
    static std::string demoBody(std::string_view more = {})
    {
        return jsonWith(
            R"({"name":"Ada","email":"ada@visitor.example","company":"Engines","humanVerification":{"provider":"pow","payload":"good"}$})",
            more);
    }
    static std::string slot() { return std::string(R"(,"slot":{"start":")") + slotStart + R"(","timezone":"Europe/London"})"; }

    std::int64_t rows(std::string_view table) const
    {
        return *host->context().database().session().value<std::int64_t>("SELECT count(*) FROM " + std::string(table));
    }

    TEST(showsFourPagesWithoutScripts)
    {
        for (const auto* path : {"/", "/pricing", "/portfolio", "/developers"})
        {
            const auto page = visitor(Method::Get, path);
            equal(200, page.status, path);
            equal("text/html; charset=utf-8", page.contentType);
            CPPUNIT_ASSERT_MESSAGE(page.body, page.body.find("<script") == std::string::npos);
            CPPUNIT_ASSERT_MESSAGE(page.body, page.body.find("<h1>") != std::string::npos);
        }
        CHECK(visitor(Method::Get, "/portfolio").body.find("<h2>crm</h2>") != std::string::npos);
        CHECK(visitor(Method::Get, "/developers").body.find("href=\"/developers/signup\"") != std::string::npos);
    }

    TEST(translatesEveryPage)
    {
        const auto page = visitor(Method::Get, "/pricing", {}, "192.0.2.1", {{"Accept-Language", "de-AT"}});
        CHECK(page.body.find("lang=\"de\"") != std::string::npos && page.body.find("ab 49\xc2\xa0$ pro Platz") != std::string::npos);
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

    TEST(showsMinimumPrices)
    {
        const auto page = visitor(Method::Get, "/pricing").body;
        for (const auto* text : {"3 apps", "5 apps", "10 apps", "All apps", "from $49 per seat", "from $490 per seat", "href=\"/sales\""})
            CPPUNIT_ASSERT_MESSAGE(text, page.find(text) != std::string::npos);
    }

    TEST(redirectsDevelopers)
    {
        settings.config["launchpad.developerAppUrl"] = "https://developers.example";
        LaunchpadFixture::setUp();
        const auto answer = visitor(Method::Get, "/developers/signup");
        equal(302, answer.status);
        equal("https://developers.example/signup", locationOf(answer));
    }

    TEST(answersRepeatedEntriesAlike)
    {
        const auto first = visitor(Method::Post, waitlistPath, entry("Ada@Visitor.example"));
        const auto again =
            visitor(Method::Post, waitlistPath,
                    entry("ada@visitor.EXAMPLE", R"(,"name":"Other","humanVerification":{"provider":"pow","payload":"good"})"));
        equal(202, first.status, first.body);
        equal(first.body, again.body);
        equal(1, rows("waitlist_entry"));
    }

    TEST(rejectsEntriesWithoutConsentOrProof)
    {
        refused(visitor(Method::Post, waitlistPath, R"({"email":"a@b.example","consent":false})"), 400, "validation_failed");
        refused(visitor(Method::Post, waitlistPath, R"({"email":"no address","consent":true})"), 400, "validation_failed");
        refused(visitor(Method::Post, waitlistPath, entry("a@b.example", {})), 428, "human_verification_required");
        refused(visitor(Method::Post, waitlistPath, entry("a@b.example", R"(,"humanVerification":{"provider":"pow","payload":"bad"})")),
                400, "human_verification_failed");
        equal(0, rows("waitlist_entry"));
    }

    TEST(isClosedWhileIdentityIsAway)
    {
        identityIsAway = true;
        refused(visitor(Method::Post, waitlistPath, entry("a@b.example")), 503, "validation_unavailable");
        equal(0, rows("waitlist_entry"));
    }

    TEST(limitsFormsPerAddress)
    {
        for (int i = 0; i < 5; ++i) equal(202, visitor(Method::Post, waitlistPath, entry("a@b.example"), "2001:db8::1").status);
        refused(visitor(Method::Post, waitlistPath, entry("a@b.example"), "2001:db8:0:1::2"), 429, "rate_limited");
        equal(202, visitor(Method::Post, waitlistPath, entry("a@b.example"), "2001:db8:1::1").status);
        equal(201, visitor(Method::Post, demoPath, demoBody(), "2001:db8::1").status);
    }

    TEST(joinsByTheForm)
    {
        const auto page = visitor(Method::Get, "/waitlist").body;
        CHECK(page.find("<noscript>") != std::string::npos);
        const auto sent = sendForm("/waitlist", "email=ada%40visitor.example&consent=true&proof=good");
        equal(303, sent.status, sent.body);
        equal("/waitlist?sent=1", locationOf(sent));
        equal(1, rows("waitlist_entry"));
        const auto wrong = sendForm("/waitlist", "email=ada&name=%3Cb%3E&proof=good");
        equal(400, wrong.status);
        CHECK(wrong.body.find("Enter a complete email address.") != std::string::npos);
        CHECK(wrong.body.find("value=\"&lt;b&gt;\"") != std::string::npos);
        const auto bot = sendForm("/waitlist", "email=bot%40visitor.example&consent=true");
        equal(428, bot.status);
        equal(1, rows("waitlist_entry"));
    }

    TEST(rejectsFormsOfOtherSites)
    {
        const auto answer = visitor(Method::Post, "/waitlist", "email=a%40b.example&consent=true&proof=good&form_token=x", "192.0.2.1",
                                    {{"Content-Type", "application/x-www-form-urlencoded"}});
        equal(403, answer.status);
        equal(0, rows("waitlist_entry"));
    }

    TEST(showsTheWidgetOfAProvider)
    {
        const auto own = visitor(Method::Get, "/waitlist");
        CHECK(own.body.find("data-widget") == std::string::npos);
        CHECK(own.headerBlock().find("cloudflare") == std::string::npos);
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
        equal(303, sent.status, sent.body);
        CHECK(host->context().calls().calls().back().request.body.find(R"("provider":"turnstile")") != std::string::npos);
    }

    TEST(storesADemoWithoutACalendar)
    {
        const auto made = visitor(Method::Post, demoPath, demoBody(R"(,"package":"enterprise","teamSize":40)"));
        equal(201, made.status, made.body);
        equal("requested", made.at("/status"));
        CHECK(made.at("/bookingId").starts_with("dmo_"));
        refused(visitor(Method::Post, demoPath, demoBody(slot())), 400, "validation_failed");
        refused(visitor(Method::Post, demoPath, demoBody(R"(,"package":"five")")), 400, "validation_failed");
        equal(1, rows("demo_booking"));
    }

    TEST(reservesADemoInTheCalendar)
    {
        withCalendar();
        equal(slotStart, visitor(Method::Get, "/api/public/demo-times").at("/times/0"));
        CHECK(visitor(Method::Get, "/demo").body.find(std::string("value=\"") + slotStart) != std::string::npos);
        const auto made = visitor(Method::Post, demoPath, demoBody(slot()));
        equal(201, made.status, made.body);
        equal("confirmed", made.at("/status"));
        equal("https://calendar.example/m?token=t", made.at("/manageUrl"));
        const auto sent = host->context().calls().calls();
        equal("/api/public/ada/intro/confirm", sent.back().request.url);
        CHECK(sent.back().request.body.find(R"("guest":{"name":"Ada","email":"ada@visitor.example","timeZone":"Europe/London"})") !=
              std::string::npos);
    }

    TEST(refusesATimeThatIsTaken)
    {
        withCalendar();
        equal(201, visitor(Method::Post, demoPath, demoBody(slot())).status);
        refused(visitor(Method::Post, demoPath, demoBody(slot())), 409, "slot_taken");
        const auto page = sendForm("/demo", std::string("name=A&email=a%40b.example&company=C&proof=good&slot=") + slotStart);
        equal(409, page.status);
        CHECK(page.body.find("This time is no longer available.") != std::string::npos);
        equal(1, rows("demo_booking"));
    }

    TEST(storesNothingWhileTheCalendarIsAway)
    {
        withCalendar();
        calendarIsAway = true;
        refused(visitor(Method::Post, demoPath, demoBody(slot())), 503, "calendar_unavailable");
        equal(0, rows("demo_booking"));
        equal(201, visitor(Method::Post, demoPath, demoBody()).status);
        equal(200, visitor(Method::Get, "/demo").status);
    }

    TEST(reservesASlotOnceForManyVisitors)
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
        equal(1, made.load());
        equal(visitors - 1, taken.load());
        equal(1, rows("demo_booking"));
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

    TEST(beginsAnAdminSessionForOperators)
    {
        refused(post(owner, "/api/admin-session"), 403, "permission_denied");
        const auto cookies = adminCookies();
        const auto session = adminCall(Method::Get, "/api/admin-session", cookies);
        equal(200, session.status, session.body);
        equal("2026-11-23T16:00:00.000Z", session.at("/expiresAt"));
        equal(204, adminCall(Method::Delete, "/api/admin-session", cookies).status);
        refused(adminCall(Method::Get, "/api/admin/waitlist", cookies), 401, "session_ended");
        refused(visitor(Method::Get, "/api/admin/waitlist"), 401, "authentication_required");
        refused(visitor(Method::Delete, "/api/admin-session"), 401, "authentication_required");
    }

    TEST(endsTheAdminSessionWithTheSignIn)
    {
        const auto cookies = adminCookies();
        equal(200, adminCall(Method::Get, "/api/admin/waitlist", cookies).status);
        auto demoted = *signIns->cookies["handle"];
        demoted.platformBypass = false;
        signIns->cookies["handle"] = std::make_shared<const Caller>(demoted);
        refused(adminCall(Method::Get, "/api/admin/waitlist", cookies), 403, "permission_denied");
        signIns->cookies.clear();
        refused(adminCall(Method::Get, "/api/admin/waitlist", cookies), 401, "session_ended");
        advance(std::chrono::hours(9));
        refused(adminCall(Method::Get, "/api/admin/waitlist", cookies), 401, "session_ended");
    }

    TEST(listsAndChangesWhatVisitorsLeft)
    {
        visitor(Method::Post, waitlistPath, entry("first@visitor.example"));
        advance(std::chrono::seconds(1));
        visitor(Method::Post, waitlistPath, entry("second@visitor.example"));
        const auto cookies = adminCookies();
        const auto list = adminCall(Method::Get, "/api/admin/waitlist?limit=1", cookies);
        equal("second@visitor.example", list.at("/items/0/email"));
        CHECK(list.at("/nextCursor") != "null");
        const auto path = "/api/admin/waitlist/" + list.at("/items/0/id");
        refused(adminCall(Method::Patch, path, cookies, R"({"status":"joined"})"), 409, "invalid_transition");
        equal("invited", adminCall(Method::Patch, path, cookies, R"({"status":"invited"})").at("/status"));
        equal(1, adminCall(Method::Get, "/api/admin/waitlist?status=invited,joined", cookies).count("/items"));
        refused(adminCall(Method::Patch, path, cookies, R"({"status":"waiting"})"), 409, "invalid_transition");
        visitor(Method::Post, demoPath, demoBody());
        const auto demo = adminCall(Method::Get, "/api/admin/demo-bookings", cookies).at("/items/0/id");
        equal(200, adminCall(Method::Patch, "/api/admin/demo-bookings/" + demo, cookies, R"({"status":"done"})").status);
        refused(adminCall(Method::Patch, "/api/admin/demo-bookings/" + demo, cookies, R"({"status":"canceled"})"), 409,
                "invalid_transition");
    }

    TEST(exportsForSpreadsheets)
    {
        visitor(
            Method::Post, waitlistPath,
            entry("a@b.example", R"x(,"name":"=cmd()","company":"A \"B\", C","humanVerification":{"provider":"pow","payload":"good"})x"));
        const auto file = adminCall(Method::Get, "/api/admin/waitlist.csv", adminCookies());
        equal("text/csv; charset=utf-8", file.contentType);
        CHECK(file.body.find(R"x("a@b.example","'=cmd()","A ""B"", C")x") != std::string::npos);
        std::string text;
        launchpad::addCsvRow(text, {"-1", "+1", "@x", "", "plain"});
        equal("\"'-1\",\"'+1\",\"'@x\",\"\",\"plain\"\r\n", text);
    }

    TEST(changesAStatusByThePage)
    {
        visitor(Method::Post, waitlistPath, entry("a@b.example"));
        const auto login = visitor(Method::Get, "/admin/marketing");
        equal(303, login.status);
        equal("/login?return_to=/admin/marketing", locationOf(login));
        const auto page = visitor(Method::Get, "/admin/marketing", {}, "192.0.2.1", {{"Cookie", signInCookie(owner)}});
        refused(page, 403, "permission_denied");
        const auto cookies = adminCookies();
        const auto list = adminCall(Method::Get, "/api/admin/waitlist", cookies);
        const auto sent = sendForm("/admin/marketing", "id=" + list.at("/items/0/id") + "&status=invited", cookies);
        equal(303, sent.status, sent.body);
        equal("invited", adminCall(Method::Get, "/api/admin/waitlist", cookies).at("/items/0/status"));
        equal(409, sendForm("/admin/marketing", "id=" + list.at("/items/0/id") + "&status=waiting", cookies).status);
        const auto shown = visitor(Method::Get, "/admin/marketing", {}, "192.0.2.1", {{"Cookie", cookies}});
        CHECK(shown.body.find(R"(data-label="Status">Invited)") != std::string::npos);
        CHECK(shown.body.find(R"(value="joined">Mark as joined<)") != std::string::npos);
        CHECK(shown.body.find(R"(value="removed">Remove<)") != std::string::npos);
        CHECK(shown.body.find(R"(<a href="/dashboard">Launchpad</a>)") != std::string::npos);
        CHECK(shown.body.find("Sign in<") == std::string::npos);
        const auto german = visitor(Method::Get, "/admin/marketing", {}, "192.0.2.1", {{"Cookie", cookies}, {"Accept-Language", "de"}});
        CHECK(german.body.find(R"(data-label="Status">Eingeladen)") != std::string::npos);
        CHECK(german.body.find(">Als beigetreten markieren<") != std::string::npos);
        CHECK(shown.body.find(R"(<time datetime="2026-11-23T08:00:00.000Z">2026-11-23 08:00 UTC</time>)") != std::string::npos);
        // Without an admin session the form leads to the page.
        equal("/admin/marketing", locationOf(sendForm("/admin/marketing", "id=wtl_1&status=invited", signInCookie(owner))));
    }

    TEST(explainsEmptyListsOnThePage)
    {
        const auto cookies = adminCookies();
        const auto empty = visitor(Method::Get, "/admin/marketing", {}, "192.0.2.1", {{"Cookie", cookies}});
        for (const auto* text : {"The waitlist is empty.", "No requests yet.", "No checkouts yet."})
            CPPUNIT_ASSERT_MESSAGE(text, empty.body.find(text) != std::string::npos);
        CHECK(empty.body.find("Export as CSV") == std::string::npos && empty.body.find("<table") == std::string::npos);
        visitor(Method::Post, demoPath, demoBody(R"(,"package":"enterprise","message":"Need SSO")"));
        const auto filled = visitor(Method::Get, "/admin/marketing", {}, "192.0.2.1", {{"Cookie", cookies}});
        for (const auto* text : {"/api/admin/demo-bookings.csv", "Enterprise: Need SSO", ">Mark as done<", "The waitlist is empty."})
            CPPUNIT_ASSERT_MESSAGE(text, filled.body.find(text) != std::string::npos);
        CHECK(filled.body.find("No requests yet.") == std::string::npos);
    }

    TEST(exportsAndForgetsAVisitorByAddress)
    {
        visitor(Method::Post, waitlistPath, entry("Ada@Visitor.example"));
        visitor(Method::Post, waitlistPath, entry("other@visitor.example"));
        visitor(Method::Post, demoPath, demoBody());
        auto& data = *host->context().services().provided<interfaces::PersonalData>();
        const interfaces::Person person{"usr_" + makeUlid(Instant{}), "ada@visitor.EXAMPLE", {}};
        std::set<std::string> kinds;
        const auto collect = [&](std::string_view kind, std::string_view) { kinds.emplace(kind); };
        data.give(person, collect);
        CHECK(kinds == (std::set<std::string>{"waitlist", "demos"}));
        for (int i = 0; i < 2; ++i) data.forget(person);
        equal(1, rows("waitlist_entry"));
        equal(0, rows("demo_booking"));
    }

    bool identityIsAway = false;
    /// Answer of identity to a request for a challenge.
    std::string challenge = R"({"provider":"pow","signature":"s"})";
    bool calendarIsAway = false;

    std::mutex _mutex;
    std::set<std::string> _held;
};

} // namespace portico::tests
