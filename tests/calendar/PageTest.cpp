#include "calendar/BookingFixture.h"
#include "calendar/OperatorCatalog.h"

#include "pages/Accent.h"
#include "pages/PageFiles.h"

#include <algorithm>
#include <chrono>

namespace portico::tests
{

/// Public pages, used by a browser without scripts.
class CalendarPageTest : public Suite<CalendarPageTest, BookingFixture>
{
    void setUp() override
    {
        BookingFixture::setUp();
        _catalog.origin = OperatorCatalog().origin;
    }

    TEST(usesEveryTextAndTemplate)
    {
        for (const auto& finding : dynamic_cast<calendar::CalendarPlugin&>(host->plugin()).pageFindings()) CPPUNIT_FAIL(finding);
        const auto script = page(between(page("/ada").body, "<script type=\"module\" src=\"", "\""));
        equal(200, script.status);
        CHECK(script.body.size() < 40 * 1024);
    }

    TEST(saysWhatTheServiceIs)
    {
        // Without a registry, the default text is shown.
        const auto answer = page("/?utm=1");
        equal(200, answer.status);
        says(answer, "Find a time that suits you both");
        says(answer, R"(href="/app")");
    }

    TEST(listsWhatIsPublic)
    {
        newType(R"({"slug":"secret","title":"Hidden one","visibility":"unlisted"})");
        const auto answer = page("/ada");
        equal(200, answer.status);
        says(answer, R"(href="/ada/intro")");
        lacks(answer, "Hidden one");
        equal(200, page("/ada/secret").status);
    }

    TEST(showsAMonthWithItsTimes)
    {
        const auto answer = page("/ada/intro");
        equal(200, answer.status);
        // 09:00 of Berlin has passed by nothing: it is the first.
        says(answer, "November 2026");
        says(answer, R"(value="2026-11-23T08:00:00.000Z")");
        says(answer, "Berlin (UTC+1)");
        says(answer, "date=2026-11-24#times");
        lacks(answer, "date=2026-11-29#times");
        says(page("/ada/intro?date=2026-11-25"), R"(value="2026-11-25T08:00:00.000Z")");
        // A date without free times leads on to the next that has some.
        says(page("/ada/intro?date=2026-11-28"), R"(value="2026-11-30T08:00:00.000Z")");
        says(page("/ada/intro?date=2027-01-01&utm=1"), "January 2027");
        for (const auto* odd : {"?date=x", "?tz=Nowhere/Else", "?duration=x", "?date=1999-01-01", "?date=9999-12-31"})
            equal(200, page("/ada/intro" + std::string(odd)).status, odd);
        // It opens on the first week that can be booked, with another one behind it; weeks begin on Sunday in English.
        says(answer, R"(data-first="2026-11-22" data-end="2026-12-06")");
        says(answer, "November 2026 \u2013 December 2026");
        lacks(answer, R"(data-date="2026-11-20")");
        says(page("/ada/intro?date=2026-11-25"), R"(data-first="2026-11-01" data-end="2026-12-01")");
        clock().jumpTo(*parseInstant("2026-11-30T10:00:00Z"));
        says(page("/ada/intro"), "date=2026-12-11#times");
        says(page("/ada/intro"), R"(data-first="2026-11-29" data-end="2026-12-13")");
        clock().jumpTo(*parseInstant("2026-11-30T20:00:00Z"));
        // The day is over: the week is the same, from the month on that is left.
        says(page("/ada/intro"), R"(data-first="2026-12-01" data-end="2027-01-01")");
        clock().jumpTo(*parseInstant("2026-11-23T08:00:00Z"));
        put(ada, "/api/admin/host", R"({"status":"paused"})");
        const auto paused = page("/ada/intro");
        equal(200, paused.status);
        says(paused, "does not accept bookings at the moment");
        lacks(paused, "id=\"s2026");
        says(page("/ada"), "Ada does not accept bookings at the moment");
        says(page("/ada"), R"(href="/ada/intro")");
        lacks(page("/ada"), "What would you like to book?");
    }

    TEST(showsTimesInTheGuestsZoneOverAFold)
    {
        // On the last Sunday of October 2026 Berlin has two o'clock twice.
        clock().jumpTo(*parseInstant("2026-10-20T08:00:00Z"));
        put(ada, "/api/admin/host", R"({"timeZone":"UTC"})");
        const auto schedule = get(ada, "/api/admin/schedules").at("/items/0/scheduleId");
        put(ada, "/api/admin/schedules/" + schedule,
            R"({"timeZone":"UTC","dateOverrides":[{"date":"2026-10-25","intervals":[{"start":"00:00","end":"03:00"}]}]})");
        const auto answer = page("/ada/intro?date=2026-10-25&tz=Europe/Berlin", {{"Accept-Language", "de"}});
        says(answer, "02:30 <small>UTC+2</small>");
        says(answer, "02:30 <small>UTC+1</small>");
        lacks(answer, "03:00 <small>");
        says(answer, "Sonntag, 25. Oktober 2026");
        says(page("/ada/intro?date=2026-10-24&tz=America/New_York"), "8:00 PM");
    }

    TEST(escapesWhatHostsWrite)
    {
        const std::string hostile = R"(</title><script>alert(1)</script>\" onload=x)";
        put(ada, "/api/admin/host", jsonWith(R"({"displayName":"$","headline":"$","bio":"$"})", hostile, hostile, hostile));
        newType(jsonWith(R"({"slug":"odd","title":"$","description":"$","questions":[{"questionId":"q","label":"$"}]})", hostile, hostile,
                         hostile));
        for (const auto* path : {"/ada", "/ada/odd", "/ada/odd?name=%3Cscript%3Ealert(1)%3C/script%3E&a_q=%22%20onload=x&tz=%3Cscript%3E"})
        {
            const auto answer = page(path);
            equal(200, answer.status);
            lacks(answer, "<script>alert");
            lacks(answer, "\" onload=x");
        }
    }

    TEST(sendsHeadersForBrowsersAndSearchEngines)
    {
        const auto answer = page("/ada/intro");
        const auto& headers = answer.headerBlock();
        for (const auto* part : {"frame-ancestors 'self'", "default-src 'none'", "style-src 'sha256-", "script-src 'self'",
                                 "Referrer-Policy: strict-origin-when-cross-origin", "Vary: Accept-Language"})
            CPPUNIT_ASSERT_MESSAGE(std::string(part) + " in " + headers, headers.find(part) != std::string::npos);
        CHECK(headers.find("unsafe") == std::string::npos);
        says(answer, R"(<meta name="robots" content="noindex">)");
        for (const std::string path : {"/", "/ada", "/ada/intro"})
            equal(host->context().host().origin + path, between(page(path).body, R"(rel="canonical" href=")", "\""));
        put(ada, "/api/admin/host", R"({"indexable":true})");
        lacks(page("/ada/intro"), "noindex");
        const auto script = page(between(answer.body, "src=\"", "\""));
        equal(200, script.status);
        equal(404, page("/static/booking-0.js").status);
    }

    TEST(answersWhatIsNotThere)
    {
        for (const auto& [path, words] : {std::pair{"/nobody", "This booking page does not exist"},
                                          {"/nobody/intro", "This booking page does not exist"},
                                          {"/ada/nothing", "This booking page does not exist"},
                                          {"/public/bookings/bkg_x?token=y", "Booking not found"}})
        {
            const auto answer = page(path);
            equal(404, answer.status);
            says(answer, words);
        }
        put(ada, "/api/admin/event-types/" + intro, R"({"visibility":"disabled"})");
        const auto gone = page("/ada/intro");
        equal(410, gone.status);
        says(gone, "This is no longer available");
        says(gone, R"(href="/ada")");
        equal(410, send("/ada/intro", "start=2026-11-24T08:00:00Z").status);
        put(ada, "/api/admin/host", R"({"handle":"lovelace"})");
        for (const auto& [path, target] : {std::pair{"/ada", "/lovelace"}, std::pair{"/ada?tz=UTC", "/lovelace?tz=UTC"}})
        {
            const auto moved = page(path);
            equal(301, moved.status);
            equal(target, locationOf(moved));
        }
    }

    TEST(booksWithoutScripts)
    {
        const auto answer = book("2026-11-24T08:00:00.000Z");
        equal(303, answer.status, answer.body);
        const auto url = locationOf(answer);
        const auto mine = page(url.substr(url.find("/public/")));
        equal(200, mine.status);
        says(mine, "You are booked");
        says(mine, "Tuesday, November 24, 2026, 3:00 AM \u2013 3:30 AM, New York (UTC\u22125)");
        CHECK(mine.headerBlock().find("Referrer-Policy: no-referrer") != std::string::npos);
        equal("no-store", mine.cacheControl);
        equal(404, page(url.substr(url.find("/public/")) + "x").status);
        equal("confirmed", events());
        // The same again is taken: others near it are offered.
        const auto again = book("2026-11-24T08:00:00.000Z");
        equal(409, again.status);
        says(again, "no longer available");
        says(again, R"(id="n2026-11-24T08:30:00.000Z")");
        says(again, R"(value="Grace")");
        equal("confirmed", events());
    }

    TEST(keepsWhatWasTyped)
    {
        const auto answer = send(
            "/ada/intro", "start=2026-11-24T08:00:00.000Z&name=Grace%20%22Amazing%22&email=nowhere&notes=Hello&tz=Asia/Tokyo&" + shown());
        equal(400, answer.status);
        says(answer, "Enter a valid e-mail address.");
        says(answer, R"(value="Grace &quot;Amazing&quot;")");
        says(answer, ">Hello</textarea>");
        says(answer, R"(value="2026-11-24T08:00:00.000Z" required checked)");
        says(answer, R"(value="Asia/Tokyo" selected)");
        const auto untimed = send("/ada/intro", "name=Grace&email=grace@example.org&" + shown());
        equal(400, untimed.status);
        says(untimed, "Choose a time.");
        // A rejected form leaves no hold.
        equal("[]", why("2026-11-24T08:00:00Z"));
        equal(415, guest(portico::Method::Post, "/ada/intro", "{}").status);
    }

    TEST(refusesFormsAsBodies)
    {
        const std::string typed = "start=2026-11-24T08:00:00.000Z&name=Grace&email=grace@example.org&tz=UTC&";
        for (const std::string odd : {"admin=1", "name=Eve", "duration=soon", "date=someday", "seats=many", "a_q=%ff"})
            equal(400, send("/ada/intro", typed + shown() + "&" + odd).status, odd);
        says(send("/ada/intro", "start=soon&name=Grace&email=grace@example.org&" + shown()), "<p class=\"fault\">Choose a time.</p>");
        equal("", events());
        const auto made = booked("2026-11-24T08:00:00Z");
        const auto path = "/public/bookings/" + made.at("/booking/bookingId");
        const auto token = "token=" + tokenOf(made);
        const auto untimed = send(path + "/reschedule", token + "&tz=UTC&date=2026-11-25");
        equal(400, untimed.status);
        says(untimed, "<p class=\"fault\">Choose a time.</p>");
        says(untimed, R"(value="2026-11-25T08:00:00.000Z")");
        const auto wordy = send(path + "/cancel", token + "&reason=" + std::string(501, 'x'));
        equal(400, wordy.status);
        says(wordy, "<details class=\"cancel\" open>");
        says(wordy, "reason-fault\">This text is too long.");
        says(wordy, std::string(501, 'x') + "</textarea>");
        for (const std::string route : {"/cancel", "/reschedule"})
            for (const std::string odd : {"&admin=1", "&start=2026-11-25T08:00:00Z&start=2026-11-26T08:00:00Z"})
                equal(400, send(path + route, token + odd).status, route + odd);
        equal("confirmed", events());
    }

    TEST(asksEveryKindOfQuestion)
    {
        newType(R"({"slug":"long","title":"Long","seatsPerSlot":4,"allowAdditionalGuests":2,"requiresApproval":true,"meetingKind":"phone",
            "questions":[{"questionId":"t","label":"Topic","required":true},{"questionId":"m","label":"More","type":"textarea"},
            {"questionId":"s","label":"Size","type":"select","options":["S","L"]},
            {"questionId":"c","label":"Colours","type":"multi_select","options":["red","blue"]},
            {"questionId":"b","label":"Terms","type":"checkbox","required":true},{"questionId":"p","label":"Call","type":"phone"},
            {"questionId":"e","label":"Copy","type":"email"},{"questionId":"n","label":"Count","type":"number"}]})");
        const std::string start = "start=2026-11-24T08:00:00.000Z&name=Grace&email=grace@example.org&";
        auto answer =
            send("/ada/long", start + "a_p=no&a_e=no&a_n=no&a_s=XXL&seats=x&guests=a@b.example,c@d.example,e@f.example&" + shown("long"));
        equal(400, answer.status);
        for (const auto* fault : {"a_t-fault\">This field is required", "a_b-fault\">This field is required", "a_p-fault\">Enter a phone",
                                  "a_e-fault\">Enter a valid", "a_n-fault\">Enter a number", "seats-fault\">Enter a number",
                                  "a_s-fault\">This value is", "guests-fault\">Too many", "phone-fault\">This field is required"})
            says(answer, fault);
        answer = send("/ada/long",
                      start + "phone=%2B49+30&a_t=Pages&a_s=L&a_c=red&a_c=blue&a_b=true&a_n=3&seats=2&guests=a@b.example&" + shown("long"));
        equal(303, answer.status, answer.body);
        const auto url = locationOf(answer);
        const auto mine = page(url.substr(url.find("/public/")));
        says(mine, "Your request is sent");
        for (const auto* part : {"Pages", "red, blue", "Yes", "a@b.example", "<dd>2</dd>"}) says(mine, part);
        says(page("/ada/long?date=2026-11-24"), "2 left");
    }

    TEST(turnsProgramsAway)
    {
        const std::string typed = "start=2026-11-24T08:00:00.000Z&name=Grace&email=grace@example.org&tz=UTC&";
        for (const auto& body :
             {typed + shown() + "&website=x", typed, typed + "shown=made-up", typed + shown("intro", std::chrono::seconds(0))})
        {
            const auto answer = send("/ada/intro", body);
            equal(400, answer.status);
            says(answer, "sent too quickly");
            says(answer, R"(value="Grace")");
        }
        equal("", events());
        testing::TestRequest foreign{
            portico::Method::Post, "/ada/intro", typed + shown(), {{"Content-Type", form}, {"Origin", "https://evil.example"}}, {}};
        equal(403, host->call(foreign).status);
        // The page has the same rate limit as the API.
        int refused = 0;
        const auto once = shown();
        for (int i = 0; i < 25; ++i) refused += send("/ada/intro", typed + once).status == 429 ? 1 : 0;
        CHECK(refused > 0);
    }

    TEST(offersWhatABookingCanMoveTo)
    {
        const auto linkOf = [](const testing::TestAnswer& booking)
        { return "/public/bookings/" + booking.at("/booking/bookingId") + "?token=" + tokenOf(booking); };
        const auto one = booked("2026-11-24T08:00:00Z");
        // Its own time is none to move to; one that overlaps it is.
        const auto sameDay = page(linkOf(one) + "&move=1&tz=UTC&date=2026-11-24");
        lacks(sameDay, R"(value="2026-11-24T08:00:00.000Z")");
        says(sameDay, R"(value="2026-11-24T08:30:00.000Z")");
        // Only times with enough seats are offered.
        newType(R"({"slug":"tour","title":"Tour","seatsPerSlot":3})");
        const auto two = made(confirm(made(hold("2026-11-26T08:00:00Z", "192.0.2.8", R"(,"seats":2)", "tour")), {}, "tour"));
        made(confirm(made(hold("2026-11-26T09:00:00Z", "192.0.2.9", R"(,"seats":2)", "tour")), {}, "tour"));
        const auto crowded = page(linkOf(two) + "&move=1&tz=UTC&date=2026-11-26");
        says(crowded, R"(value="2026-11-26T10:00:00.000Z")");
        lacks(crowded, R"(value="2026-11-26T09:00:00.000Z")");
    }

    TEST(guestsCancelAndMove)
    {
        const auto made = booked("2026-11-24T08:00:00Z");
        const auto path = "/public/bookings/" + made.at("/booking/bookingId");
        const auto token = tokenOf(made);
        const auto link = path + "?token=" + token;
        says(page(link + "&move=1&tz=UTC&date=2026-11-25"), R"(value="2026-11-25T08:00:00.000Z")");
        equal(404, send(path + "/reschedule", "token=x&start=2026-11-25T08:00:00.000Z").status);
        equal(400, send(path + "/reschedule", "token=" + token).status);
        equal(409, send(path + "/reschedule", "token=" + token + "&start=2026-11-29T08:00:00.000Z").status);
        // The page sends no referrer, so its forms have the origin `null`.
        equal(303, send(path + "/reschedule", "token=" + token + "&start=2026-11-25T08:00:00.000Z", "null").status);
        says(page(link), "Wednesday, November 25, 2026");
        // Forms of other sites are rejected, with any origin.
        for (const auto& [origin, site] :
             {std::pair{"https://evil.example", "cross-site"}, {"https://evil.example", ""}, {"null", "cross-site"}})
            for (const std::string form_ : {"/cancel", "/reschedule"})
            {
                testing::TestRequest foreign{portico::Method::Post,
                                             path + form_,
                                             "token=" + token + "&start=2026-11-26T08:00:00.000Z",
                                             {{"Content-Type", form}, {"Origin", origin}, {"Sec-Fetch-Site", site}},
                                             Caller::nobody()};
                equal(403, host->call(foreign).status);
            }
        equal(404, send(path + "/cancel", "token=x").status);
        equal(303, send(path + "/cancel", "token=" + token + "&reason=%3Cb%3Eill").status);
        const auto cancelled = page(link);
        says(cancelled, "This booking is cancelled");
        says(cancelled, "&lt;b&gt;ill");
        equal(409, send(path + "/cancel", "token=" + token).status);
        equal(409, send(path + "/reschedule", "token=" + token + "&start=2026-11-26T08:00:00.000Z").status);
        equal("confirmed rescheduled cancelled", events());
    }

    TEST(showsItselfInPagesThatAreAllowed)
    {
        const auto own = host->context().host().origins.begin()->second;
        const auto rejected = post(ada, "/api/admin/embed", R"({"origins":["https://evil.example"]})");
        refused(rejected, 400, "origin_not_allowed");
        const auto grant = made(post(ada, "/api/admin/embed",
                                     jsonWith(R"({"eventTypeId":"$","origins":["$"],"expiresAt":"2026-11-23T09:00:00Z"})", intro, own)));
        says(grant, "data-booking-inline");
        // Each snippet works with what this host serves.
        const auto react = grant.at("/snippet/react");
        for (const std::string part : {"from \"react\"", "/embed/v1.js", "link: \"ada/intro\"", "shown?.destroy()"})
            CPPUNIT_ASSERT_MESSAGE(part + " in " + react, react.find(part) != std::string::npos);
        equal(react.find("import"), react.rfind("import"));
        const auto id = grant.at("/embedId");
        const auto framed = page("/ada/intro?embed=" + id);
        equal(200, framed.status);
        CHECK(framed.headerBlock().find("frame-ancestors 'self' " + own) != std::string::npos);
        CHECK(!framed.hasHeader("X-Frame-Options"));
        says(framed, "&amp;date=2026-11-24#times");
        CHECK(page("/ada/intro").hasHeader("X-Frame-Options"));
        newType(R"({"slug":"other","title":"Other"})");
        for (const auto& path : {"/ada/other?embed=" + id, "/ada?embed=" + id, std::string("/ada/intro?embed=emb_x")})
        {
            const auto answer = page(path);
            equal(403, answer.status, path);
            says(answer, "cannot be shown here");
        }
        newHost(stranger, "eve");
        made(post(stranger, "/api/admin/event-types", R"({"slug":"intro","title":"Eve's"})"));
        equal(403, page("/eve/intro?embed=" + id).status);
        const auto sent =
            send("/ada/intro", "start=2026-11-24T08:00:00.000Z&name=Grace&email=grace@example.org&embed=" + id + "&" + shown());
        equal(303, sent.status, sent.body);
        const auto url = locationOf(sent);
        const auto mine = page(url.substr(url.find("/public/")));
        CHECK(mine.headerBlock().find("frame-ancestors 'self' " + own) != std::string::npos);
        clock().jumpTo(*parseInstant("2026-11-23T09:00:00Z"));
        equal(403, page("/ada/intro?embed=" + id).status);
        for (const auto* path : {"/embed.js", "/embed/v1.js"}) equal(200, page(path).status);
    }

    TEST(looksAsTheFrameAsks)
    {
        const auto own = host->context().host().origins.begin()->second;
        const auto granted = [&](const std::string& more)
        { return made(post(ada, "/api/admin/embed", jsonWith(R"({"origins":["$"]$})", own, more))).at("/embedId"); };
        const auto all = granted("");
        const std::string look = "&theme=dark&accentColor=%237a1fa2&hideHeader=true&locale=de";
        const auto shownHere = page("/ada/intro?embed=" + all + look);
        says(shownHere, R"(<html lang="de" data-theme="dark" data-hide-header data-embed-id=")" + all + "\" data-embed-origins=\"" + own);
        says(shownHere, R"(content="dark")");
        says(shownHere, "--portico-accent:#7a1fa2");
        // Links and forms keep the embedding fields: days, the form, the host's page, and prefilled values.
        const auto amp = "embed=" + all + "&amp;theme=dark&amp;accentColor=%237a1fa2&amp;hideHeader=true&amp;locale=de";
        for (const auto& part : {amp + "&amp;tz", std::string(R"(name="hideHeader" value="true")"), R"(href="/ada?)" + amp})
            says(shownHere, part);
        says(page("/ada?name=Grace&embed=" + all + look), "/ada/intro?name=Grace&amp;" + amp);
        // A page with a grant for one event type does not link to other types.
        lacks(page("/ada/intro?embed=" + granted(R"(,"eventTypeId":")" + intro + "\"")), R"(href="/ada?)");
        const auto odd = page("/ada/intro?theme=%22%3E&accentColor=red&hideHeader=maybe&locale=xx&embed=" + all);
        says(odd, R"(<html lang="en" data-embed-id=)");
        lacks(odd, "--portico-accent:red");
        // A frame of another origin must name its grant.
        equal(403, page("/ada/intro", {{"Sec-Fetch-Dest", "iframe"}, {"Sec-Fetch-Site", "cross-site"}}).status);
        equal(200, page("/ada/intro", {{"Sec-Fetch-Dest", "iframe"}, {"Sec-Fetch-Site", "same-origin"}}).status);
        equal(200, page("/ada/intro?embed=" + all, {{"Sec-Fetch-Dest", "iframe"}, {"Sec-Fetch-Site", "cross-site"}}).status);
        // Outside of a frame the embedding fields are ignored.
        says(page("/ada/intro?theme=dark&locale=de"), R"(<html lang="en">)");

        const auto sent =
            send("/ada/intro", "start=2026-11-24T08:00:00.000Z&name=Grace&email=grace@example.org&theme=dark&embed=" + all + "&" + shown());
        equal(303, sent.status, sent.body);
        const auto url = locationOf(sent);
        const auto path = url.substr(url.find("/public/"), url.find('?') - url.find("/public/"));
        const auto token = "token=" + between(url, "token=", "&") + "&theme=dark&embed=" + all;
        const auto cancelled = locationOf(send(path + "/cancel", token));
        const auto after = page(cancelled.substr(cancelled.find("/public/")));
        says(after, R"(data-theme="dark")");
        says(after, R"(data-told="{&quot;type&quot;:&quot;cancelled&quot;,&quot;payload&quot;:{&quot;bookingId&quot;)");
        says(after, "/ada/intro?embed=" + all + "&amp;theme=dark");
        says(send(path + "/cancel", token), "&quot;code&quot;:&quot;booking_closed&quot;");
        lacks(page(url.substr(url.find("/public/"))), "data-told");
    }

    TEST(recordsThePageOfABooking)
    {
        const auto own = host->context().host().origins.begin()->second;
        const auto from = [&](const std::string& start, const std::string& referer)
        {
            testing::TestRequest request{portico::Method::Post,
                                         "/ada/intro",
                                         "start=" + start + "&name=G&email=g@example.org&" + shown(),
                                         {{"Content-Type", form}, {"Origin", own}, {"Referer", own + referer}},
                                         Caller::nobody()};
            const auto sent = host->call(request);
            equal(303, sent.status, sent.body);
            const auto url = locationOf(sent);
            const auto at = url.find("bkg_");
            const auto booking = get(ada, "/api/admin/bookings/" + url.substr(at, url.find('?') - at));
            return booking.at("/source") + " " + booking.at("/embedOrigin");
        };
        equal("page ", from("2026-11-24T08:00:00.000Z", "/ada/intro"));
        equal("embed " + own, from("2026-11-24T09:00:00.000Z", "/ada/intro?embed=emb_1&from=" + own));
        equal("embed ", from("2026-11-24T10:00:00.000Z", "/ada/intro?embed=emb_1&from=https%3A%2F%2Fevil.example"));
        equal("page ", from("2026-11-24T11:00:00.000Z", "/ada/intro?embed=%"));
    }

    TEST(leadsGuestsToAPageOfTheHosts)
    {
        const auto refused = put(ada, "/api/admin/event-types/" + intro, R"({"redirectUrl":"https://evil.example/thanks"})");
        equal(400, refused.status);
        equal("origin_not_allowed", refused.at("/errors/0/code"));
        equal(400, post(ada, "/api/admin/event-types", R"({"slug":"x","title":"X","redirectUrl":"https://evil.example/"})").status);
        lacks(page("/ada/intro"), "data-redirect");

        host->context().services().offer<interfaces::ServiceCatalog>(_catalog);
        // Allowed origins are read once a minute.
        clock().jumpTo(clock().now() + std::chrono::minutes(1));
        equal(200, put(ada, "/api/admin/event-types/" + intro, R"({"redirectUrl":"https://shop.example/thanks?a=1"})").status);
        const auto shownHere = page("/ada/intro");
        says(shownHere, R"(data-redirect="https://shop.example/thanks?a=1")");
        CHECK(shownHere.headerBlock().find("form-action 'self' https://shop.example;") != std::string::npos);
        equal("https://shop.example/thanks?a=1", locationOf(book("2026-11-24T08:00:00.000Z")));
        // A request also shows the redirect link, and a frame does not redirect.
        equal(200, put(ada, "/api/admin/event-types/" + intro, R"({"requiresApproval":true})").status);
        const auto asked = locationOf(book("2026-11-24T09:00:00.000Z"));
        says(page(asked.substr(asked.find("/public/"))), R"(href="https://shop.example/thanks?a=1")");
        // An origin that is no longer allowed is ignored.
        _catalog.origin = "https://other.example";
        clock().jumpTo(clock().now() + std::chrono::minutes(1));
        lacks(page(asked.substr(asked.find("/public/"))), "shop.example");
        equal(200, put(ada, "/api/admin/event-types/" + intro, R"({"title":"Call"})").status);
    }

    TEST(asksForAPerson)
    {
        lacks(page("/ada/intro"), "name=\"human\"");
        equal(200, put(ada, "/api/admin/host", R"({"humanVerification":true})").status);
        // At the interface.
        const auto held = made(hold("2026-11-24T08:00:00Z"));
        const auto check = guest(portico::Method::Get, "/api/public/ada/intro");
        const auto question = check.at("/humanCheck/question");
        const auto sum = std::to_string(question.front() - '0' + question.back() - '0');
        const auto answer = [&](const std::string& text, const std::string& token)
        { return confirm(held, jsonWith(R"(,"humanCheck":{"token":"$","answer":"$"})", token, text)); };
        const auto token = check.at("/humanCheck/token");
        equal("required", confirm(held).at("/errors/0/code"));
        for (const auto& [text, of] : std::vector<std::pair<std::string, std::string>>{{"1", token}, {sum, "x"}, {"0", token}})
            equal("wrong_answer", answer(text, of).at("/errors/0/code"), text);
        made(answer(" " + sum, token));
        // The form asks again after a wrong answer, and keeps the other fields.
        const auto first = page("/ada/intro", {{"Accept-Language", "de"}});
        says(first, " plus ");
        const auto answered = [&](const testing::TestAnswer& shownPage, const std::string& text)
        {
            return send("/ada/intro", "start=2026-11-24T09:00:00.000Z&name=Grace&email=grace@example.org&" + shown() + "&human=" + text +
                                          "&humanToken=" + between(shownPage.body, "name=\"humanToken\" value=\"", "\""));
        };
        const auto again = answered(first, "eleven");
        equal(400, again.status);
        says(again, "human-fault\">Incorrect answer");
        says(again, "value=\"Grace\"");
        const auto words = between(again.body, "how much is ", "?");
        const auto numberOf = [](const std::string& word)
        {
            const std::vector<std::string> known{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"};
            return std::ranges::find(known, word) - known.begin();
        };
        const auto right = numberOf(words.substr(0, words.find(' '))) + numberOf(words.substr(words.rfind(' ') + 1));
        equal(303, answered(again, std::to_string(right)).status);
        // An hour later the question is over.
        const auto late = made(hold("2026-11-24T10:00:00Z"));
        clock().jumpTo(clock().now() + std::chrono::hours(1));
        equal("wrong_answer", confirm(late, jsonWith(R"(,"humanCheck":{"token":"$","answer":"$"})", token, sum)).at("/errors/0/code"));
    }

    TEST(previewsWhatOthersWouldShow)
    {
        const auto preview = page("/embed/preview?link=ada/intro&mode=floating");
        equal(200, preview.status, preview.body);
        says(preview, R"(data-booking-floating="ada/intro" data-embed-id="preview")");
        CHECK(preview.headerBlock().find("; frame-src 'self'; ") != std::string::npos);
        CHECK(page("/ada/intro").headerBlock().find("frame-src") == std::string::npos);
        // The preview allows no other origin, regardless of grants.
        const auto framed = page("/ada/intro?embed=preview");
        equal(200, framed.status);
        CHECK(framed.headerBlock().find("frame-ancestors 'self' " + host->context().host().origin + "\r\n") != std::string::npos);
        for (const std::string link : {"", "ada/", "/evil.example", "%2Fevil.example", "ada/intro/x", "ada%2Fintro%3Fx", "javascript:x"})
            equal(400, page("/embed/preview?link=" + link).status, link);
    }

    TEST(hostsSeeAndRevokeGrants)
    {
        const auto own = host->context().host().origins.begin()->second;
        const auto granted = [&](const std::string& more)
        {
            clock().jumpTo(clock().now() + std::chrono::seconds(1));
            return made(post(ada, "/api/admin/embed", jsonWith(R"({"origins":["$"]$})", own, more))).at("/embedId");
        };
        const auto oldest = granted(jsonWith(R"(,"mode":"popup","eventTypeId":"$")", intro));
        const auto middle = granted(R"(,"expiresAt":"2026-11-23T08:30:00Z")");
        const auto newest = granted("");
        clock().jumpTo(*parseInstant("2026-11-23T08:30:00Z"));
        const auto all = get(ada, "/api/admin/embed");
        equal(newest + " " + middle + " " + oldest,
              all.at("/items/0/embedId") + " " + all.at("/items/1/embedId") + " " + all.at("/items/2/embedId"));
        equal("active expired active", all.at("/items/0/status") + " " + all.at("/items/1/status") + " " + all.at("/items/2/status"));
        CHECK(all.at("/items/2/snippet/popup").find("data-booking-link=\"ada/intro\"") != std::string::npos);
        // In pages as other lists, and below /api for keys.
        const auto first = get(asKey(ada, ada.principalId), "/api/embed?limit=2");
        equal(oldest, get(ada, "/api/embed?limit=2&cursor=" + first.at("/nextCursor")).at("/items/0/embedId"));

        newHost(stranger, "eve");
        equal(404, del(stranger, "/api/admin/embed/" + newest).status);
        equal("[]", get(stranger, "/api/admin/embed").at("/items"));
        auto reader = ada;
        std::erase(reader.permissions, "calendar.embed:issue");
        equal(403, get(reader, "/api/admin/embed").status);
        equal(403, del(reader, "/api/admin/embed/" + newest).status);

        equal(200, page("/ada?embed=" + newest).status);
        const auto seen = all.at("/items/0/version");
        const auto revoke = [&](const std::string& version) {
            return host->call({portico::Method::Delete, "/api/admin/embed/" + newest, {}, {{"If-Match", '"' + version + '"'}}, ada});
        };
        equal(412, revoke("7").status);
        equal("revoked", revoke(seen).at("/status"));
        equal("2", revoke("2").at("/version"));
        equal(403, page("/ada?embed=" + newest).status);
        clock().jumpTo(clock().now() + std::chrono::seconds(1));
        equal("2026-11-23T08:30:00.000Z", del(ada, "/api/admin/embed/" + newest).at("/revokedAt"));
        equal(200, page("/ada/intro?embed=" + oldest).status);
        equal(200, del(ada, "/api/admin/event-types/" + intro).status);
        equal("null", get(ada, "/api/admin/embed").at("/items/2/snippet"));
    }

    TEST(speaksTheGuestsLanguage)
    {
        const auto german = page("/ada/intro", {{"Accept-Language", "de-AT,en;q=0.5"}});
        says(german, R"(<html lang="de">)");
        says(german, "Montag, 23. November 2026");
        says(german, "09:00");
        says(page("/ada/intro", {{"Accept-Language", "en-GB"}}), "Monday 23 November 2026");
        says(page("/ada/intro", {{"Accept-Language", "fr"}}), "9:00 AM");
        put(ada, "/api/admin/host", R"({"locale":"de"})");
        says(page("/ada/intro"), R"(<html lang="de">)");
    }

    TEST(accentsAreReadable)
    {
        for (const auto* color : {"#ffff00", "#000000", "#ffffff", "#2f4fc9", "#00ff88"})
        {
            const auto styles = calendar::accentStyles(color);
            const auto light = between(styles, "--portico-accent:", ";");
            const auto dark = between(styles.substr(styles.find("dark")), "--portico-accent:", ";");
            CHECK(calendar::contrast(light, "#ffffff") >= 4.5);
            CHECK(calendar::contrast(light, between(styles, "--portico-on-accent:", ";")) >= 4.5);
            CHECK(calendar::contrast(dark, "#1d2027") >= 4.5);
        }
        equal("", calendar::accentStyles("red;}"));
        put(ada, "/api/admin/host", R"({"branding":{"accentColor":"#7a1fa2"}})");
        says(page("/ada/intro"), "--portico-accent:#7a1fa2");
    }

    OperatorCatalog _catalog;
    static constexpr const char* form = "application/x-www-form-urlencoded";

    testing::TestAnswer page(const std::string& target, std::vector<std::pair<std::string, std::string>> headers = {}) const
    {
        testing::TestRequest request{portico::Method::Get, target, {}, std::move(headers), Caller::nobody()};
        return host->call(request);
    }
    testing::TestAnswer send(const std::string& target, const std::string& body, const std::string& origin = {}) const
    {
        testing::TestRequest request{portico::Method::Post, target, body, {{"Content-Type", form}}, Caller::nobody()};
        if (!origin.empty()) request.headers.emplace_back("Origin", origin);
        return host->call(request);
    }
    testing::TestAnswer book(const std::string& start) const
    {
        return send("/ada/intro", "start=" + start + "&name=Grace&email=grace@example.org&tz=America/New_York&" + shown());
    }
    /// Returns the form's field with the time at which it was shown, some seconds ago.
    std::string shown(const std::string& type = "intro", std::chrono::seconds ago = std::chrono::seconds(5)) const
    {
        const auto text = between(page("/ada/" + type).body, "name=\"shown\" value=\"", "\"");
        clock().jumpTo(clock().now() + ago);
        return "shown=" + text;
    }
    static std::string between(const std::string& text, const std::string& before, const std::string& after)
    {
        const auto from = text.find(before);
        CPPUNIT_ASSERT_MESSAGE(before + " in " + text, from != std::string::npos);
        const auto begin = from + before.size();
        return text.substr(begin, text.find(after, begin) - begin);
    }
    static std::string locationOf(const testing::TestAnswer& answer) { return between(answer.headerBlock(), "Location: ", "\r\n"); }
    static void says(const testing::TestAnswer& answer, const std::string& text)
    {
        CPPUNIT_ASSERT_MESSAGE(text + " in " + answer.body.substr(std::min(answer.body.find("<body>"), answer.body.size())),
                               answer.body.find(text) != std::string::npos);
    }
    static void lacks(const testing::TestAnswer& answer, const std::string& text)
    {
        CPPUNIT_ASSERT_MESSAGE(text + " in " + answer.body.substr(std::min(answer.body.find("<body>"), answer.body.size())),
                               answer.body.find(text) == std::string::npos);
    }
};

} // namespace portico::tests
