#include "calendar/BookingFixture.h"
#include "calendar/OneMember.h"

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <utility>
#include <vector>

namespace portico::tests
{

/// What others are asked and told of bookings: the chat service and the notification service. A booking stands whatever they do.
class CalendarMeetingTest : public BookingFixture
{
    CPPUNIT_TEST_SUITE(CalendarMeetingTest);
    CPPUNIT_TEST(makesAMeetingAtOnce);
    CPPUNIT_TEST(makesAMeetingLater);
    CPPUNIT_TEST(givesUp);
    CPPUNIT_TEST(movesAndRemoves);
    CPPUNIT_TEST(tellsWhatHappenedWhileItAsked);
    CPPUNIT_TEST(hasNoMeetingWithoutAService);
    CPPUNIT_TEST(notifies);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        std::ofstream(_secret.string()) << "s3cret\n";
        settings.config = {{"calendar.chat.url", "https://chat.example"},
                           {"calendar.chat.tokenFile", _secret.string()},
                           {"calendar.notification.url", "https://notify.example/in"},
                           {"calendar.notification.apiKeyFile", _secret.string()}};
        BookingFixture::setUp();
        host->context().services().offer<interfaces::Directory>(_directory);
        newType(R"({"slug":"chat","title":"Chat","meetingKind":"chat_meeting"})");
    }
    void tearDown() override
    {
        BookingFixture::tearDown();
        std::filesystem::remove(_secret);
    }

    void makesAMeetingAtOnce()
    {
        http().respond(201, R"({"meetingId":"m1","guestUrl":"https://chat.example/g/1","hostUrl":"https://chat.example/h/1"})");
        const auto confirmed = booked(nine, "chat");
        CPPUNIT_ASSERT_EQUAL(std::string("ready"), confirmed.at("/booking/meetingStatus"));
        CPPUNIT_ASSERT_EQUAL(std::string("null"), confirmed.at("/booking/meetingReason"));
        CPPUNIT_ASSERT_EQUAL(std::string("https://chat.example/g/1"), confirmed.at("/booking/meetingProviderRef"));
        const auto asked = http().requests();
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, asked.size());
        CPPUNIT_ASSERT_EQUAL(std::string("https://chat.example/internal/calendar/meetings"), asked[0].url);
        CPPUNIT_ASSERT_EQUAL(confirmed.at("/booking/bookingId"), header(asked[0], "Idempotency-Key"));
        CPPUNIT_ASSERT_EQUAL(std::string("Bearer s3cret"), header(asked[0], "Authorization"));
        CPPUNIT_ASSERT(asked[0].timeout <= std::chrono::seconds(2));
        // The confirmation was written before there was a link.
        CPPUNIT_ASSERT_EQUAL(std::string("1"), confirmed.at("/booking/iCalSequence"));
        CPPUNIT_ASSERT_EQUAL(std::string("Meeting link: Chat with Ada"), lastMail().subject);
        CPPUNIT_ASSERT(lastMail().text.find("https://chat.example/g/1") != std::string::npos);
        CPPUNIT_ASSERT(lastMail().calendar.find("SEQUENCE:1") != std::string::npos);
        const auto mails = host->context().mailer().sent().size();
        // The job that would have made it later finds it made.
        clock().advance(std::chrono::minutes(1));
        host->context().jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, http().requests().size());
        CPPUNIT_ASSERT_EQUAL(mails, host->context().mailer().sent().size());
    }

    void makesAMeetingLater()
    {
        http().respond(503);
        const auto confirmed = booked(nine, "chat");
        CPPUNIT_ASSERT_EQUAL(std::string("provisioning"), confirmed.at("/booking/meetingStatus"));
        http().respond(201, R"({"guestUrl":"https://chat.example/g/2"})");
        clock().advance(std::chrono::seconds(10));
        host->context().jobs().runDue();
        const auto later = get(ada, "/api/admin/bookings/" + confirmed.at("/booking/bookingId"));
        CPPUNIT_ASSERT_EQUAL(std::string("https://chat.example/g/2"), later.at("/meetingProviderRef"));
        CPPUNIT_ASSERT(lastMail().text.find("https://chat.example/g/2") != std::string::npos);
    }

    void givesUp()
    {
        http().respond(201, R"({"guestUrl":"javascript:x"})");
        const auto id = booked(nine, "chat").at("/booking/bookingId");
        for (int time = 0; time < 8; ++time)
        {
            clock().advance(std::chrono::hours(2));
            host->context().jobs().runDue();
        }
        CPPUNIT_ASSERT_EQUAL(std::string("failed"), get(ada, "/api/admin/bookings/" + id).at("/meetingStatus"));
        CPPUNIT_ASSERT_EQUAL(std::string("chat_unreachable"), get(ada, "/api/admin/bookings/" + id).at("/meetingReason"));
        CPPUNIT_ASSERT_EQUAL(std::string("confirmed"), get(ada, "/api/admin/bookings/" + id).at("/status"));
        CPPUNIT_ASSERT_EQUAL(std::string("ada@acme.example"), lastMail().to);
        CPPUNIT_ASSERT_EQUAL(std::string("No meeting room: Chat with Grace"), lastMail().subject);
    }

    void movesAndRemoves()
    {
        http().respond(201, R"({"guestUrl":"https://chat.example/g/3"})");
        const auto id = booked(nine, "chat").at("/booking/bookingId");
        step(id, "reschedule", R"({"start":"2026-11-24T10:00:00Z"})");
        step(id, "cancel");
        clock().advance(std::chrono::minutes(1));
        host->context().jobs().runDue();
        std::string methods;
        for (const auto& each : http().requests()) methods += each.method + " ";
        // It was cancelled before it was moved there: only the removal is left to do.
        CPPUNIT_ASSERT_EQUAL(std::string("POST DELETE "), methods);
        CPPUNIT_ASSERT_EQUAL("https://chat.example/internal/calendar/meetings/" + id, http().requests().back().url);
    }

    void tellsWhatHappenedWhileItAsked()
    {
        for (const auto& [meanwhile, body, expected] : std::vector<std::array<std::string, 3>>{
                 {"reschedule", R"({"start":"2026-11-24T10:00:00Z"})", "POST POST PATCH PATCH "}, {"cancel", "{}", "POST DELETE DELETE "}})
        {
            BookingFixture::setUp();
            host->context().services().offer<interfaces::Directory>(_directory);
            newType(R"({"slug":"chat","title":"Chat","meetingKind":"chat_meeting"})");
            bool happened = false;
            http().answer(
                [&](const HttpClient::Request& request)
                {
                    if (!std::exchange(happened, true))
                    {
                        const auto id = header(request, "Idempotency-Key");
                        CPPUNIT_ASSERT_EQUAL(200, step(id, meanwhile, body).status);
                        // Whoever tells it at once tells it of a meeting that there is not yet.
                        host->context().jobs().runDue();
                    }
                    HttpClient::Response answer;
                    answer.status = 201;
                    answer.body = R"({"guestUrl":"https://chat.example/g/4"})";
                    return answer;
                });
            booked(nine, "chat");
            clock().advance(std::chrono::minutes(1));
            host->context().jobs().runDue();
            std::string methods;
            for (const auto& each : http().requests()) methods += each.method + " ";
            CPPUNIT_ASSERT_EQUAL(expected, methods);
            if (meanwhile == "reschedule")
                CPPUNIT_ASSERT(http().requests().back().body.find("2026-11-24T10:00:00.000Z") != std::string::npos);
        }
    }

    void hasNoMeetingWithoutAService()
    {
        settings.config.erase("calendar.chat.url");
        BookingFixture::setUp();
        newType(R"({"slug":"chat","title":"Chat","meetingKind":"chat_meeting"})");
        const auto confirmed = booked(nine, "chat");
        CPPUNIT_ASSERT_EQUAL(std::string("failed chat_unconfigured"),
                             confirmed.at("/booking/meetingStatus") + " " + confirmed.at("/booking/meetingReason"));
        const auto told = get(ada, "/api/admin/bookings/" + confirmed.at("/booking/bookingId"));
        CPPUNIT_ASSERT_EQUAL(std::string("confirmed chat_unconfigured"), told.at("/status") + " " + told.at("/meetingReason"));
        CPPUNIT_ASSERT(http().requests().empty());
    }

    void notifies()
    {
        const auto id = booked(nine).at("/booking/bookingId");
        const auto sent = host->context().deliveries().sent();
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, sent.size());
        CPPUNIT_ASSERT(sent[0].body.find("calendar.booking.confirmed") != std::string::npos);
        CPPUNIT_ASSERT(sent[0].body.find("\"bookingId\":\"" + id + "\"") != std::string::npos);
        CPPUNIT_ASSERT(sent[0].body.find(sent[0].id) != std::string::npos);
        settings.config.erase("calendar.notification.url");
        BookingFixture::setUp();
        booked(nine);
        CPPUNIT_ASSERT(host->context().deliveries().sent().empty());
    }

private:
    Mail lastMail() const { return host->context().mailer().sent().back(); }
    testing::FakeHttpClient& http() const { return host->context().http(); }
    static std::string header(const HttpClient::Request& request, std::string_view name)
    {
        for (const auto& [key, value] : request.headers)
            if (key == name) return value;
        return {};
    }

    const std::string nine = "2026-11-24T08:00:00Z";
    OneMember _directory;
    const std::filesystem::path _secret = std::filesystem::temp_directory_path() / ("portico-calendar-" + makeUlid(Instant{}));
};
CPPUNIT_TEST_SUITE_REGISTRATION(CalendarMeetingTest);

} // namespace portico::tests
