#include "calendar/CalendarFixture.h"
#include "calendar/OneMember.h"

#include "external/Xml.h"

#include "portico/testing/FakeHttpClient.h"

namespace portico::tests
{

namespace
{
/// CalDAV server with one calendar at /cal/ and objects in it. `marks` configures which change markers it offers.
struct ObjectServer
{
    std::string marks = "<d:sync-token>1</d:sync-token>";
    /// Name and calendar-data, which may be none.
    std::vector<std::pair<std::string, std::string>> objects;
    std::string etag;
    std::string addresses;
    /// Further responses of the report.
    std::string more;
    int reports = 0;

    HttpClient::Response operator()(const HttpClient::Request& request)
    {
        const auto path = request.url.substr(std::string("https://dav.example.test").size());
        const auto has = [&](std::string_view text) { return request.body.find(text) != std::string::npos; };
        std::string found;
        if (request.method == "REPORT")
        {
            ++reports;
            for (const auto& [name, data] : objects)
                found += resource(name, data.empty() ? "" : "<c:calendar-data>" + data + "</c:calendar-data>");
            found += more;
        }
        else if (has("calendar-user-address-set"))
            found = resource("/me/", "<c:calendar-user-address-set>" + addresses + "</c:calendar-user-address-set>");
        else if (has("current-user-principal"))
            found = resource("/", "<d:current-user-principal><d:href>/me/</d:href></d:current-user-principal>");
        else if (has("getetag"))
        {
            found = resource("/cal/", "");
            for (const auto& [name, data] : objects) found += resource(name, etag.empty() ? "" : "<d:getetag>" + etag + "</d:getetag>");
        }
        else if (path == "/cal/")
            found = resource("/cal/", "<d:resourcetype><d:collection/><c:calendar/></d:resourcetype>" + marks);
        HttpClient::Response answer;
        answer.status = 207;
        answer.url = request.url;
        answer.body =
            R"(<?xml version="1.0"?><d:multistatus xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav">)" + found + "</d:multistatus>";
        return answer;
    }

    static std::string resource(const std::string& href, const std::string& properties)
    {
        return "<d:response><d:href>" + href + "</d:href><d:propstat><d:prop>" + properties +
               "</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>";
    }
};

/// An event of one hour, at the given hour of UTC on 25 November.
std::string objectAt(const std::string& hour, const std::string& more = {})
{
    return "BEGIN:VCALENDAR\nVERSION:2.0\nBEGIN:VEVENT\nUID:at" + hour + "\nDTSTART:20261125T" + hour + "0000Z\nDURATION:PT1H\n" + more +
           "END:VEVENT\nEND:VCALENDAR\n";
}
} // namespace

/// External calendars with unreadable objects, and servers that omit data.
class OddAccountTest : public Suite<OddAccountTest, CalendarFixture>
{
    void setUp() override
    {
        CalendarFixture::setUp();
        newHost(ada, "ada");
        http().answer([this](const HttpClient::Request& request) { return server(request); });
    }

    TEST(readsOtherObjectsBesideDamagedOnes)
    {
        server.objects = {{"/cal/good.ics", objectAt("09")},
                          {"/cal/bad.ics", "BEGIN:VCALENDAR\nVERSION:2.0\nBEGIN:VEVENT\nUID:bad\nDTSTART:20261126T090000Z\n"},
                          {"/cal/empty.ics", " "},
                          {"/cal/gone.ics", ""},
                          {"/cal/other.ics", objectAt("12")}};
        const auto id = connect();
        equal("09 12 ", busyHours());
        const auto shown = get(ada, id);
        equal("ok", shown.at("/syncState"));
        for (const auto* name : {"/cal/bad.ics", "/cal/empty.ics", "/cal/gone.ics"})
        {
            CPPUNIT_ASSERT_MESSAGE(shown.at("/lastError"), shown.at("/lastError").find(name) != std::string::npos);
            CPPUNIT_ASSERT_MESSAGE(shown.at("/lastFaults"), shown.at("/lastFaults").find(name) != std::string::npos);
        }
    }

    TEST(readsObjectsWithCharactersThatXmlForbids)
    {
        server.objects = {{"/cal/1.ics", objectAt("09", "DESCRIPTION:a\x0b"
                                                        "b &#11; \xff\n")},
                          {"/cal/2.ics", objectAt("12", "SUMMARY:Caf\xC3\xA9 &amp; tea\n")}};
        connect();
        equal("09 12 ", busyHours());
    }

    TEST(repairsCharactersThatXmlForbids)
    {
        using calendar::xmlCharacters;
        for (const auto* text : {"&#x1;", "&#0;", "&#xD800;", "&#xFFFE;", "&#1114112;", "&#99999999999;", "&#;", "&#x;", "&#000000000011;"})
            equal("a b", xmlCharacters("a" + std::string(text) + "b"), text);
        for (const auto* bytes : {"\x01", "\xC3", "\xEF\xBF\xBE", "\xEF\xBF\xBF"})
            equal(' ', xmlCharacters("a" + std::string(bytes) + "b").at(1), bytes);
        equal("a   b", xmlCharacters("a\xED\xA0\x80"
                                     "b"));
        equal("    ", xmlCharacters("\xF4\x90\x80\x80"));
        equal("Q&amp;A &amp;nbsp; &amp;", xmlCharacters("Q&A &nbsp; &"));
        for (const auto* text : {"\xC3\xA9&amp;&#65;&lt;&#x1F980;", "<![CDATA[Q&A &nbsp; &#1;]]>&gt;", "\xF0\x9F\xA6\x80"})
            equal(text, xmlCharacters(text));
    }

    /// One object that the server has not escaped does not hide the others.
    TEST(readsObjectsThatAreNotEscaped)
    {
        server.objects = {{"/cal/1.ics", objectAt("09", "DESCRIPTION:Q&A &nbsp; \xEF\xBF\xBE &#xD800;\n")}, {"/cal/2.ics", objectAt("12")}};
        connect();
        equal("09 12 ", busyHours());
    }

    /// 507 of the calendar itself (RFC 4791, 9.5 and RFC 6578, 3.6).
    TEST(namesAnAnswerThatIsNotWhole)
    {
        server.objects = {{"/cal/1.ics", objectAt("09")}};
        server.more = "<d:response><d:href>/cal/</d:href><d:status>HTTP/1.1 507 Insufficient Storage</d:status></d:response>";
        const auto shown = get(ada, connect());
        equal("09 ", busyHours());
        equal("incomplete_answer", shown.at("/lastFaults/0/code"));
    }

    TEST(readsServersWithoutMarksEachTime)
    {
        server.marks.clear();
        server.objects = {{"/cal/a.ics", objectAt("09")}};
        const auto id = connect();
        equal("09 ", busyHours());
        server.objects = {{"/cal/a.ics", objectAt("12")}};
        post(ada, id + "/sync", "{}");
        host->context().jobs().runDue();
        equal("12 ", busyHours());
        equal("ok", get(ada, id).at("/syncState"));
    }

    TEST(keepsToEtagsWhereThereAreSome)
    {
        server.marks.clear();
        server.etag = "\"1\"";
        server.objects = {{"/cal/a.ics", objectAt("09")}};
        const auto id = connect();
        const int before = server.reports;
        post(ada, id + "/sync", "{}");
        host->context().jobs().runDue();
        equal(before, server.reports);
    }

    TEST(knowsTheHostByTheServersAddresses)
    {
        server.addresses = "<d:href>mailto:Ada.L@Example.test</d:href><d:href>/me/</d:href>";
        server.objects = {{"/cal/1.ics", objectAt("09", "ATTENDEE;PARTSTAT=DECLINED:mailto:ada.l@example.test\n")},
                          {"/cal/2.ics", objectAt("10", "ATTENDEE;PARTSTAT=DECLINED:/me/\n")},
                          {"/cal/3.ics", objectAt("11", "ATTENDEE;PARTSTAT=DECLINED;EMAIL=ada.l@example.test:urn:uuid:1\n")},
                          {"/cal/4.ics", objectAt("12", "ATTENDEE;PARTSTAT=DECLINED:mailto:bob@example.test\n")}};
        connect();
        equal("12 ", busyHours());
    }

    TEST(knowsTheHostByTheirAccount)
    {
        host->context().services().offer<interfaces::Directory>(_directory);
        server.objects = {{"/cal/1.ics", objectAt("09", "ATTENDEE;PARTSTAT=DECLINED:MAILTO:Ada@Acme.example\n")},
                          {"/cal/2.ics", objectAt("12")}};
        connect();
        equal("12 ", busyHours());
        http().respond(200, objectAt("13", "ATTENDEE;PARTSTAT=DECLINED:mailto:ada@acme.example\n"));
        equal(201, post(ada, calendars, R"({"kind":"ics_feed","url":"https://feed.example.test/a.ics"})").status);
        host->context().jobs().runDue();
        equal("12 ", busyHours());
    }

    TEST(connectsFeedsWithADamagedEvent)
    {
        http().respond(200, "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nDTSTART:20261125T090000Z\nDURATION:P60M\nDESCRIPTION:x\nEnd: 7:30 PM\n"
                            "BEGIN:VEVENT\nUID:2\nDTSTART:20261125T120000Z\nDURATION:PT1H\nEND:VEVENT\nEND:VCALENDAR\n");
        const auto answer = post(ada, calendars, R"({"kind":"ics_feed","url":"https://feed.example.test/a.ics"})");
        equal(201, answer.status, answer.body);
        host->context().jobs().runDue();
        equal("09 12 ", busyHours());
        const auto shown = get(ada, std::string(calendars) + "/" + answer.at("/calendarId"));
        equal("damaged_event 1 repaired P60M", shown.at("/lastFaults/0/code") + " " + shown.at("/lastFaults/0/about") + " " +
                                                   shown.at("/lastFaults/1/code") + " " + shown.at("/lastFaults/1/detail"));
    }

    static constexpr std::string_view calendars = "/api/admin/external-calendars";

    testing::FakeHttpClient& http() const { return host->context().http(); }
    /// Connects the account and reads it; the calendar's path.
    std::string connect() const
    {
        const auto answer =
            made(post(ada, calendars, R"({"kind":"caldav","url":"https://dav.example.test/cal/","username":"ada","password":"sesame"})"));
        host->context().jobs().runDue();
        return std::string(calendars) + "/" + answer.at("/calendarId");
    }
    /// Returns the hours of 25 November at which busy times begin.
    std::string busyHours() const
    {
        auto session = host->context().database().session();
        std::string hours;
        for (Row row : session.query("SELECT start_at FROM external_busy ORDER BY start_at"))
            hours += toString(row.get<Instant>(0)).substr(11, 2) + " ";
        return hours;
    }

    ObjectServer server;
    OneMember _directory;
};
} // namespace portico::tests
