#include "calendar/CalendarFixture.h"

#include "external/RemoteCalls.h"
#include "external/Xml.h"

#include "portico/testing/FakeHttpClient.h"

#include <map>

namespace portico::tests
{

namespace
{
using HttpAnswer = HttpClient::Response;

HttpAnswer answerOf(int status, const std::string& body = {}, std::vector<std::pair<std::string, std::string>> headers = {})
{
    HttpAnswer answer;
    answer.status = status;
    answer.body = body;
    answer.headers = std::move(headers);
    return answer;
}

std::string feedOf(const std::string& events) { return "BEGIN:VCALENDAR\r\nVERSION:2.0\r\n" + events + "END:VCALENDAR\r\n"; }
std::string eventOf(const std::string& uid, const std::string& start, const std::string& more = {})
{
    return "BEGIN:VEVENT\r\nUID:" + uid + "\r\nDTSTART:" + start + "\r\nDURATION:PT1H\r\n" + more + "END:VEVENT\r\n";
}

/// Properties of one resource.
std::string resourceOf(const std::string& href, const std::string& properties)
{
    return "<d:response><d:href>" + href + "</d:href><d:propstat><d:prop>" + properties +
           "</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat><d:propstat><d:prop><d:unknown/></d:prop><d:status>HTTP/1.1 404 Not "
           "Found</d:status></d:propstat></d:response>";
}
HttpAnswer multistatusOf(const std::string& responses, const std::string& url)
{
    auto answer = answerOf(207, R"(<?xml version="1.0"?><d:multistatus xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav" )"
                                R"(xmlns:s="http://calendarserver.org/ns/">)" +
                                    responses + "</d:multistatus>");
    answer.url = url;
    return answer;
}

/// A CalDAV server with one calendar at /cal/work/, as its clients see it.
struct FakeCalDav
{
    std::string token = "token-1";
    bool offersFreeBusy = false;
    /// Zone in which it places all-day and floating events for free-busy queries.
    std::string zone = "Europe/Berlin";
    std::string events = eventOf("one", "20261125T090000Z");
    std::string freeBusy;
    std::vector<std::string> calls;
    /// Events that were written to it, by path.
    std::map<std::string, std::string> written;

    HttpAnswer operator()(const HttpClient::Request& request)
    {
        const auto path = request.url.substr(std::string("https://dav.example.test").size());
        calls.push_back(request.method + " " + path);
        const auto has = [&](std::string_view text) { return request.body.find(text) != std::string::npos; };
        const auto* password = authorization(request);
        if (!password || *password != "Basic YWRhOnNlc2FtZQ==") return answerOf(401);
        if (request.method == "REPORT" && has("free-busy-query")) return answerOf(200, freeBusy);
        if (request.method == "REPORT")
            return multistatusOf(resourceOf("/cal/work/1.ics", "<c:calendar-data>" + feedOf(events) + "</c:calendar-data>"), request.url);
        if (request.method == "PUT")
        {
            const bool isKnown = std::ranges::any_of(request.headers, [](const auto& header) { return header.first == "If-Match"; });
            if (isKnown && !written.contains(path)) return answerOf(412);
            written[path] = request.body;
            return answerOf(201, {}, {{"ETag", "\"1\""}});
        }
        if (request.method == "DELETE") return answerOf(written.erase(path) == 1 ? 204 : 404);
        if (request.method != "PROPFIND") return answerOf(405);
        if (path == "/.well-known/caldav")
            return multistatusOf(resourceOf("/", "<d:current-user-principal><d:href>/ada/</d:href></d:current-user-principal>"),
                                 request.url);
        if (path == "/ada/")
            return multistatusOf(resourceOf("/ada/", "<c:calendar-home-set><d:href>/cal</d:href></c:calendar-home-set>"), request.url);
        if (path == "/cal/")
            return multistatusOf(
                resourceOf("/cal/", "<d:resourcetype><d:collection/></d:resourcetype>") +
                    resourceOf("/cal/work/",
                               "<d:resourcetype><d:collection/><c:calendar/></d:resourcetype><d:displayname>Work</d:displayname>"),
                request.url);
        if (path == "/cal/work/")
            return multistatusOf(
                resourceOf("/cal/work/",
                           "<d:sync-token>" + token + "</d:sync-token>" +
                               (offersFreeBusy
                                    ? "<d:supported-report-set><d:supported-report><d:report><c:free-busy-query/></d:report>"
                                      "</d:supported-report></d:supported-report-set><c:calendar-timezone>" +
                                          feedOf("BEGIN:VTIMEZONE\r\nTZID:" + zone + "\r\nEND:VTIMEZONE\r\n") + "</c:calendar-timezone>"
                                    : "")),
                request.url);
        return answerOf(404);
    }

    static const std::string* authorization(const HttpClient::Request& request)
    {
        for (const auto& [name, value] : request.headers)
            if (name == "Authorization") return &value;
        return nullptr;
    }
};

constexpr std::string_view calendars = "/api/admin/external-calendars";
const std::string davInput = R"({"kind":"caldav","url":"https://dav.example.test/","username":"ada","password":"sesame"})";
} // namespace

class ExternalCalendarTest : public Suite<ExternalCalendarTest, CalendarFixture>
{
    void setUp() override
    {
        CalendarFixture::setUp();
        newHost(ada, "ada");
        http().answer([this](const HttpClient::Request& request) { return server(request); });
    }

    TEST(findsCalendarsAndReadsThem)
    {
        const auto found = post(ada, std::string(calendars) + "/discover", davInput);
        equal(R"({"calendars":[{"name":"Work","url":"https://dav.example.test/cal/work/"}]})", found.body);
        const auto id = connect(davInput);
        host->context().jobs().runDue();
        const auto shown = get(ada, one(id));
        equal("ok", shown.at("/syncState"));
        equal("Work", shown.at("/name"));
        equal("1", shown.at("/eventCount"));
    }

    TEST(readsAgainOnlyWhatChanged)
    {
        const auto id = connect(davInput);
        host->context().jobs().runDue();
        server.calls.clear();
        clock().advance(std::chrono::minutes(6));
        host->context().jobs().runDue();
        CHECK((server.calls == std::vector<std::string>{"PROPFIND /cal/work/"}));
        server.token = "token-2";
        server.events += eventOf("two", "20261126T090000Z");
        equal(202, post(ada, one(id) + "/sync", "{}").status);
        host->context().jobs().runDue();
        equal("2", get(ada, one(id)).at("/eventCount"));
    }

    TEST(requestDuringAReadCausesAnotherRead)
    {
        const auto id = connect(davInput);
        http().answer(
            [&](const HttpClient::Request& request)
            {
                const auto answer = server(request);
                if (request.method != "REPORT" || server.token == "token-2") return answer;
                // The calendar changes after it was read, and before the result is stored.
                server.token = "token-2";
                server.events += eventOf("two", "20261126T090000Z");
                clock().advance(std::chrono::seconds(1));
                equal(202, post(ada, one(id) + "/sync", "{}").status);
                return answer;
            });
        host->context().jobs().runDue();
        clock().advance(std::chrono::seconds(30));
        host->context().jobs().runDue();
        equal("2", get(ada, one(id)).at("/eventCount"));
    }

    TEST(asksForFreeBusyWhereThatSaysEnough)
    {
        server.offersFreeBusy = true;
        server.freeBusy = feedOf("BEGIN:VFREEBUSY\r\nFREEBUSY:20261125T090000Z/PT1H,20261126T090000Z/PT1H\r\nEND:VFREEBUSY\r\n");
        const auto id = connect(davInput);
        host->context().jobs().runDue();
        equal("2", get(ada, one(id)).at("/eventCount"));
        // A server with another zone places all-day and floating events wrongly.
        for (const auto* zone : {"America/New_York", "Europe/Berlin"})
        {
            server.zone = zone;
            server.token = zone;
            equal(202, post(ada, one(id) + "/sync", "{}").status);
            host->context().jobs().runDue();
            equal(server.zone == "Europe/Berlin" ? "2" : "1", get(ada, one(id)).at("/eventCount"));
        }
        // If bookings are written to the calendar, their events do not count.
        equal(200, put(ada, one(id), R"({"direction":"busy_and_write"})").status);
        host->context().jobs().runDue();
        equal("1", get(ada, one(id)).at("/eventCount"));
    }

    TEST(writesBookingsWithoutPeopleToInvite)
    {
        book(connect(davInput));
        const auto& event = server.written.begin()->second;
        CPPUNIT_ASSERT_MESSAGE(event, event.find("STATUS:CONFIRMED") != std::string::npos);
        for (const auto* word : {"METHOD", "ORGANIZER", "ATTENDEE", "grace@example.org"})
            CPPUNIT_ASSERT_MESSAGE(event, event.find(word) == std::string::npos);
    }

    TEST(bookingMadeDuringAReadIsNoForeignEvent)
    {
        const auto type = made(post(ada, "/api/admin/event-types", R"({"title":"Intro","slug":"intro","durationMinutes":60})"));
        connect(davInput);
        bool isBooked = false;
        http().answer(
            [&](const HttpClient::Request& request)
            {
                if (request.method == "REPORT" && !isBooked)
                {
                    isBooked = true;
                    // The host has moved its event in the calendar, so that it lies beside the booking.
                    server.events += eventOf(get(ada, newBooking(type.at("/eventTypeId"))).at("/iCalUid"), "20261125T140000Z");
                }
                return server(request);
            });
        host->context().jobs().runDue();
        CHECK(isBooked);
        CHECK(!offers("2026-11-25T12:00:00.000Z") && offers("2026-11-25T14:00:00.000Z"));
    }

    TEST(movesAndDeletesWrittenBookingsAfterWritingIsSwitchedOff)
    {
        const auto id = connect(davInput);
        const auto booking = book(id);
        server.offersFreeBusy = true;
        server.freeBusy = feedOf("BEGIN:VFREEBUSY\r\nFREEBUSY:20261125T090000Z/PT1H,20261125T120000Z/PT1H\r\nEND:VFREEBUSY\r\n");
        equal(200, put(ada, one(id), R"({"direction":"busy_only"})").status);
        host->context().jobs().runDue();
        // Reads events, because some of them are bookings.
        equal("1", get(ada, one(id)).at("/eventCount"));
        equal(200, post(ada, booking + "/reschedule", R"({"start":"2026-11-25T13:00:00Z"})").status);
        host->context().jobs().runDue();
        equal(1, server.written.size());
        const auto& event = server.written.begin()->second;
        CPPUNIT_ASSERT_MESSAGE(event, event.find("DTSTART;TZID=Europe/Berlin:20261125T140000") != std::string::npos);
        equal(200, post(ada, booking + "/cancel", "{}").status);
        host->context().jobs().runDue();
        CHECK(server.written.empty());
    }

    TEST(writesNoDeletedEventAgainAfterWritingIsSwitchedOff)
    {
        const auto id = connect(davInput);
        const auto booking = book(id);
        equal(200, put(ada, one(id), R"({"direction":"busy_only"})").status);
        server.written.clear();
        for (const std::string hour : {"13", "14"})
        {
            equal(200, post(ada, booking + "/reschedule", jsonWith(R"({"start":"2026-11-25T$:00:00Z"})", hour)).status);
            host->context().jobs().runDue();
            CHECK(server.written.empty());
        }
    }

    TEST(neverShowsThePassword)
    {
        const auto id = connect(davInput);
        for (const auto& answer : {get(ada, one(id)), get(ada, std::string(calendars)), put(ada, one(id), R"({"name":"Other"})")})
            CPPUNIT_ASSERT_MESSAGE(answer.body,
                                   answer.body.find("sesame") == std::string::npos && answer.body.find("password") == std::string::npos);
        auto session = host->context().database().session();
        CHECK(session.value<std::string>("SELECT password FROM external_calendar")->find("sesame") == std::string::npos);
        host->context().jobs().runDue();
        equal("ok", get(ada, one(id)).at("/syncState"));
    }

    TEST(saysWhatIsWrong)
    {
        const auto rejected =
            post(ada, calendars, R"({"kind":"caldav","url":"https://dav.example.test/","username":"ada","password":"wrong"})");
        equal(400, rejected.status);
        CHECK(rejected.body.find("auth_failed") != std::string::npos);
        equal(fault("refused", "look_at_address", "dav.example.test", "401"), rejected.at("/details"));
        const auto failing = [&](const HttpAnswer& answer)
        {
            http().answer([answer](const HttpClient::Request&) { return answer; });
            const auto failure = post(ada, calendars, davInput);
            refused(failure, 502, "calendar_unreachable");
            return failure.at("/detail") + failure.at("/details");
        };
        CHECK(failing(answerOf(200, "<html>")).find("Step 1 of 3") == 0);
        CHECK(failing(answerOf(207, "<html><p>Welcome")).find("cannot be read as XML") != std::string::npos);
        CHECK(failing(answerOf(500)).find("answered 500") != std::string::npos);
        CHECK(failing(answerOf(500)).ends_with(fault("no_caldav", "find_account", "dav.example.test", "500")));
        CHECK(failing(answerOf(429)).ends_with(fault("answered", "find_account", "dav.example.test", "429")));
        http().respond(200, "BEGIN:VCALENDAR\r\n");
        const auto cut = post(ada, calendars, R"({"kind":"ics_feed","url":"https://feed.example.test/a.ics"})").at("/detail");
        CPPUNIT_ASSERT_MESSAGE(cut, cut.ends_with("is missing."));
        http().answer(
            [](const HttpClient::Request&) -> HttpAnswer
            { throw HttpFailure(400, "address_not_allowed", "That address is in an internal network", HttpFailure::Sent::NotSent); });
        equal("address_not_allowed", post(ada, calendars, davInput).at("/details/code"));
        equal(400, post(ada, calendars, R"({"kind":"google"})").status);
        equal(400, post(ada, calendars, R"({"kind":"caldav","url":"ftp://x"})").status);
        equal(400, post(ada, calendars, R"({"kind":"caldav","url":"http://dav.example.test/","username":"a","password":"b"})").status);
        // Failed attempts store nothing, and only configured kinds are offered.
        equal(R"({"items":[],"nextCursor":null,"connectableKinds":["caldav","ics_feed"]})", get(ada, std::string(calendars)).body);
    }

    TEST(keepsWhatItKnowsWhileAServerIsAway)
    {
        const auto id = connect(davInput);
        host->context().jobs().runDue();
        http().respond(503);
        clock().advance(std::chrono::minutes(6));
        host->context().jobs().runDue();
        const auto shown = get(ada, one(id));
        equal("unreachable", shown.at("/syncState"));
        CHECK(shown.at("/lastError").find("503") != std::string::npos);
        equal("[" + fault("answered", "look_for_changes", "dav.example.test", "503") + "]", shown.at("/lastFaults"));
        equal(1, busyRows());
        // Ever more seldom.
        std::size_t tries = http().requests().size();
        clock().advance(std::chrono::hours(3));
        host->context().jobs().runDue();
        equal(tries + 1, http().requests().size());
        http().answer([this](const HttpClient::Request& request) { return server(request); });
        post(ada, one(id) + "/sync", "{}");
        host->context().jobs().runDue();
        equal("ok", get(ada, one(id)).at("/syncState"));
        equal("null []", get(ada, one(id)).at("/lastError") + " " + get(ada, one(id)).at("/lastFaults"));
    }

    TEST(readsTheOtherCalendarsOfAnAccountIfOneIsGone)
    {
        const auto id = connect(davInput);
        const auto choose = [&](const std::string& collections)
        {
            equal(200, put(ada, one(id), jsonWith(R"({"selectedCollections":[$]})", collections)).status);
            host->context().jobs().runDue();
            return get(ada, one(id));
        };
        const std::string gone = R"("https://dav.example.test/cal/gone/")", work = R"("https://dav.example.test/cal/work/")";
        const auto shown = choose(gone + "," + work);
        equal("ok 1", shown.at("/syncState") + " " + shown.at("/eventCount"));
        equal("[" + fault("missing_calendar", "", "/cal/gone/", "404") + "]", shown.at("/lastFaults"));
        equal(1, busyRows());
        // Reads changes of the others.
        server.token = "token-2";
        server.events += eventOf("two", "20261126T090000Z");
        clock().advance(std::chrono::minutes(6));
        host->context().jobs().runDue();
        equal(2, busyRows());
        // Keeps what is known if none is left.
        equal("unreachable", choose(gone).at("/syncState"));
        equal(2, busyRows());
    }

    TEST(readsFeeds)
    {
        http().answer(
            [](const HttpClient::Request& request)
            {
                equal("https://feed.example.test/a.ics", request.url);
                equal(3, request.maxRedirects);
                CHECK(request.timeout <= std::chrono::seconds(5));
                for (const auto& [name, value] : request.headers)
                    if (name == "If-None-Match" && value == "\"1\"") return answerOf(304);
                return answerOf(200, feedOf(eventOf("one", "20261125T090000Z", "RRULE:FREQ=DAILY;COUNT=3\r\n")), {{"ETag", "\"1\""}});
            });
        const auto id = connect(R"({"kind":"ics_feed","url":"webcal://feed.example.test/a.ics","name":"Holidays"})");
        host->context().jobs().runDue();
        equal(3, busyRows());
        clock().advance(std::chrono::minutes(6));
        host->context().jobs().runDue();
        equal(3, busyRows());
        equal(400, put(ada, one(id), R"({"direction":"busy_and_write"})").status);
        http().respond(200, "<!DOCTYPE html>");
        clock().advance(std::chrono::minutes(6));
        host->context().jobs().runDue();
        CHECK(get(ada, one(id)).at("/lastError").find("it begins with") != std::string::npos);
        equal("no_calendar", get(ada, one(id)).at("/lastFaults/0/code"));
        equal(3, busyRows());
        // Reports faults with their event, also while the feed is unchanged.
        http().answer(
            [](const HttpClient::Request& request)
            {
                for (const auto& [name, value] : request.headers)
                    if (name == "If-None-Match" && value == "\"2\"") return answerOf(304);
                return answerOf(200, feedOf(eventOf("odd", "20261125T090000Z", "SUMMARY:Standup\r\nRRULE:FREQ=NOW\r\n")),
                                {{"ETag", "\"2\""}});
            });
        for (int time = 0; time < 2; ++time)
        {
            clock().advance(std::chrono::minutes(61));
            host->context().jobs().runDue();
            equal("ok", get(ada, one(id)).at("/syncState"));
            equal("[" + fault("unknown_rule", "", "Standup", "FREQ=NOW") + "]", get(ada, one(id)).at("/lastFaults"));
        }
    }

    TEST(readsFeedsByHttpsOnly)
    {
        http().respond(200, feedOf({}));
        const auto refused = post(ada, calendars, R"({"kind":"ics_feed","url":"http://feed.example.test/a.ics"})");
        equal("400 https_required", std::to_string(refused.status) + " " + refused.at("/errors/0/code"));
        CHECK(http().requests().empty());
        // Plain http is allowed within the local network, if the operator allows the address.
        const auto id = connect(R"({"kind":"ics_feed","url":"http://192.168.0.9/a.ics"})");
        equal(400, put(ada, one(id), R"({"url":"http://feed.example.test/a.ics"})").status);
        // A feed from before the rule is no longer read.
        host->context().database().transact(
            [](Transaction& transaction) { transaction.execute("UPDATE external_calendar SET url = 'http://feed.example.test/a.ics'"); });
        const auto asked = http().requests().size();
        host->context().jobs().runDue();
        equal(asked, http().requests().size());
        CHECK(get(ada, one(id)).at("/lastError").find("https") != std::string::npos);
    }

    TEST(movesAFeedToAnotherServer)
    {
        http().respond(200, feedOf({}));
        const auto id = connect(R"({"kind":"ics_feed","url":"https://feed.example.test/a.ics"})");
        const auto moved = put(ada, one(id), R"({"url":"https://other.test/b.ics"})");
        equal(200, moved.status, moved.body);
        equal(R"(["https://other.test/b.ics"])", moved.at("/selectedCollections"));
        host->context().jobs().runDue();
        equal("https://other.test/b.ics", http().requests().back().url);
        equal(400, put(ada, one(id), R"({"selectedCollections":["https://feed.example.test/a.ics"]})").status);
    }

    /// Wednesday 2026-11-25, ten to eleven in Berlin.
    TEST(blocksTimesUntilItIsDisconnected)
    {
        const auto type = made(post(ada, "/api/admin/event-types", R"({"title":"Intro","slug":"intro","durationMinutes":60})"));
        const auto isFree = [&] { return offers("2026-11-25T09:00:00.000Z"); };
        CHECK(isFree());
        const auto id = connect(davInput);
        host->context().jobs().runDue();
        CHECK(!isFree());
        server.token = "moved";
        server.events = eventOf("one", "20261125T120000Z");
        post(ada, one(id) + "/sync", "{}");
        host->context().jobs().runDue();
        CHECK(isFree());
        equal(200, del(ada, one(id)).status);
        equal(0, busyRows());
        // A job that is late finds nothing to do.
        clock().advance(std::chrono::minutes(6));
        host->context().jobs().runDue();
        equal(404, get(ada, one(id)).status);
    }

    TEST(changeOfTheHostsZoneMovesFloatingTimesOfAnUnchangedFeed)
    {
        made(post(ada, "/api/admin/event-types", R"({"title":"Intro","slug":"intro","durationMinutes":60})"));
        http().answer(
            [](const HttpClient::Request& request)
            {
                for (const auto& [name, value] : request.headers)
                    if (name == "If-None-Match" && value == "\"1\"") return answerOf(304);
                return answerOf(200, feedOf(eventOf("one", "20261125T100000")), {{"ETag", "\"1\""}});
            });
        connect(R"({"kind":"ics_feed","url":"https://feed.example.test/a.ics"})");
        host->context().jobs().runDue();
        CHECK(!offers("2026-11-25T09:00:00.000Z") && offers("2026-11-25T10:00:00.000Z"));
        equal(200, put(ada, "/api/admin/host", R"({"timeZone":"Europe/London"})").status);
        clock().advance(std::chrono::minutes(1));
        host->context().jobs().runDue();
        CHECK(offers("2026-11-25T09:00:00.000Z") && !offers("2026-11-25T10:00:00.000Z"));
    }

    TEST(changeOfTheHostsZoneDuringAReadCausesAnotherRead)
    {
        made(post(ada, "/api/admin/event-types", R"({"title":"Intro","slug":"intro","durationMinutes":60})"));
        server.events = eventOf("one", "20261125T100000");
        connect(davInput);
        http().answer(
            [&](const HttpClient::Request& request)
            {
                const auto answer = server(request);
                if (request.method == "REPORT") equal(200, put(ada, "/api/admin/host", R"({"timeZone":"Europe/London"})").status);
                return answer;
            });
        host->context().jobs().runDue();
        clock().advance(std::chrono::minutes(1));
        host->context().jobs().runDue();
        CHECK(offers("2026-11-25T09:00:00.000Z") && !offers("2026-11-25T10:00:00.000Z"));
    }

    TEST(keepsOrganizationsApart)
    {
        const auto id = connect(davInput);
        newHost(stranger, "eve");
        equal(404, get(stranger, one(id)).status);
        equal(404, put(stranger, one(id), R"({"name":"Mine"})").status);
        equal(404, post(stranger, one(id) + "/sync", "{}").status);
        equal(404, del(stranger, one(id)).status);
    }

    TEST(redirectsReceiveNoPassword)
    {
        using calendar::keepsSecrets;
        using calendar::resolveUrl;
        using calendar::trustsWithCredentials;
        CHECK(trustsWithCredentials("https://caldav.icloud.com/", "https://p07-caldav.icloud.com/1/"));
        for (const auto* other : {"https://evil.test/", "http://caldav.icloud.com/", "https://icloud.com.evil.test/",
                                  "https://caldav.icloud.com:444.evil.test/", "https://caldav.icloud.com:x@evil.test/"})
            CPPUNIT_ASSERT_MESSAGE(other, !trustsWithCredentials("https://caldav.icloud.com/", other));
        CHECK(!trustsWithCredentials("https://10.0.0.1/", "https://99.0.0.1/"));
        for (const auto* kept : {"https://a.test/", "http://127.0.0.1:5232/", "http://radicale:5232/", "http://172.16.0.9/",
                                 "http://[::1]/", "http://nas.local/"})
            CPPUNIT_ASSERT_MESSAGE(kept, keepsSecrets(kept));
        for (const auto* lost :
             {"http://a.test/", "http://172.32.0.9/", "http://1.2.3.4/", "http://10.evil.test/", "http://127.0.0.1.evil.test/"})
            CPPUNIT_ASSERT_MESSAGE(lost, !keepsSecrets(lost));
        equal("https://a.test/b/c", resolveUrl("https://a.test/b/x?y=/z", "c"));
        equal("https://a.test/c", resolveUrl("https://a.test", "c"));
        equal("https://b.test/c", resolveUrl("https://a.test/", "//b.test/c"));
        // Not with a change of the address either.
        const auto id = connect(davInput);
        const auto moved = put(ada, one(id), R"({"url":"https://evil.test/","selectedCollections":["https://evil.test/cal/"]})");
        equal(400, moved.status);
        equal(400, put(ada, one(id), R"({"selectedCollections":["https://evil.test/cal/"]})").status);
    }

    TEST(asksForAPasswordThatCannotBeRead)
    {
        const auto id = connect(davInput);
        host->context().jobs().runDue();
        host->context().database().transact([](Transaction& transaction)
                                            { transaction.execute("UPDATE external_calendar SET password = 's1.gone.x'"); });
        clock().advance(std::chrono::minutes(6));
        // A guest who books in this state sees no error.
        made(post(ada, "/api/admin/event-types", R"({"title":"Intro","slug":"intro"})"));
        const auto free = host->call(testing::TestRequest{
            Method::Get, "/api/public/ada/intro/availability?fromDate=2026-11-24&toDate=2026-11-24", {}, {}, Caller::nobody()});
        const auto held = made(
            post(Caller::nobody(), "/api/public/ada/intro/hold", jsonWith(R"({"start":"$","timeZone":"UTC"})", free.at("/slots/0/start"))));
        made(post(Caller::nobody(), "/api/public/ada/intro/confirm",
                  jsonWith(R"({"holdId":"$","holdToken":"$","guest":{"name":"G","email":"g@example.org","timeZone":"UTC"}})",
                           held.at("/holdId"), held.at("/holdToken"))));
        host->context().jobs().runDue();
        equal("auth_failed", get(ada, one(id)).at("/syncState"));
        equal("password_lost", get(ada, one(id)).at("/lastFaults/0/code"));
    }

    TEST(refusesXmlThatGrows)
    {
        equal("b", calendar::parseXml("<a><x:c xmlns:x='y'>b</x:c></a>").children.front().text);
        std::string deep;
        for (int i = 0; i < 100; ++i) deep += "<a>";
        for (const std::string& text :
             {std::string("<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"), std::string(), std::string("<a>"), std::string("<a></b>"), deep,
              // A long namespace would be repeated in each name.
              "<a xmlns='" + std::string(1000, 'x') + "'><b/></a>", "<" + std::string(1000, 'x') + "/>"})
            CPPUNIT_ASSERT_THROW(calendar::parseXml(text), calendar::XmlError);
    }

    static std::string fault(const std::string& code, const std::string& step, const std::string& about, const std::string& detail)
    {
        return jsonWith(R"({"code":"$","step":"$","about":"$","detail":"$"})", code, step, about, detail);
    }
    testing::FakeHttpClient& http() const { return host->context().http(); }
    static std::string one(const std::string& id) { return std::string(calendars) + "/" + id; }
    std::string connect(const std::string& input) const { return made(post(ada, calendars, input)).at("/calendarId"); }
    /// Books Wednesday 2026-11-25, 12:00 to 13:00, and writes it to the calendar. Returns the booking's path.
    std::string book(const std::string& calendar)
    {
        const auto type = made(post(ada, "/api/admin/event-types", R"({"title":"Intro","slug":"intro","durationMinutes":60})"));
        equal(200, put(ada, one(calendar), R"({"direction":"busy_and_write"})").status);
        auto booking = newBooking(type.at("/eventTypeId"));
        host->context().jobs().runDue();
        equal(1, server.written.size());
        return booking;
    }
    /// The path of a new booking of the same time.
    std::string newBooking(const std::string& type) const
    {
        const std::string guest = R"({"name":"Grace","email":"grace@example.org","timeZone":"UTC"})";
        const auto booking = made(
            post(ada, "/api/admin/bookings", jsonWith(R"({"eventTypeId":"$","start":"2026-11-25T12:00:00Z","guest":$})", type, guest)));
        return "/api/admin/bookings/" + booking.at("/bookingId");
    }
    /// Returns true if guests can choose this start on 2026-11-25.
    bool offers(const std::string& start) const
    {
        const auto answer =
            host->call(Method::Get, "/api/public/ada/intro/availability?from=2026-11-25T00:00:00Z&to=2026-11-26T00:00:00Z", {});
        equal(200, answer.status, answer.body);
        return answer.body.find(R"("start":")" + start + '"') != std::string::npos;
    }
    std::int64_t busyRows() const
    {
        auto session = host->context().database().session();
        return *session.value<std::int64_t>("SELECT COUNT(*) FROM external_busy");
    }

    FakeCalDav server;
};
} // namespace portico::tests
