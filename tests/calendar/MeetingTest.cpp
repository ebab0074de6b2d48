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

/// Calls to the chat service and the notification service. Their failures do not affect bookings.
class CalendarMeetingTest : public Suite<CalendarMeetingTest, BookingFixture>
{
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

    TEST(makesAMeetingAtOnce)
    {
        http().respond(201, R"({"meetingId":"m1","guestUrl":"https://chat.example/g/1","hostUrl":"https://chat.example/h/1"})");
        const auto confirmed = booked(nine, "chat");
        equal("ready", confirmed.at("/booking/meetingStatus"));
        equal("null", confirmed.at("/booking/meetingReason"));
        equal("https://chat.example/g/1", confirmed.at("/booking/meetingProviderRef"));
        const auto asked = http().requests();
        equal(1, asked.size());
        equal("https://chat.example/internal/calendar/meetings", asked[0].url);
        equal(confirmed.at("/booking/bookingId"), header(asked[0], "Idempotency-Key"));
        equal("Bearer s3cret", header(asked[0], "Authorization"));
        CHECK(asked[0].timeout <= std::chrono::seconds(2));
        // The confirmation was written before there was a link.
        equal("1", confirmed.at("/booking/iCalSequence"));
        equal("Meeting link: Chat with Ada", lastMail().subject);
        CHECK(lastMail().text.find("https://chat.example/g/1") != std::string::npos);
        CHECK(lastMail().calendar.find("SEQUENCE:1") != std::string::npos);
        const auto mails = host->context().mailer().sent().size();
        // The job that would have made it later finds it made.
        clock().advance(std::chrono::minutes(1));
        host->context().jobs().runDue();
        equal(1, http().requests().size());
        equal(mails, host->context().mailer().sent().size());
    }

    TEST(makesAMeetingLater)
    {
        http().respond(503);
        const auto confirmed = booked(nine, "chat");
        equal("provisioning", confirmed.at("/booking/meetingStatus"));
        http().respond(201, R"({"guestUrl":"https://chat.example/g/2"})");
        clock().advance(std::chrono::seconds(10));
        host->context().jobs().runDue();
        const auto later = get(ada, "/api/admin/bookings/" + confirmed.at("/booking/bookingId"));
        equal("https://chat.example/g/2", later.at("/meetingProviderRef"));
        CHECK(lastMail().text.find("https://chat.example/g/2") != std::string::npos);
    }

    TEST(givesUp)
    {
        http().respond(201, R"({"guestUrl":"javascript:x"})");
        const auto id = booked(nine, "chat").at("/booking/bookingId");
        for (int time = 0; time < 8; ++time)
        {
            clock().advance(std::chrono::hours(2));
            host->context().jobs().runDue();
        }
        equal("failed", get(ada, "/api/admin/bookings/" + id).at("/meetingStatus"));
        equal("chat_unreachable", get(ada, "/api/admin/bookings/" + id).at("/meetingReason"));
        equal("confirmed", get(ada, "/api/admin/bookings/" + id).at("/status"));
        equal("ada@acme.example", lastMail().to);
        equal("No meeting room: Chat with Grace", lastMail().subject);
    }

    TEST(movesAndRemoves)
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
        equal("POST DELETE ", methods);
        equal("https://chat.example/internal/calendar/meetings/" + id, http().requests().back().url);
    }

    TEST(reportsChangesDuringTheRequest)
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
                        equal(200, step(id, meanwhile, body).status);
                        // The job runs before the meeting exists.
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
            equal(expected, methods);
            if (meanwhile == "reschedule") CHECK(http().requests().back().body.find("2026-11-24T10:00:00.000Z") != std::string::npos);
        }
    }

    TEST(hasNoMeetingWithoutAService)
    {
        settings.config.erase("calendar.chat.url");
        BookingFixture::setUp();
        newType(R"({"slug":"chat","title":"Chat","meetingKind":"chat_meeting"})");
        const auto confirmed = booked(nine, "chat");
        equal("failed chat_unconfigured", confirmed.at("/booking/meetingStatus") + " " + confirmed.at("/booking/meetingReason"));
        const auto told = get(ada, "/api/admin/bookings/" + confirmed.at("/booking/bookingId"));
        equal("confirmed chat_unconfigured", told.at("/status") + " " + told.at("/meetingReason"));
        CHECK(http().requests().empty());
    }

    TEST(notifies)
    {
        const auto id = booked(nine).at("/booking/bookingId");
        const auto sent = host->context().deliveries().sent();
        equal(1, sent.size());
        CHECK(sent[0].body.find("calendar.booking.confirmed") != std::string::npos);
        CHECK(sent[0].body.find(jsonWith(R"("bookingId":"$")", id)) != std::string::npos);
        CHECK(sent[0].body.find(sent[0].id) != std::string::npos);
        settings.config.erase("calendar.notification.url");
        BookingFixture::setUp();
        booked(nine);
        CHECK(host->context().deliveries().sent().empty());
    }

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
} // namespace portico::tests
