#include "calendar/BookingFixture.h"
#include "support/Together.h"

#include <atomic>
#include <fstream>
#include <mutex>
#include <set>

namespace portico::tests
{

/// Bookings: from a hold to the end, by guest, by host and by time.
class CalendarBookingTest : public BookingFixture
{
    CPPUNIT_TEST_SUITE(CalendarBookingTest);
    CPPUNIT_TEST(books);
    CPPUNIT_TEST(answersARepeatedConfirmation);
    CPPUNIT_TEST(asksForAnswers);
    CPPUNIT_TEST(refusesConfirmationsThatDoNotFit);
    CPPUNIT_TEST(refusesWhatTheHostTookMeanwhile);
    CPPUNIT_TEST(namesBookingsOutsideNewHours);
    CPPUNIT_TEST(waitsForApproval);
    CPPUNIT_TEST(letsRequestsEnd);
    CPPUNIT_TEST(approvesByTheRulesOfTheRequest);
    CPPUNIT_TEST(letsTimePassForTheOthers);
    CPPUNIT_TEST(livesWithoutItsSealingKey);
    CPPUNIT_TEST(cancelsByTheGuestsLink);
    CPPUNIT_TEST(givesACalendarFile);
    CPPUNIT_TEST(movesByTheGuestsLink);
    CPPUNIT_TEST(keepsPolicies);
    CPPUNIT_TEST(movesByTheHost);
    CPPUNIT_TEST(keepsNotesOfTheHost);
    CPPUNIT_TEST(changesTheVersionThatWasSeen);
    CPPUNIT_TEST(changesTheVersionThatTheGuestSaw);
    CPPUNIT_TEST(booksForAGuest);
    CPPUNIT_TEST(marksWhoDidNotCome);
    CPPUNIT_TEST(findsWhereABookingCanMove);
    CPPUNIT_TEST(closesForGood);
    CPPUNIT_TEST(countsSeats);
    CPPUNIT_TEST(keepsDailyLimits);
    CPPUNIT_TEST(keepsWeeklyLimits);
    CPPUNIT_TEST(lists);
    CPPUNIT_TEST(foldsMarksOfStoredNames);
    CPPUNIT_TEST(sumsUp);
    CPPUNIT_TEST(hidesOthersBookings);
    CPPUNIT_TEST(fillsSlotsOnce);
    CPPUNIT_TEST(listsByWhatIsBooked);
    CPPUNIT_TEST_SUITE_END();

public:
    void books()
    {
        CPPUNIT_ASSERT_EQUAL(std::size_t{16}, freeOn("2026-11-24").count("/slots"));
        const auto made = booked(nine);
        CPPUNIT_ASSERT_EQUAL(std::string("confirmed"), made.at("/booking/status"));
        CPPUNIT_ASSERT_EQUAL(std::string("Europe/Berlin"), made.at("/booking/hostTimeZone"));
        CPPUNIT_ASSERT(made.at("/calendarLinks/google").find("20261124T080000Z%2F20261124T083000Z") != std::string::npos);
        CPPUNIT_ASSERT_EQUAL(std::size_t{15}, freeOn("2026-11-24").count("/slots"));
        CPPUNIT_ASSERT_EQUAL(std::string(R"(["booked"])"), why(nine));
        CPPUNIT_ASSERT_EQUAL(std::string("slot_unavailable"), hold(nine, "192.0.2.2").code());
        const auto shown = get(ada, "/api/admin/bookings/" + made.at("/booking/bookingId") + "?include=history,holds");
        CPPUNIT_ASSERT_EQUAL(std::string("Grace@example.org"), shown.at("/guest/email"));
        CPPUNIT_ASSERT_EQUAL(std::string("confirmed"), shown.at("/history/0/kind"));
        CPPUNIT_ASSERT_EQUAL(std::string("confirm"), shown.at("/holds/0/reason"));
        CPPUNIT_ASSERT(!shown.has("/manageToken"));
        CPPUNIT_ASSERT(!shown.has("/manageTokenHash"));
        CPPUNIT_ASSERT_EQUAL(std::string("confirmed"), events());
    }

    void answersARepeatedConfirmation()
    {
        const auto held = made(hold(nine));
        const auto first = made(confirm(held)), second = confirm(held);
        CPPUNIT_ASSERT_EQUAL(200, second.status);
        CPPUNIT_ASSERT_EQUAL(first.at("/manageUrl"), second.at("/manageUrl"));
        CPPUNIT_ASSERT_EQUAL(std::string("confirmed"), events());
        testing::TestAnswer wrong = hold("2026-11-24T10:00:00Z");
        const auto stolen = R"({"holdId":")" + held.at("/holdId") + R"(","holdToken":")" + wrong.at("/holdToken") +
                            R"(","guest":{"name":"E","email":"e@example.org","timeZone":"UTC"}})";
        CPPUNIT_ASSERT_EQUAL(std::string("hold_token_invalid"), guest(Method::Post, "/api/public/ada/intro/confirm", stolen).code());
    }

    void asksForAnswers()
    {
        put(ada, "/api/admin/event-types/" + intro,
            R"({"allowAdditionalGuests":1,"questions":[{"questionId":"topic","label":"Topic","required":true,"maxLength":5},
               {"questionId":"size","label":"Size","type":"select","options":["S","L"]},{"questionId":"n","label":"N","type":"number"},
               {"questionId":"ok","label":"OK","type":"checkbox","required":true},{"questionId":"many","label":"Many","type":"multi_select","options":["a","b"]}]})");
        const auto held = made(hold(nine));
        const auto refused = [&](const std::string& answers) { return confirm(held, R"(,"answers":[)" + answers + "]"); };
        const std::string topic = R"({"questionId":"topic","value":"abc"})", ok = R"({"questionId":"ok","value":true})";
        CPPUNIT_ASSERT_EQUAL(std::string("required"), refused(ok).at("/errors/0/code"));
        CPPUNIT_ASSERT_EQUAL(std::string("answers.topic"), refused(ok).at("/errors/0/field"));
        CPPUNIT_ASSERT_EQUAL(std::string("required"), refused(topic + R"(,{"questionId":"ok","value":false})").at("/errors/0/code"));
        for (const auto& wrong :
             std::vector<std::string>{topic, R"({"questionId":"size","value":"M"})", R"({"questionId":"n","value":"many"})",
                                      R"({"questionId":"many","value":["a","c"]})", R"({"questionId":"other","value":"x"})"})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(wrong, 400, refused(topic + "," + ok + "," + wrong).status);
        for (const std::string wrong : {R"({"questionId":"topic","value":"abcdef"})", R"({"questionId":"topic","value":5})"})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(wrong, 400, refused(ok + "," + wrong).status);
        CPPUNIT_ASSERT_EQUAL(400, confirm(held, R"(,"answers":[)" + topic + "," + ok +
                                                    R"(],"additionalGuests":[{"email":"a@b.example"},{"email":"c@d.example"}])")
                                      .status);
        const auto made = confirm(
            held,
            R"(,"answers":[)" + ok + "," + topic +
                R"(,{"questionId":"n","value":"4.5"},{"questionId":"many","value":["a"]}],"additionalGuests":[{"email":"a@b.example"}])");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(made.body, 201, made.status);
        // In the order of the questions.
        CPPUNIT_ASSERT_EQUAL(std::string("topic"), made.at("/booking/answers/0/questionId"));
    }

    void refusesConfirmationsThatDoNotFit()
    {
        const auto held = made(hold(nine));
        newType(R"({"slug":"other","title":"Other"})");
        CPPUNIT_ASSERT_EQUAL(404, confirm(held, {}, "other").status);
        CPPUNIT_ASSERT_EQUAL(400, confirm(held, {}, "intro", "").status);
        const auto zone = R"({"holdId":")" + held.at("/holdId") + R"(","holdToken":")" + held.at("/holdToken") +
                          R"(","guest":{"name":"G","email":"g@example.org","timeZone":"Mars"}})";
        CPPUNIT_ASSERT_EQUAL(400, guest(Method::Post, "/api/public/ada/intro/confirm", zone).status);
        const auto unknown = R"({"holdId":"hld_)" + makeUlid(Instant{}) +
                             R"(","holdToken":"x","guest":{"name":"G","email":"g@example.org","timeZone":"UTC"}})";
        CPPUNIT_ASSERT_EQUAL(404, guest(Method::Post, "/api/public/ada/intro/confirm", unknown).status);
        // None of it cost the hold.
        made(confirm(held));
        newType(R"({"slug":"phone","title":"Phone call","meetingKind":"phone"})");
        const auto called = made(hold("2026-11-24T09:00:00Z", "198.51.100.9", {}, "phone"));
        const auto silent = confirm(called, {}, "phone");
        CPPUNIT_ASSERT_EQUAL(std::string("400 guest.phone required"),
                             std::to_string(silent.status) + " " + silent.at("/errors/0/field") + " " + silent.at("/errors/0/code"));
        made(guest(Method::Post, "/api/public/ada/phone/confirm",
                   R"({"holdId":")" + called.at("/holdId") + R"(","holdToken":")" + called.at("/holdToken") +
                       R"(","guest":{"name":"G","email":"g@example.org","phone":"+49 30 1234","timeZone":"UTC"}})"));
    }

    void refusesWhatTheHostTookMeanwhile()
    {
        const auto held = made(hold(nine));
        put(ada, "/api/admin/schedules/" + get(ada, "/api/admin/host").at("/defaultScheduleId"),
            R"({"dateOverrides":[{"date":"2026-11-24","closed":true}]})");
        const auto late = confirm(held);
        CPPUNIT_ASSERT_EQUAL(std::string("slot_unavailable"), late.code());
        CPPUNIT_ASSERT_EQUAL(std::size_t{5}, late.count("/details/nearest"));
        CPPUNIT_ASSERT(late.at("/details/nearest").find("2026-11-24") == std::string::npos);
        CPPUNIT_ASSERT(events().empty());
        const auto ended = get(ada, "/api/admin/holds");
        CPPUNIT_ASSERT_EQUAL(std::string("released slot_lost"), ended.at("/items/0/status") + " " + ended.at("/items/0/reason"));
        CPPUNIT_ASSERT_EQUAL(std::string("hold_expired"), confirm(held).code());
    }

    void namesBookingsOutsideNewHours()
    {
        const auto early = booked(nine).at("/booking/bookingId");
        booked("2026-11-24T12:00:00Z");
        const auto schedule = "/api/admin/schedules/" + get(ada, "/api/admin/host").at("/defaultScheduleId");
        const auto later = put(ada, schedule, R"({"weeklyRules":[{"weekday":2,"start":"12:00","end":"18:00"}]})");
        CPPUNIT_ASSERT_EQUAL("[\"" + early + "\"]", later.at("/bookingsOutsideHours"));
        CPPUNIT_ASSERT_EQUAL(std::string("confirmed"), get(ada, "/api/admin/bookings/" + early).at("/status"));
        // What was kept of the old hours is not offered.
        CPPUNIT_ASSERT_EQUAL(std::string("2026-11-24T11:00:00.000Z"), freeOn("2026-11-24").at("/slots/0/start"));
    }

    void waitsForApproval()
    {
        put(ada, "/api/admin/event-types/" + intro, R"({"requiresApproval":true})");
        const auto first = booked(nine).at("/booking/bookingId"), second = booked("2026-11-24T09:00:00Z").at("/booking/bookingId");
        CPPUNIT_ASSERT_EQUAL(std::string("pending"), get(ada, "/api/admin/bookings/" + first).at("/status"));
        CPPUNIT_ASSERT_EQUAL(std::string(R"(["booked"])"), why(nine));
        CPPUNIT_ASSERT_EQUAL(std::string("confirmed"), step(first, "approve").at("/status"));
        CPPUNIT_ASSERT_EQUAL(std::string("booking_closed"), step(first, "approve").code());
        const auto declined = step(second, "decline", R"({"reason":"Busy"})");
        CPPUNIT_ASSERT_EQUAL(std::string("declined"), declined.at("/status"));
        CPPUNIT_ASSERT_EQUAL(std::string("Busy"), declined.at("/approval/reason"));
        CPPUNIT_ASSERT_EQUAL(std::string("[]"), why("2026-11-24T09:00:00Z"));
        CPPUNIT_ASSERT_EQUAL(std::string("requested requested confirmed declined"), events());
        // What was never confirmed does not begin with that.
        const auto withdrawn = booked("2026-11-24T10:00:00Z").at("/booking/bookingId");
        step(withdrawn, "cancel");
        const auto shown = get(ada, "/api/admin/bookings/" + withdrawn + "?include=history");
        CPPUNIT_ASSERT_EQUAL(std::string("requested"), shown.at("/history/0/kind"));
        CPPUNIT_ASSERT_EQUAL(std::string("cancelled"), shown.at("/history/1/kind"));
    }

    void letsRequestsEnd()
    {
        put(ada, "/api/admin/event-types/" + intro, R"({"requiresApproval":true,"approvalExpiryHours":2})");
        const auto undecided = booked(nine).at("/booking/bookingId"), near = booked("2026-11-23T09:00:00Z").at("/booking/bookingId");
        clock().advance(std::chrono::minutes(61));
        host->context().jobs().runDue();
        // The one whose time has come, and not yet the other.
        CPPUNIT_ASSERT_EQUAL(std::string("expired"), get(ada, "/api/admin/bookings/" + near).at("/status"));
        CPPUNIT_ASSERT_EQUAL(std::string("pending"), get(ada, "/api/admin/bookings/" + undecided).at("/status"));
        clock().advance(std::chrono::minutes(60));
        CPPUNIT_ASSERT_EQUAL(std::string("booking_closed"), step(undecided, "approve").code());
        host->context().jobs().runDue();
        const auto ended = get(ada, "/api/admin/bookings/" + undecided + "?include=history");
        CPPUNIT_ASSERT_EQUAL(std::string("expired"), ended.at("/status"));
        CPPUNIT_ASSERT_EQUAL(std::string("expired"), ended.at("/history/1/kind"));
        CPPUNIT_ASSERT_EQUAL(std::string("[]"), why(nine));
        CPPUNIT_ASSERT_EQUAL(std::string("requested requested expired expired"), events());
    }

    void approvesByTheRulesOfTheRequest()
    {
        const auto ask = newType(R"({"slug":"ask","title":"Ask","requiresApproval":true,"seatsPerSlot":2})");
        const auto first = booked(nine, "ask").at("/booking/bookingId"), beside = booked(nine, "ask").at("/booking/bookingId");
        booked("2026-11-24T08:30:00Z");
        // What the host wants of later ones stands in the way of none that was asked for before.
        put(ada, "/api/admin/event-types/" + ask, R"({"seatsPerSlot":1,"bufferAfterMinutes":30})");
        for (const auto& id : {first, beside}) CPPUNIT_ASSERT_EQUAL(std::string("confirmed"), step(id, "approve").at("/status"));
    }

    void letsTimePassForTheOthers()
    {
        put(ada, "/api/admin/event-types/" + intro, R"({"requiresApproval":true,"approvalExpiryHours":1})");
        const auto damaged = booked(nine).at("/booking/bookingId"), other = booked("2026-11-24T09:00:00Z").at("/booking/bookingId");
        damage("UPDATE booking SET guest = 'none' WHERE id = $1", damaged);
        clock().advance(std::chrono::minutes(61));
        host->context().jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(std::string("expired"), get(ada, "/api/admin/bookings/" + other).at("/status"));
    }

    void livesWithoutItsSealingKey()
    {
        put(ada, "/api/admin/event-types/" + intro, R"({"requiresApproval":true})");
        const auto held = made(hold(nine));
        const auto asked = made(confirm(held));
        const auto id = asked.at("/booking/bookingId");
        damage("UPDATE booking SET manage_token = 's1.gone.x' WHERE id = $1", id);
        CPPUNIT_ASSERT_EQUAL(200, step(id, "approve").status);
        const auto again = confirm(held);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(again.body, 200, again.status);
        CPPUNIT_ASSERT_EQUAL(std::string(), again.at("/manageUrl") + again.at("/icsUrl"));
        // Who has the link has it.
        const auto link = R"({"token":")" + tokenOf(asked) + "\"}";
        CPPUNIT_ASSERT_EQUAL(200, guest(Method::Post, "/api/public/bookings/" + id + "/cancel", link).status);
        for (const auto& mail : host->context().mailer().sent())
            if (mail.to == "Grace@example.org" && mail.subject.starts_with("Booked"))
                CPPUNIT_ASSERT_MESSAGE(mail.text, mail.text.find("Change or cancel") == std::string::npos);
    }

    void cancelsByTheGuestsLink()
    {
        const auto confirmed = booked(nine);
        const auto place = "/api/public/bookings/" + confirmed.at("/booking/bookingId");
        CPPUNIT_ASSERT_EQUAL(200, guest(Method::Get, place + "?token=" + tokenOf(confirmed)).status);
        CPPUNIT_ASSERT_EQUAL(404, guest(Method::Get, place + "?token=wrong").status);
        CPPUNIT_ASSERT_EQUAL(404, guest(Method::Post, place + "/cancel", R"({"token":"wrong"})").status);
        const auto cancel = R"({"token":")" + tokenOf(confirmed) + R"(","reason":"Ill"})";
        const auto gone = guest(Method::Post, place + "/cancel", cancel);
        CPPUNIT_ASSERT_EQUAL(std::string("cancelled"), gone.at("/status"));
        CPPUNIT_ASSERT_EQUAL(std::string("guest"), gone.at("/cancellation/by"));
        CPPUNIT_ASSERT_EQUAL(std::string("1"), gone.at("/iCalSequence"));
        CPPUNIT_ASSERT_EQUAL(std::string("booking_closed"), guest(Method::Post, place + "/cancel", cancel).code());
        CPPUNIT_ASSERT_EQUAL(std::string("[]"), why(nine));
        booked(nine);
    }

    void givesACalendarFile()
    {
        const auto confirmed = booked(nine);
        const auto place = "/api/public/bookings/" + confirmed.at("/booking/bookingId");
        const auto file = place + "/calendar.ics?token=" + tokenOf(confirmed);
        const auto asks = guest(Method::Get, file);
        CPPUNIT_ASSERT_EQUAL(std::string("text/calendar; charset=utf-8; method=REQUEST"), asks.contentType);
        for (const std::string line : {"METHOD:REQUEST", "DTSTART;TZID=Europe/Berlin:20261124T090000", "SEQUENCE:0", "STATUS:CONFIRMED"})
            CPPUNIT_ASSERT_MESSAGE(line + " in " + asks.body, asks.body.find("\r\n" + line + "\r\n") != std::string::npos);
        CPPUNIT_ASSERT_EQUAL(404, guest(Method::Get, place + "/calendar.ics?token=x").status);
        step(confirmed.at("/booking/bookingId"), "cancel");
        const auto gone = guest(Method::Get, file);
        CPPUNIT_ASSERT_EQUAL(std::string("text/calendar; charset=utf-8; method=CANCEL"), gone.contentType);
        CPPUNIT_ASSERT(gone.body.find("\r\nSEQUENCE:1\r\n") != std::string::npos);
        CPPUNIT_ASSERT(gone.body.find("\r\nUID:" + confirmed.at("/booking/iCalUid") + "\r\n") != std::string::npos);
    }

    void movesByTheGuestsLink()
    {
        const auto confirmed = booked(nine);
        const auto id = confirmed.at("/booking/bookingId");
        const auto held = made(hold("2026-11-24T10:00:00Z"));
        const auto move = R"({"token":")" + tokenOf(confirmed) + R"(","holdId":")" + held.at("/holdId") + R"(","holdToken":")" +
                          held.at("/holdToken") + R"(","reason":"The train is late"})";
        const auto moved = guest(Method::Post, "/api/public/bookings/" + id + "/reschedule", move);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(moved.body, 200, moved.status);
        CPPUNIT_ASSERT_EQUAL(std::string("2026-11-24T10:00:00.000Z"), moved.at("/start"));
        CPPUNIT_ASSERT_EQUAL(confirmed.at("/booking/iCalUid"), moved.at("/iCalUid"));
        CPPUNIT_ASSERT_EQUAL(std::string("1"), moved.at("/iCalSequence"));
        CPPUNIT_ASSERT_EQUAL(std::string("[]"), why(nine));
        CPPUNIT_ASSERT_EQUAL(std::string(R"(["booked"])"), why("2026-11-24T10:00:00Z"));
        CPPUNIT_ASSERT_EQUAL(410, guest(Method::Post, "/api/public/bookings/" + id + "/reschedule", move).status);
        const auto shown = get(ada, "/api/admin/bookings/" + id + "?include=history");
        CPPUNIT_ASSERT_EQUAL(std::string("rescheduled"), shown.at("/history/1/kind"));
        CPPUNIT_ASSERT_EQUAL(std::string("The train is late"), shown.at("/history/1/reason"));
        CPPUNIT_ASSERT_EQUAL(std::string("2026-11-24T08:00:00.000Z"), shown.at("/previousStart/0/start"));
        CPPUNIT_ASSERT_EQUAL(std::string("confirmed rescheduled"), events());
    }

    void keepsPolicies()
    {
        const auto confirmed = booked(nine);
        const auto place = "/api/public/bookings/" + confirmed.at("/booking/bookingId");
        const auto cancel = R"({"token":")" + tokenOf(confirmed) + "\"}";
        put(ada, "/api/admin/event-types/" + intro, R"({"cancelPolicy":{"guestMayCancel":true,"untilMinutesBefore":1441}})");
        CPPUNIT_ASSERT_EQUAL(std::string("policy"), guest(Method::Post, place + "/cancel", cancel).code());
        CPPUNIT_ASSERT_EQUAL(std::string("false"), guest(Method::Get, place + "?token=" + tokenOf(confirmed)).at("/mayCancel"));
        put(ada, "/api/admin/event-types/" + intro, R"({"cancelPolicy":{"guestMayCancel":false,"untilMinutesBefore":0}})");
        CPPUNIT_ASSERT_EQUAL(std::string("policy"), guest(Method::Post, place + "/cancel", cancel).code());
        put(ada, "/api/admin/event-types/" + intro, R"({"cancelPolicy":{"guestMayCancel":true,"untilMinutesBefore":0}})");
        clock().jumpTo(*parseInstant(nine));
        CPPUNIT_ASSERT_EQUAL(std::string("booking_closed"), guest(Method::Post, place + "/cancel", cancel).code());
        // Hosts always may.
        CPPUNIT_ASSERT_EQUAL(std::string("cancelled"), step(confirmed.at("/booking/bookingId"), "cancel").at("/status"));
    }

    void movesByTheHost()
    {
        const auto id = booked(nine).at("/booking/bookingId");
        booked("2026-11-24T10:00:00Z");
        CPPUNIT_ASSERT_EQUAL(std::string("slot_unavailable"), step(id, "reschedule", R"({"start":"2026-11-24T10:00:00Z"})").code());
        CPPUNIT_ASSERT_EQUAL(400, step(id, "reschedule").status);
        // Half an hour later: its own time is no hindrance.
        const auto moved = step(id, "reschedule", R"({"start":"2026-11-24T08:30:00Z"})");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(moved.body, 200, moved.status);
        CPPUNIT_ASSERT_EQUAL(std::string("host"), moved.at("/previousStart/0/by"));
        CPPUNIT_ASSERT_EQUAL(std::string("1"), step(id, "reschedule", R"({"start":"2026-11-24T08:30:00Z"})").at("/iCalSequence"));
        CPPUNIT_ASSERT_EQUAL(std::string("confirmed confirmed rescheduled"), events());
    }

    void keepsNotesOfTheHost()
    {
        const auto confirmed = booked(nine);
        const auto id = confirmed.at("/booking/bookingId");
        const auto noted = step(id, "note", R"({"text":"Wants a discount"})");
        CPPUNIT_ASSERT_EQUAL(std::string("Wants a discount"), noted.at("/hostNote"));
        const auto link = "/api/public/bookings/" + id;
        for (const auto& path : {link + "?token=", link + "/calendar.ics?token="})
            CPPUNIT_ASSERT(guest(Method::Get, path + tokenOf(confirmed)).body.find("discount") == std::string::npos);
        CPPUNIT_ASSERT_EQUAL(400, step(id, "note", R"({"text":")" + std::string(2001, 'x') + "\"}").status);
        // Closed ones, too; nobody is told.
        step(id, "cancel");
        CPPUNIT_ASSERT_EQUAL(std::string(""), step(id, "note").at("/hostNote"));
        CPPUNIT_ASSERT_EQUAL(std::string("confirmed cancelled"), events());
    }

    void changesTheVersionThatWasSeen()
    {
        newType(R"({"slug":"ask","title":"Ask","requiresApproval":true})");
        const auto id = booked(nine, "ask").at("/booking/bookingId");
        const auto with = [&](const std::string& name, const std::string& version)
        {
            testing::TestRequest request{Method::Post, "/api/admin/bookings/" + id + "/" + name, "{}", {}, ada};
            request.headers.emplace_back("If-Match", "\"" + version + "\"");
            return host->call(request);
        };
        const auto seen = get(ada, "/api/admin/bookings/" + id).at("/version");
        step(id, "note", R"({"text":"Other tab"})");
        for (const auto* name : {"approve", "decline", "cancel", "note"}) CPPUNIT_ASSERT_EQUAL(412, with(name, seen).status);
        CPPUNIT_ASSERT_EQUAL(200, with("approve", get(ada, "/api/admin/bookings/" + id).at("/version")).status);
    }

    void changesTheVersionThatTheGuestSaw()
    {
        const auto made = booked(nine);
        const auto path = "/api/public/bookings/" + made.at("/booking/bookingId"), token = tokenOf(made);
        const auto held = BookingFixture::made(hold("2026-11-24T10:00:00Z"));
        const auto with = [&](const std::string& name, const std::string& more, const std::string& version)
        {
            testing::TestRequest request{
                Method::Post, path + "/" + name, R"({"token":")" + token + "\"" + more + "}", {}, Caller::nobody()};
            request.headers.emplace_back("If-Match", version);
            return host->call(request);
        };
        const auto keys = R"(,"holdId":")" + held.at("/holdId") + R"(","holdToken":")" + held.at("/holdToken") + "\"";
        const auto seen = guest(Method::Get, path + "?token=" + token);
        CPPUNIT_ASSERT_EQUAL(made.at("/booking/version"), seen.at("/version"));
        const auto tagOf = [](const testing::TestAnswer& answer) { return "\"" + answer.at("/version") + "\""; };
        const auto seenTag = tagOf(seen);
        step(made.at("/booking/bookingId"), "reschedule", R"({"start":"2026-11-24T09:00:00Z"})");
        CPPUNIT_ASSERT_EQUAL(412, with("cancel", {}, seenTag).status);
        CPPUNIT_ASSERT_EQUAL(412, with("reschedule", keys, seenTag).status);
        const auto moved = with("reschedule", keys, tagOf(guest(Method::Get, path + "?token=" + token)));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(moved.body, 200, moved.status);
        CPPUNIT_ASSERT_EQUAL(200, with("cancel", {}, tagOf(moved)).status);
    }

    void booksForAGuest()
    {
        const auto body = [&](const std::string& start, const std::string& more = {})
        {
            return R"({"eventTypeId":")" + intro + R"(","start":")" + start +
                   R"(","guest":{"name":"Grace","email":"g@example.org","timeZone":"UTC"})" + more + "}";
        };
        CPPUNIT_ASSERT_EQUAL(std::string("admin"), made(post(ada, "/api/admin/bookings", body(nine))).at("/source"));
        CPPUNIT_ASSERT_EQUAL(409, post(ada, "/api/admin/bookings", body("2026-11-24T20:00:00Z")).status);
        made(post(ada, "/api/admin/bookings", body("2026-11-24T20:00:00Z", R"(,"override":true)")));
        CPPUNIT_ASSERT_EQUAL(std::string("slot_unavailable"), post(ada, "/api/admin/bookings", body(nine, R"(,"override":true)")).code());
        made(hold("2026-11-24T10:00:00Z"));
        CPPUNIT_ASSERT_EQUAL(409, post(ada, "/api/admin/bookings", body("2026-11-24T10:10:00Z", R"(,"override":true)")).status);
        // The rules of guests are set aside, not the calendar.
        for (const std::string start : {"0000-01-01T00:00:00Z", "9999-12-31T23:45:00Z"})
            CPPUNIT_ASSERT_EQUAL(std::string("out_of_range"),
                                 post(ada, "/api/admin/bookings", body(start, R"(,"override":true)")).at("/errors/0/code"));
    }

    void findsWhereABookingCanMove()
    {
        const auto type = newType(R"({"slug":"talk","title":"Talk","durationMinutes":60,"durationOptions":[90],"slotIntervalMinutes":30})");
        const auto held = made(hold("2026-11-24T09:00:00Z", "192.0.2.3", R"(,"durationMinutes":90)", "talk"));
        const auto id = made(confirm(held, {}, "talk")).at("/booking/bookingId");
        booked("2026-11-24T12:30:00Z");
        const auto free = [&](const std::string& more)
        { return get(ada, "/api/admin/availability?eventTypeId=" + type + "&from=2026-11-24T08:00:00Z&to=2026-11-24T12:00:00Z" + more); };
        const auto startsOf = [](const testing::TestAnswer& answer)
        {
            std::string starts;
            for (std::size_t place = 0; place < answer.count("/slots"); ++place)
                starts += answer.at("/slots/" + std::to_string(place) + "/start").substr(11, 5) + " ";
            return starts;
        };
        CPPUNIT_ASSERT_EQUAL(std::string("08:00 10:30 11:00 11:30 "), startsOf(free("")));
        CPPUNIT_ASSERT_EQUAL(std::string("10:30 11:00 "), startsOf(free("&duration=90")));
        CPPUNIT_ASSERT_EQUAL(std::string("duration"), free("&duration=45").at("/errors/0/field"));
        // Of its own length, past itself, and not where it is.
        CPPUNIT_ASSERT_EQUAL(std::string("08:00 08:30 09:30 10:00 10:30 11:00 "), startsOf(free("&moves=" + id)));
        CPPUNIT_ASSERT_EQUAL(200, step(id, "reschedule", R"({"start":"2026-11-24T09:30:00Z"})").status);
        CPPUNIT_ASSERT_EQUAL(std::string("moves not_found"), free("&moves=bkg_" + makeUlid(Instant{})).at("/errors/0/field") + " " +
                                                                 free("&moves=bkg_" + makeUlid(Instant{})).at("/errors/0/code"));
    }

    void marksWhoDidNotCome()
    {
        const auto id = booked("2026-11-23T09:00:00Z").at("/booking/bookingId");
        CPPUNIT_ASSERT_EQUAL(std::string("booking_closed"), step(id, "no-show", R"({"guest":true})").code());
        clock().advance(std::chrono::hours(2));
        host->context().jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(std::string("completed"), get(ada, "/api/admin/bookings/" + id).at("/status"));
        CPPUNIT_ASSERT_EQUAL(std::string("no_show"), step(id, "no-show", R"({"guest":true})").at("/status"));
        CPPUNIT_ASSERT_EQUAL(std::string("completed"), step(id, "no-show").at("/status"));
        step(id, "no-show", R"({"host":true})");
        const auto version = step(id, "no-show", R"({"host":true})").at("/version");
        const auto shown = get(ada, "/api/admin/bookings/" + id + "?include=history");
        CPPUNIT_ASSERT_EQUAL(version, shown.at("/version"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{4}, shown.count("/history"));
        CPPUNIT_ASSERT_EQUAL(std::string("no_show no_show_taken_back no_show"),
                             shown.at("/history/1/kind") + " " + shown.at("/history/2/kind") + " " + shown.at("/history/3/kind"));
        CPPUNIT_ASSERT_EQUAL(std::string("true false true"), shown.at("/history/1/absent/guest") + " " +
                                                                 shown.at("/history/2/absent/guest") + " " +
                                                                 shown.at("/history/3/absent/host"));
        CPPUNIT_ASSERT_EQUAL(std::string("2026-11-23T10:00:00.000Z host"), shown.at("/history/1/at") + " " + shown.at("/history/1/by"));
        clock().advance(std::chrono::days(31));
        CPPUNIT_ASSERT_EQUAL(std::string("booking_closed"), step(id, "no-show").code());
        CPPUNIT_ASSERT_EQUAL(std::string("confirmed no_show no_show"), events());
    }

    void closesForGood()
    {
        const auto id = booked(nine).at("/booking/bookingId");
        step(id, "cancel", R"({"reason":"Storm"})");
        for (const std::string name : {"approve", "decline", "cancel", "no-show"})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(name, std::string("booking_closed"), step(id, name).code());
        CPPUNIT_ASSERT_EQUAL(std::string("booking_closed"), step(id, "reschedule", R"({"start":"2026-11-24T10:00:00Z"})").code());
    }

    void countsSeats()
    {
        newType(R"({"slug":"class","title":"Class","seatsPerSlot":3})");
        CPPUNIT_ASSERT_EQUAL(std::string("3"), freeOn("2026-11-24", "class").at("/slots/0/seatsLeft"));
        made(confirm(made(hold(nine, "192.0.2.1", R"(,"seats":2)", "class")), {}, "class"));
        CPPUNIT_ASSERT_EQUAL(std::string("1"), freeOn("2026-11-24", "class").at("/slots/0/seatsLeft"));
        CPPUNIT_ASSERT_EQUAL(409, hold(nine, "192.0.2.2", R"(,"seats":2)", "class").status);
        const auto last = booked(nine, "class");
        CPPUNIT_ASSERT_EQUAL(std::string("slot_unavailable"), hold(nine, "192.0.2.2", {}, "class").code());
        // Nobody else's event fits in beside it.
        CPPUNIT_ASSERT_EQUAL(409, hold(nine, "192.0.2.3").status);
        step(last.at("/booking/bookingId"), "cancel");
        booked(nine, "class");
    }

    void keepsDailyLimits()
    {
        put(ada, "/api/admin/event-types/" + intro, R"({"dailyLimit":1})");
        const auto id = booked(nine).at("/booking/bookingId");
        CPPUNIT_ASSERT_EQUAL(std::string(R"(["daily_limit"])"), why("2026-11-24T10:00:00Z"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, freeOn("2026-11-24").count("/slots"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{16}, freeOn("2026-11-25").count("/slots"));
        // What is moved within the date is the one that counts.
        CPPUNIT_ASSERT_EQUAL(200, step(id, "reschedule", R"({"start":"2026-11-24T10:00:00Z"})").status);
        booked("2026-11-23T09:00:00Z");
        // The next free time at all, also where it is before the dates that are asked for, and where these are far.
        CPPUNIT_ASSERT_EQUAL(std::string("2026-11-25T08:00:00.000Z"), freeOn("2026-11-27").at("/nextAvailable"));
        CPPUNIT_ASSERT_EQUAL(std::string("2026-11-25T08:00:00.000Z"), freeOn("2027-02-01").at("/nextAvailable"));
    }

    void keepsWeeklyLimits()
    {
        put(ada, "/api/admin/event-types/" + intro, R"({"weeklyLimit":1})");
        booked("2026-11-27T15:00:00Z");
        CPPUNIT_ASSERT_EQUAL(std::string(R"(["daily_limit"])"), why("2026-11-24T10:00:00Z"));
        const auto refused = hold(nine);
        CPPUNIT_ASSERT_EQUAL(std::string("slot_unavailable"), refused.code());
        CPPUNIT_ASSERT_EQUAL(std::string("2026-11-30T08:00:00.000Z"), refused.at("/details/nearest/0/start"));
        CPPUNIT_ASSERT_EQUAL(std::string("2026-11-30T08:00:00.000Z"), freeOn("2026-11-27").at("/nextAvailable"));
        booked("2026-11-30T10:00:00Z");
    }

    void lists()
    {
        booked(nine);
        const auto next = booked("2026-11-30T10:00:00Z").at("/booking/bookingId");
        const auto week = get(ada, "/api/admin/bookings");
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, week.count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::string("2026-11-22T23:00:00.000Z"), week.at("/week/from"));
        CPPUNIT_ASSERT_EQUAL(std::string("2026-11-29T23:00:00.000Z"), week.at("/week/to"));
        const std::string range = "/api/admin/bookings?from=2026-11-01T00:00:00Z&to=2027-01-01T00:00:00Z";
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, get(ada, range).count("/items"));
        CPPUNIT_ASSERT_EQUAL(next, get(ada, range + "&sort=-start").at("/items/0/bookingId"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, get(ada, range + "&q=GRA").count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, get(ada, range + "&guestEmail=grace@example.org").count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, get(ada, range + "&q=%25").count("/items"));
        // Neither case nor accents matter, on both engines alike.
        made(confirm(made(hold("2026-11-30T13:00:00Z", "198.51.100.7")), {}, "intro", "ÇELİK Müller"));
        for (const auto* typed : {"%C3%A7elik", "celik", "M%C3%9CLLER", "muller"})
            CPPUNIT_ASSERT_EQUAL(std::size_t{1}, get(ada, range + "&q=" + typed).count("/items"));
        made(confirm(made(hold("2026-11-30T14:00:00Z", "198.51.100.8")), {}, "intro", "Jean\u2010Luc O\u2019Brien"));
        for (const auto* typed : {"o'brien", "o%E2%80%99brien", "jean-luc", "jean%E2%80%91luc"})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(typed, std::size_t{1}, get(ada, range + "&q=" + typed).count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{4}, get(ada, range + "&guestEmail=GRACE@example.org").count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, get(ada, range + "&status=cancelled,pending").count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, get(ada, range + "&wasRescheduled=true").count("/items"));
        CPPUNIT_ASSERT_EQUAL(400, get(ada, "/api/admin/bookings?from=2026-11-02T00:00:00Z&to=2026-11-01T00:00:00Z").status);
        // What is wrong with a value is told as it is of a body.
        const auto dateless = guest(Method::Get, "/api/public/ada/intro/availability?fromDate=2026-02-30&toDate=2026-03-01");
        CPPUNIT_ASSERT_EQUAL(400, dateless.status);
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_date"), dateless.at("/errors/0/code"));
        CPPUNIT_ASSERT_EQUAL(std::string("required"), guest(Method::Get, "/api/public/ada/intro/explain").at("/errors/0/code"));
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_instant"), get(ada, "/api/admin/bookings?from=2026-11-02").at("/errors/0/code"));
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_id"), get(ada, "/api/admin/availability?eventTypeId=none").at("/errors/0/code"));
    }

    /// Runs the migration over a name that an earlier version folded.
    void foldsMarksOfStoredNames()
    {
        const auto booking = made(confirm(made(hold(nine)), {}, "intro", "Jean\u2010Luc O\u2019Brien")).at("/booking/bookingId");
        damage("UPDATE booking SET guest_name = 'jean\u2010luc o\u2019brien' WHERE id = $1", booking);
        const std::string search = "/api/admin/bookings?q=jean-luc%20o'brien";
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, get(ada, search).count("/items"));
        std::ifstream migration(calendarPluginFolder() + "/migrations/0015_folded_marks.sql");
        for (std::string statement; std::getline(migration, statement);)
            if (statement.starts_with("UPDATE "))
                host->context().database().transact([&](Transaction& transaction) { transaction.execute(statement); });
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, get(ada, search).count("/items"));
    }

    void sumsUp()
    {
        newType(R"({"slug":"ask","title":"Ask","requiresApproval":true})");
        booked("2026-11-23T10:00:00Z");
        booked("2026-11-27T10:00:00Z");
        booked("2026-11-30T10:00:00Z");
        booked("2026-11-24T12:00:00Z", "ask");
        const auto metrics = [&]
        {
            const auto widget = get(ada, "/api/widget");
            CPPUNIT_ASSERT_EQUAL(std::string("today this_week pending"),
                                 widget.at("/metrics/0/id") + " " + widget.at("/metrics/1/id") + " " + widget.at("/metrics/2/id"));
            return widget.at("/metrics/0/value") + " " + widget.at("/metrics/1/value") + " " + widget.at("/metrics/2/value") + " of " +
                   std::to_string(widget.count("/items"));
        };
        CPPUNIT_ASSERT_EQUAL(std::string("1 2 1 of 4"), metrics());
        // What took place counts on its day, and is not to come any more.
        clock().advance(std::chrono::hours(6));
        host->context().jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(std::string("1 2 1 of 3"), metrics());
        // Weeks begin where the host's do: on Tuesday the 24th, and the 30th is within.
        put(ada, "/api/admin/host", R"({"weekStart":2})");
        clock().advance(std::chrono::hours(14));
        CPPUNIT_ASSERT_EQUAL(std::string("0 2 1 of 3"), metrics());
    }

    void hidesOthersBookings()
    {
        const auto id = booked(nine).at("/booking/bookingId");
        newHost(stranger, "bob");
        auto colleague = newMember(ada.organizationId);
        newHost(colleague, "cleo");
        for (const auto& other : {stranger, colleague})
        {
            CPPUNIT_ASSERT_EQUAL(404, get(other, "/api/admin/bookings/" + id).status);
            CPPUNIT_ASSERT_EQUAL(404, post(other, "/api/admin/bookings/" + id + "/cancel", "{}").status);
            CPPUNIT_ASSERT_EQUAL(std::size_t{0}, get(other, "/api/admin/bookings").count("/items"));
        }
    }

    void fillsSlotsOnce()
    {
        // Forty guests over the sixteen slots of a day, each trying one after the other until something is free.
        std::atomic<int> won{0};
        std::mutex mutex;
        std::multiset<std::string> starts;
        runTogether(8,
                    [&](int thread)
                    {
                        for (int i = 0; i < 5; ++i)
                        {
                            const auto address = "198.51.100." + std::to_string(thread * 5 + i);
                            const auto free = freeOn("2026-11-24");
                            if (free.count("/slots") == 0) continue;
                            const auto held = hold(free.at("/slots/0/start"), address);
                            if (held.status != 201) continue;
                            const auto booked = confirm(held);
                            CPPUNIT_ASSERT_EQUAL_MESSAGE(booked.body, 201, booked.status);
                            ++won;
                            const std::lock_guard lock(mutex);
                            starts.insert(booked.at("/booking/start"));
                        }
                    });
        CPPUNIT_ASSERT(won.load() >= 5);
        CPPUNIT_ASSERT_EQUAL(starts.size(), std::set(starts.begin(), starts.end()).size());
        CPPUNIT_ASSERT_EQUAL(std::size_t{16} - starts.size(), freeOn("2026-11-24").count("/slots"));
    }

    void listsByWhatIsBooked()
    {
        put(ada, "/api/admin/event-types/" + intro, R"({"requiresApproval":true,"approvalExpiryHours":2})");
        const auto listed = [&](std::size_t count)
        { CPPUNIT_ASSERT_EQUAL(count, freeOn("2026-11-24").count("/slots") + freeOn("2026-11-25").count("/slots")); };
        listed(32);
        const auto asked = booked(nine);
        const auto id = asked.at("/booking/bookingId");
        listed(31);
        CPPUNIT_ASSERT_EQUAL(200, step(id, "decline").status);
        listed(32);
        booked(nine);
        listed(31);
        clock().advance(std::chrono::hours(3));
        host->context().jobs().runDue();
        listed(32);
        const auto kept = booked(nine).at("/booking/bookingId");
        CPPUNIT_ASSERT_EQUAL(200, step(kept, "approve").status);
        listed(31);
        CPPUNIT_ASSERT_EQUAL(200, step(kept, "reschedule", R"({"start":"2026-11-25T08:00:00Z"})").status);
        CPPUNIT_ASSERT_EQUAL(std::size_t{15}, freeOn("2026-11-25").count("/slots"));
        CPPUNIT_ASSERT_EQUAL(200, step(kept, "cancel").status);
        listed(32);
        // Another process books. What is kept serves until the mark of the host is another, or for a minute.
        damage("UPDATE booking SET status = 'confirmed' WHERE id = $1", kept);
        listed(32);
        damage("UPDATE host SET taken_mark = 1 WHERE (organization_id, id) IN (SELECT organization_id, host_id FROM booking WHERE id = $1)",
               kept);
        listed(31);
        damage("UPDATE booking SET status = 'cancelled' WHERE id = $1", kept);
        listed(31);
        clock().advance(std::chrono::minutes(1));
        listed(32);
    }

private:
    void damage(std::string_view sql, const std::string& booking) const
    {
        host->context().database().transact([&](Transaction& transaction) { transaction.execute(sql, booking); });
    }

    const std::string nine = "2026-11-24T08:00:00Z";
};
CPPUNIT_TEST_SUITE_REGISTRATION(CalendarBookingTest);

} // namespace portico::tests
