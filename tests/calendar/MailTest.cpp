#include "calendar/BookingFixture.h"
#include "calendar/OneMember.h"

#include "mails/BookingMails.h"
#include "mails/MailFiles.h"

namespace portico::tests
{

/// Mails about bookings: to whom, in which language and zone, with which invitation.
class CalendarMailTest : public Suite<CalendarMailTest, BookingFixture>
{
    void setUp() override
    {
        BookingFixture::setUp();
        host->context().services().offer<interfaces::Directory>(_directory);
    }

    TEST(usesAllOfItsTexts)
    {
        const Templates templates(calendar::mailFiles(), host->context().logger());
        templates.bind<calendar::BookingMail>("guest.txt");
        templates.bind<calendar::BookingMail>("host.txt");
        templates.bind<calendar::MailFrame>("mail.html");
        const auto found = templates.findings();
        equal(0, found.size(), found.empty() ? std::string() : found.front());
    }

    TEST(mailsGuestAndHost)
    {
        const auto confirmed = booked(nine);
        const auto mails = sent();
        equal(2, mails.size());
        equal("Grace@example.org", mails[0].to);
        equal("Booked: Intro call with Ada", mails[0].subject);
        equal("ada@acme.example", mails[0].replyTo);
        // Nine in Berlin is three in New York, where the guest is.
        assertHas(mails[0].text, "3:00");
        assertHas(mails[0].text, "/public/bookings/" + confirmed.at("/booking/bookingId") + "?token=" + tokenOf(confirmed));
        assertHas(mails[0].calendar, "METHOD:REQUEST");
        equal("booking.ics", mails[0].attachments.at(0).fileName);
        equal("ada@acme.example", mails[1].to);
        assertHas(mails[1].text, "Grace@example.org");
        assertHas(mails[1].text, "/app/bookings/" + confirmed.at("/booking/bookingId"));
        CHECK(mails[1].text.find("token=") == std::string::npos);
        CHECK(mails[1].attachments.at(0).bytes.find("token=") == std::string::npos);
    }

    TEST(speaksTheGuestsLanguage)
    {
        const auto held = made(hold(nine));
        const auto body =
            jsonWith(R"({"holdId":"$","holdToken":"$","guest":{"name":"Emmy","email":"emmy@example.org","timeZone":"Europe/Berlin",)"
                     R"("locale":"de-AT"}})",
                     held.at("/holdId"), held.at("/holdToken"));
        made(guest(portico::Method::Post, "/api/public/ada/intro/confirm", body));
        equal("Gebucht: Intro call mit Ada", sent().at(0).subject);
        assertHas(sent().at(0).text, "Dienstag, 24. November 2026, 09:00 \u2013 09:30");
        equal("Booked: Intro call with Emmy", sent().at(1).subject);
    }

    TEST(saysYesInTheReadersLanguage)
    {
        put(ada, "/api/admin/event-types/" + intro, R"({"questions":[{"questionId":"q","label":"Terms","type":"checkbox"}]})");
        put(ada, "/api/admin/host", R"({"locale":"de-CH"})");
        const auto held = made(hold(nine));
        const auto body = jsonWith(R"({"holdId":"$","holdToken":"$","answers":[{"questionId":"q","value":true}],"guest":{"name":"Emmy",)"
                                   R"("email":"emmy@example.org","timeZone":"Europe/Berlin","locale":"en"}})",
                                   held.at("/holdId"), held.at("/holdToken"));
        const auto confirmed = made(guest(portico::Method::Post, "/api/public/ada/intro/confirm", body));
        assertHas(sent().at(0).calendar, "Terms: Yes");
        assertHas(sent().at(1).text, "Terms: Ja");
        assertHas(sent().at(1).attachments.at(0).bytes, "Terms: Ja");
        const auto file = "/api/public/bookings/" + confirmed.at("/booking/bookingId") + "/calendar.ics?token=" + tokenOf(confirmed);
        assertHas(guest(portico::Method::Get, file).body, "Terms: Yes");
    }

    TEST(asksAndAnswers)
    {
        put(ada, "/api/admin/event-types/" + intro, R"({"requiresApproval":true})");
        const auto id = booked(nine).at("/booking/bookingId");
        equal("Requested: Intro call with Ada", sent().at(0).subject);
        CHECK(sent().at(0).calendar.empty());
        equal("Request: Intro call with Grace", sent().at(1).subject);
        step(id, "decline", R"({"reason":"On holiday"})");
        equal("Declined: Intro call with Ada", sent().at(2).subject);
        assertHas(sent().at(2).text, "On holiday");
    }

    TEST(takesInvitationsBack)
    {
        const auto id = booked(nine).at("/booking/bookingId");
        step(id, "reschedule", R"({"start":"2026-11-24T10:00:00Z","reason":"Train"})");
        assertHas(sent().at(2).text, "Previously:");
        assertHas(sent().at(2).text, "Reason: Train\n\nChange or cancel it:");
        assertHas(sent().at(2).calendar, "SEQUENCE:1");
        step(id, "cancel", R"({"reason":"Storm"})");
        assertHas(sent().at(4).calendar, "METHOD:CANCEL");
        assertHas(sent().at(4).text, "Storm");
        // Nothing is left to open.
        CHECK(sent().at(4).text.find("token=") == std::string::npos);
    }

    TEST(invitesThoseWhoAreBroughtAlong)
    {
        newType(R"({"slug":"team","title":"Team","allowAdditionalGuests":3})");
        const auto with = R"(,"additionalGuests":[{"name":"Emmy","email":"emmy@example.org"}])";
        const auto id = made(confirm(made(hold(nine, "192.0.2.9", {}, "team")), with, "team")).at("/booking/bookingId");
        equal(3, sent().size());
        equal("emmy@example.org", sent().at(1).to);
        equal("Grace@example.org", sent().at(1).replyTo);
        assertHas(sent().at(1).text, "Hello Emmy,");
        // Mails to additional guests name the person who booked; the host's mail lists the guests.
        assertHas(sent().at(1).text, "Who: Grace\n");
        CHECK(sent().at(0).text.find("Who:") == std::string::npos);
        assertHas(sent().at(2).text, "Guests: Emmy\n");
        assertHas(sent().at(1).calendar, "METHOD:REQUEST");
        // Only the guest gets the link that changes the booking.
        for (const auto& text : {sent().at(1).text, sent().at(1).html, sent().at(1).calendar})
            CHECK(text.find("token=") == std::string::npos);
        step(id, "cancel");
        assertHas(sent().at(4).calendar, "METHOD:CANCEL");
        // Additional guests of a declined request get no mail.
        newType(R"({"slug":"ask","title":"Ask","allowAdditionalGuests":3,"requiresApproval":true})");
        const auto asked = made(confirm(made(hold(nine, "192.0.2.9", {}, "ask")), with, "ask")).at("/booking/bookingId");
        step(asked, "cancel");
        equal(10, sent().size());
    }

    TEST(saysHowManyPlaces)
    {
        newType(R"({"slug":"tour","title":"Tour","seatsPerSlot":8})");
        made(confirm(made(hold(nine, "192.0.2.9", R"(,"seats":3)", "tour")), {}, "tour"));
        CHECK(!sent().empty());
        for (const auto& mail : sent()) assertHas(mail.text, "Places: 3\n");
    }

    TEST(invitesEachOnce)
    {
        newType(R"({"slug":"team","title":"Team","allowAdditionalGuests":1})");
        const auto twice = R"(,"additionalGuests":[{"name":"Emmy","email":"emmy@example.org"},{"email":"Emmy@Example.org"},)"
                           R"({"email":"grace@example.org"}])";
        const auto confirmed = made(confirm(made(hold(nine, "192.0.2.9", {}, "team")), twice, "team"));
        equal(R"([{"name":"Emmy","email":"emmy@example.org"}])", confirmed.at("/booking/additionalGuests"));
        equal(3, sent().size());
    }

    TEST(saysWhereOnceItIsApproved)
    {
        const std::string where = "https://meet.example/ada";
        newType(
            jsonWith(R"({"slug":"ask","title":"Ask","requiresApproval":true,"meetingKind":"external_link","meetingDetails":"$"})", where));
        const auto asked = [&](const std::string& start)
        {
            const auto confirmed = booked(start, "ask");
            equal("null provisioning", confirmed.at("/booking/meetingProviderRef") + " " + confirmed.at("/booking/meetingStatus"));
            CHECK(confirmed.body.find("meet.example") == std::string::npos);
            return std::pair{confirmed.at("/booking/bookingId"), tokenOf(confirmed)};
        };
        const auto read = [&](const std::pair<std::string, std::string>& booking, const std::string& what)
        { return guest(portico::Method::Get, "/api/public/bookings/" + booking.first + what + "?token=" + booking.second); };
        const auto file = [&](const auto& booking) { return read(booking, "/calendar.ics").body; };
        const auto yes = asked(nine), no = asked("2026-11-24T09:00:00Z");
        for (const auto& each : {yes, no}) CHECK(file(each).find("meet.example") == std::string::npos);
        step(no.first, "decline");
        for (const auto& mail : sent())
            CPPUNIT_ASSERT_MESSAGE(mail.subject,
                                   mail.to == "ada@acme.example" || (mail.text + mail.calendar).find("meet.example") == std::string::npos);
        CHECK(file(no).find("meet.example") == std::string::npos);
        // The host reads it all the time.
        const auto shown = get(ada, "/api/admin/bookings/" + yes.first);
        equal(where + " ready", shown.at("/meetingProviderRef") + " " + shown.at("/meetingStatus"));
        step(yes.first, "approve");
        assertHas(file(yes), where);
        const auto told = read(yes, "");
        equal(where + " ready", told.at("/meetingProviderRef") + " " + told.at("/meetingStatus"));
        for (const auto& mail : sent())
            if (mail.subject.starts_with("Booked: ") && mail.to != "ada@acme.example") assertHas(mail.text, where);
    }

    TEST(writesHostileNamesAsTexts)
    {
        const std::string name(120, 'x');
        made(confirm(made(hold(nine)), {}, "intro", "<b>" + name.substr(0, 80) + "</b>"));
        CHECK(sent().at(0).html.find("<b>") == std::string::npos);
    }

    std::vector<Mail> sent() const { return host->context().mailer().sent(); }
    static void assertHas(const std::string& text, const std::string& part)
    {
        CPPUNIT_ASSERT_MESSAGE(part + " in " + text, text.find(part) != std::string::npos);
    }

    const std::string nine = "2026-11-24T08:00:00Z";
    OneMember _directory;
};
} // namespace portico::tests
