#include "calendar/BookingFixture.h"
#include "support/Together.h"

#include <atomic>
#include <fstream>
#include <mutex>
#include <set>

namespace portico::tests
{

/// Bookings: from a hold to the end, by guest, by host and by time.
class CalendarBookingTest : public Suite<CalendarBookingTest, BookingFixture>
{
    TEST(books)
    {
        equal(16, freeOn("2026-11-24").count("/slots"));
        const auto made = booked(nine);
        equal("confirmed", made.at("/booking/status"));
        equal("Europe/Berlin", made.at("/booking/hostTimeZone"));
        CHECK(made.at("/calendarLinks/google").find("20261124T080000Z%2F20261124T083000Z") != std::string::npos);
        equal(15, freeOn("2026-11-24").count("/slots"));
        equal(R"(["booked"])", why(nine));
        equal("slot_unavailable", hold(nine, "192.0.2.2").code());
        const auto shown = get(ada, "/api/admin/bookings/" + made.at("/booking/bookingId") + "?include=history,holds");
        equal("Grace@example.org", shown.at("/guest/email"));
        equal("confirmed", shown.at("/history/0/kind"));
        equal("confirm", shown.at("/holds/0/reason"));
        CHECK(!shown.has("/manageToken"));
        CHECK(!shown.has("/manageTokenHash"));
        equal("confirmed", events());
    }

    TEST(answersARepeatedConfirmation)
    {
        const auto held = made(hold(nine));
        const auto first = made(confirm(held)), second = confirm(held);
        equal(200, second.status);
        equal(first.at("/manageUrl"), second.at("/manageUrl"));
        equal("confirmed", events());
        testing::TestAnswer wrong = hold("2026-11-24T10:00:00Z");
        const auto stolen = jsonWith(R"({"holdId":"$","holdToken":"$","guest":{"name":"E","email":"e@example.org",)"
                                     R"("timeZone":"UTC"}})",
                                     held.at("/holdId"), wrong.at("/holdToken"));
        equal("hold_token_invalid", guest(Method::Post, "/api/public/ada/intro/confirm", stolen).code());
    }

    TEST(asksForAnswers)
    {
        put(ada, "/api/admin/event-types/" + intro,
            R"({"allowAdditionalGuests":1,"questions":[{"questionId":"topic","label":"Topic","required":true,"maxLength":5},
               {"questionId":"size","label":"Size","type":"select","options":["S","L"]},{"questionId":"n","label":"N","type":"number"},
               {"questionId":"ok","label":"OK","type":"checkbox","required":true},{"questionId":"many","label":"Many","type":"multi_select","options":["a","b"]}]})");
        const auto held = made(hold(nine));
        const auto refused = [&](const std::string& answers) { return confirm(held, jsonWith(R"(,"answers":[$])", answers)); };
        const std::string topic = R"({"questionId":"topic","value":"abc"})", ok = R"({"questionId":"ok","value":true})";
        equal("required", refused(ok).at("/errors/0/code"));
        equal("answers.topic", refused(ok).at("/errors/0/field"));
        equal("required", refused(topic + R"(,{"questionId":"ok","value":false})").at("/errors/0/code"));
        for (const auto& wrong :
             std::vector<std::string>{topic, R"({"questionId":"size","value":"M"})", R"({"questionId":"n","value":"many"})",
                                      R"({"questionId":"many","value":["a","c"]})", R"({"questionId":"other","value":"x"})"})
            equal(400, refused(topic + "," + ok + "," + wrong).status, wrong);
        for (const std::string wrong : {R"({"questionId":"topic","value":"abcdef"})", R"({"questionId":"topic","value":5})"})
            equal(400, refused(ok + "," + wrong).status, wrong);
        equal(400, confirm(held, jsonWith(R"(,"answers":[$,$],"additionalGuests":[{"email":"a@b.example"},)"
                                          R"({"email":"c@d.example"}])",
                                          topic, ok))
                       .status);
        const auto made = confirm(held, jsonWith(R"(,"answers":[$,$,{"questionId":"n","value":"4.5"},{"questionId":"many","value":["a"]}],)"
                                                 R"("additionalGuests":[{"email":"a@b.example"}])",
                                                 ok, topic));
        equal(201, made.status, made.body);
        // In the order of the questions.
        equal("topic", made.at("/booking/answers/0/questionId"));
    }

    TEST(refusesConfirmationsThatDoNotFit)
    {
        const auto held = made(hold(nine));
        newType(R"({"slug":"other","title":"Other"})");
        equal(404, confirm(held, {}, "other").status);
        equal(400, confirm(held, {}, "intro", "").status);
        const auto zone = jsonWith(R"({"holdId":"$","holdToken":"$","guest":{"name":"G","email":"g@example.org",)"
                                   R"("timeZone":"Mars"}})",
                                   held.at("/holdId"), held.at("/holdToken"));
        equal(400, guest(Method::Post, "/api/public/ada/intro/confirm", zone).status);
        const auto unknown = jsonWith(R"({"holdId":"hld_$","holdToken":"x","guest":{"name":"G","email":"g@example.org",)"
                                      R"("timeZone":"UTC"}})",
                                      makeUlid(Instant{}));
        equal(404, guest(Method::Post, "/api/public/ada/intro/confirm", unknown).status);
        // None of it cost the hold.
        made(confirm(held));
        newType(R"({"slug":"phone","title":"Phone call","meetingKind":"phone"})");
        const auto called = made(hold("2026-11-24T09:00:00Z", "198.51.100.9", {}, "phone"));
        const auto silent = confirm(called, {}, "phone");
        equal("400 guest.phone required",
              std::to_string(silent.status) + " " + silent.at("/errors/0/field") + " " + silent.at("/errors/0/code"));
        made(guest(Method::Post, "/api/public/ada/phone/confirm",
                   jsonWith(R"({"holdId":"$","holdToken":"$","guest":{"name":"G","email":"g@example.org","phone":"+49 30 1234",)"
                            R"("timeZone":"UTC"}})",
                            called.at("/holdId"), called.at("/holdToken"))));
    }

    TEST(refusesTimesThatTheHostHasTakenSince)
    {
        const auto held = made(hold(nine));
        put(ada, "/api/admin/schedules/" + get(ada, "/api/admin/host").at("/defaultScheduleId"),
            R"({"dateOverrides":[{"date":"2026-11-24","closed":true}]})");
        const auto late = confirm(held);
        equal("slot_unavailable", late.code());
        equal(5, late.count("/details/nearest"));
        CHECK(late.at("/details/nearest").find("2026-11-24") == std::string::npos);
        CHECK(events().empty());
        const auto ended = get(ada, "/api/admin/holds");
        equal("released slot_lost", ended.at("/items/0/status") + " " + ended.at("/items/0/reason"));
        equal("hold_expired", confirm(held).code());
    }

    TEST(namesBookingsOutsideNewHours)
    {
        const auto early = booked(nine).at("/booking/bookingId");
        booked("2026-11-24T12:00:00Z");
        const auto schedule = "/api/admin/schedules/" + get(ada, "/api/admin/host").at("/defaultScheduleId");
        const auto later = put(ada, schedule, R"({"weeklyRules":[{"weekday":2,"start":"12:00","end":"18:00"}]})");
        equal("[\"" + early + "\"]", later.at("/bookingsOutsideHours"));
        equal("confirmed", get(ada, "/api/admin/bookings/" + early).at("/status"));
        // The cache does not offer times of the old hours.
        equal("2026-11-24T11:00:00.000Z", freeOn("2026-11-24").at("/slots/0/start"));
    }

    TEST(waitsForApproval)
    {
        put(ada, "/api/admin/event-types/" + intro, R"({"requiresApproval":true})");
        const auto first = booked(nine).at("/booking/bookingId"), second = booked("2026-11-24T09:00:00Z").at("/booking/bookingId");
        equal("pending", get(ada, "/api/admin/bookings/" + first).at("/status"));
        equal(R"(["booked"])", why(nine));
        equal("confirmed", step(first, "approve").at("/status"));
        equal("booking_closed", step(first, "approve").code());
        const auto declined = step(second, "decline", R"({"reason":"Busy"})");
        equal("declined", declined.at("/status"));
        equal("Busy", declined.at("/approval/reason"));
        equal("[]", why("2026-11-24T09:00:00Z"));
        equal("requested requested confirmed declined", events());
        // The history of an unconfirmed request does not begin with a confirmation.
        const auto withdrawn = booked("2026-11-24T10:00:00Z").at("/booking/bookingId");
        step(withdrawn, "cancel");
        const auto shown = get(ada, "/api/admin/bookings/" + withdrawn + "?include=history");
        equal("requested", shown.at("/history/0/kind"));
        equal("cancelled", shown.at("/history/1/kind"));
    }

    TEST(letsRequestsEnd)
    {
        put(ada, "/api/admin/event-types/" + intro, R"({"requiresApproval":true,"approvalExpiryHours":2})");
        const auto undecided = booked(nine).at("/booking/bookingId"), near = booked("2026-11-23T09:00:00Z").at("/booking/bookingId");
        clock().advance(std::chrono::minutes(61));
        host->context().jobs().runDue();
        // Only the due request has expired.
        equal("expired", get(ada, "/api/admin/bookings/" + near).at("/status"));
        equal("pending", get(ada, "/api/admin/bookings/" + undecided).at("/status"));
        clock().advance(std::chrono::minutes(60));
        equal("booking_closed", step(undecided, "approve").code());
        host->context().jobs().runDue();
        const auto ended = get(ada, "/api/admin/bookings/" + undecided + "?include=history");
        equal("expired", ended.at("/status"));
        equal("expired", ended.at("/history/1/kind"));
        equal("[]", why(nine));
        equal("requested requested expired expired", events());
    }

    TEST(approvesByTheRulesOfTheRequest)
    {
        const auto ask = newType(R"({"slug":"ask","title":"Ask","requiresApproval":true,"seatsPerSlot":2})");
        const auto first = booked(nine, "ask").at("/booking/bookingId"), beside = booked(nine, "ask").at("/booking/bookingId");
        booked("2026-11-24T08:30:00Z");
        // New limits of the event type do not apply to earlier requests.
        put(ada, "/api/admin/event-types/" + ask, R"({"seatsPerSlot":1,"bufferAfterMinutes":30})");
        for (const auto& id : {first, beside}) equal("confirmed", step(id, "approve").at("/status"));
    }

    TEST(letsTimePassForTheOthers)
    {
        put(ada, "/api/admin/event-types/" + intro, R"({"requiresApproval":true,"approvalExpiryHours":1})");
        const auto damaged = booked(nine).at("/booking/bookingId"), other = booked("2026-11-24T09:00:00Z").at("/booking/bookingId");
        damage("UPDATE booking SET guest = 'none' WHERE id = $1", damaged);
        clock().advance(std::chrono::minutes(61));
        host->context().jobs().runDue();
        equal("expired", get(ada, "/api/admin/bookings/" + other).at("/status"));
    }

    TEST(livesWithoutItsSealingKey)
    {
        put(ada, "/api/admin/event-types/" + intro, R"({"requiresApproval":true})");
        const auto held = made(hold(nine));
        const auto asked = made(confirm(held));
        const auto id = asked.at("/booking/bookingId");
        damage("UPDATE booking SET manage_token = 's1.gone.x' WHERE id = $1", id);
        equal(200, step(id, "approve").status);
        const auto again = confirm(held);
        equal(200, again.status, again.body);
        equal("", again.at("/manageUrl") + again.at("/icsUrl"));
        // The link works although the answer is not repeated.
        const auto link = jsonWith(R"({"token":"$"})", tokenOf(asked));
        equal(200, guest(Method::Post, "/api/public/bookings/" + id + "/cancel", link).status);
        for (const auto& mail : host->context().mailer().sent())
            if (mail.to == "Grace@example.org" && mail.subject.starts_with("Booked"))
                CPPUNIT_ASSERT_MESSAGE(mail.text, mail.text.find("Change or cancel") == std::string::npos);
    }

    TEST(cancelsByTheGuestsLink)
    {
        const auto confirmed = booked(nine);
        const auto place = "/api/public/bookings/" + confirmed.at("/booking/bookingId");
        equal(200, guest(Method::Get, place + "?token=" + tokenOf(confirmed)).status);
        equal(404, guest(Method::Get, place + "?token=wrong").status);
        equal(404, guest(Method::Post, place + "/cancel", R"({"token":"wrong"})").status);
        const auto cancel = jsonWith(R"({"token":"$","reason":"Ill"})", tokenOf(confirmed));
        const auto gone = guest(Method::Post, place + "/cancel", cancel);
        equal("cancelled", gone.at("/status"));
        equal("guest", gone.at("/cancellation/by"));
        equal("1", gone.at("/iCalSequence"));
        equal("booking_closed", guest(Method::Post, place + "/cancel", cancel).code());
        equal("[]", why(nine));
        booked(nine);
    }

    TEST(givesACalendarFile)
    {
        const auto confirmed = booked(nine);
        const auto place = "/api/public/bookings/" + confirmed.at("/booking/bookingId");
        const auto file = place + "/calendar.ics?token=" + tokenOf(confirmed);
        const auto asks = guest(Method::Get, file);
        equal("text/calendar; charset=utf-8; method=REQUEST", asks.contentType);
        for (const std::string line : {"METHOD:REQUEST", "DTSTART;TZID=Europe/Berlin:20261124T090000", "SEQUENCE:0", "STATUS:CONFIRMED"})
            CPPUNIT_ASSERT_MESSAGE(line + " in " + asks.body, asks.body.find("\r\n" + line + "\r\n") != std::string::npos);
        equal(404, guest(Method::Get, place + "/calendar.ics?token=x").status);
        step(confirmed.at("/booking/bookingId"), "cancel");
        const auto gone = guest(Method::Get, file);
        equal("text/calendar; charset=utf-8; method=CANCEL", gone.contentType);
        CHECK(gone.body.find("\r\nSEQUENCE:1\r\n") != std::string::npos);
        CHECK(gone.body.find("\r\nUID:" + confirmed.at("/booking/iCalUid") + "\r\n") != std::string::npos);
    }

    TEST(movesByTheGuestsLink)
    {
        const auto confirmed = booked(nine);
        const auto id = confirmed.at("/booking/bookingId");
        const auto held = made(hold("2026-11-24T10:00:00Z"));
        const auto move = jsonWith(R"({"token":"$","holdId":"$","holdToken":"$",)"
                                   R"("reason":"The train is late"})",
                                   tokenOf(confirmed), held.at("/holdId"), held.at("/holdToken"));
        const auto moved = guest(Method::Post, "/api/public/bookings/" + id + "/reschedule", move);
        equal(200, moved.status, moved.body);
        equal("2026-11-24T10:00:00.000Z", moved.at("/start"));
        equal(confirmed.at("/booking/iCalUid"), moved.at("/iCalUid"));
        equal("1", moved.at("/iCalSequence"));
        equal("[]", why(nine));
        equal(R"(["booked"])", why("2026-11-24T10:00:00Z"));
        equal(410, guest(Method::Post, "/api/public/bookings/" + id + "/reschedule", move).status);
        const auto shown = get(ada, "/api/admin/bookings/" + id + "?include=history");
        equal("rescheduled", shown.at("/history/1/kind"));
        equal("The train is late", shown.at("/history/1/reason"));
        equal("2026-11-24T08:00:00.000Z", shown.at("/previousStart/0/start"));
        equal("confirmed rescheduled", events());
    }

    TEST(keepsPolicies)
    {
        const auto confirmed = booked(nine);
        const auto place = "/api/public/bookings/" + confirmed.at("/booking/bookingId");
        const auto cancel = jsonWith(R"({"token":"$"})", tokenOf(confirmed));
        put(ada, "/api/admin/event-types/" + intro, R"({"cancelPolicy":{"guestMayCancel":true,"untilMinutesBefore":1441}})");
        equal("policy", guest(Method::Post, place + "/cancel", cancel).code());
        equal("false", guest(Method::Get, place + "?token=" + tokenOf(confirmed)).at("/mayCancel"));
        put(ada, "/api/admin/event-types/" + intro, R"({"cancelPolicy":{"guestMayCancel":false,"untilMinutesBefore":0}})");
        equal("policy", guest(Method::Post, place + "/cancel", cancel).code());
        put(ada, "/api/admin/event-types/" + intro, R"({"cancelPolicy":{"guestMayCancel":true,"untilMinutesBefore":0}})");
        clock().jumpTo(*parseInstant(nine));
        equal("booking_closed", guest(Method::Post, place + "/cancel", cancel).code());
        // Hosts always may.
        equal("cancelled", step(confirmed.at("/booking/bookingId"), "cancel").at("/status"));
    }

    TEST(movesByTheHost)
    {
        const auto id = booked(nine).at("/booking/bookingId");
        booked("2026-11-24T10:00:00Z");
        equal("slot_unavailable", step(id, "reschedule", R"({"start":"2026-11-24T10:00:00Z"})").code());
        equal(400, step(id, "reschedule").status);
        // Half an hour later: its own time is no hindrance.
        const auto moved = step(id, "reschedule", R"({"start":"2026-11-24T08:30:00Z"})");
        equal(200, moved.status, moved.body);
        equal("host", moved.at("/previousStart/0/by"));
        equal("1", step(id, "reschedule", R"({"start":"2026-11-24T08:30:00Z"})").at("/iCalSequence"));
        equal("confirmed confirmed rescheduled", events());
    }

    TEST(keepsNotesOfTheHost)
    {
        const auto confirmed = booked(nine);
        const auto id = confirmed.at("/booking/bookingId");
        const auto noted = step(id, "note", R"({"text":"Wants a discount"})");
        equal("Wants a discount", noted.at("/hostNote"));
        const auto link = "/api/public/bookings/" + id;
        for (const auto& path : {link + "?token=", link + "/calendar.ics?token="})
            CHECK(guest(Method::Get, path + tokenOf(confirmed)).body.find("discount") == std::string::npos);
        equal(400, step(id, "note", jsonWith(R"({"text":"$"})", std::string(2001, 'x'))).status);
        // Works for closed bookings too, and publishes no event.
        step(id, "cancel");
        equal("", step(id, "note").at("/hostNote"));
        equal("confirmed cancelled", events());
    }

    TEST(changesTheVersionThatWasSeen)
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
        for (const auto* name : {"approve", "decline", "cancel", "note"}) equal(412, with(name, seen).status);
        equal(200, with("approve", get(ada, "/api/admin/bookings/" + id).at("/version")).status);
    }

    TEST(changesTheVersionThatTheGuestSaw)
    {
        const auto made = booked(nine);
        const auto path = "/api/public/bookings/" + made.at("/booking/bookingId"), token = tokenOf(made);
        const auto held = BookingFixture::made(hold("2026-11-24T10:00:00Z"));
        const auto with = [&](const std::string& name, const std::string& more, const std::string& version)
        {
            testing::TestRequest request{Method::Post, path + "/" + name, jsonWith(R"({"token":"$"$})", token, more), {}, Caller::nobody()};
            request.headers.emplace_back("If-Match", version);
            return host->call(request);
        };
        const auto keys = jsonWith(R"(,"holdId":"$","holdToken":"$")", held.at("/holdId"), held.at("/holdToken"));
        const auto seen = guest(Method::Get, path + "?token=" + token);
        equal(made.at("/booking/version"), seen.at("/version"));
        const auto tagOf = [](const testing::TestAnswer& answer) { return "\"" + answer.at("/version") + "\""; };
        const auto seenTag = tagOf(seen);
        step(made.at("/booking/bookingId"), "reschedule", R"({"start":"2026-11-24T09:00:00Z"})");
        equal(412, with("cancel", {}, seenTag).status);
        equal(412, with("reschedule", keys, seenTag).status);
        const auto moved = with("reschedule", keys, tagOf(guest(Method::Get, path + "?token=" + token)));
        equal(200, moved.status, moved.body);
        equal(200, with("cancel", {}, tagOf(moved)).status);
    }

    TEST(booksForAGuest)
    {
        const auto body = [&](const std::string& start, const std::string& more = {})
        {
            return jsonWith(R"({"eventTypeId":"$","start":"$","guest":{"name":"Grace","email":"g@example.org",)"
                            R"("timeZone":"UTC"}$})",
                            intro, start, more);
        };
        equal("admin", made(post(ada, "/api/admin/bookings", body(nine))).at("/source"));
        equal(409, post(ada, "/api/admin/bookings", body("2026-11-24T20:00:00Z")).status);
        made(post(ada, "/api/admin/bookings", body("2026-11-24T20:00:00Z", R"(,"override":true)")));
        equal("slot_unavailable", post(ada, "/api/admin/bookings", body(nine, R"(,"override":true)")).code());
        made(hold("2026-11-24T10:00:00Z"));
        equal(409, post(ada, "/api/admin/bookings", body("2026-11-24T10:10:00Z", R"(,"override":true)")).status);
        // The rules of guests are set aside, not the calendar.
        for (const std::string start : {"0000-01-01T00:00:00Z", "9999-12-31T23:45:00Z"})
            equal("out_of_range", post(ada, "/api/admin/bookings", body(start, R"(,"override":true)")).at("/errors/0/code"));
    }

    TEST(findsWhereABookingCanMove)
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
        equal("08:00 10:30 11:00 11:30 ", startsOf(free("")));
        equal("10:30 11:00 ", startsOf(free("&duration=90")));
        equal("duration", free("&duration=45").at("/errors/0/field"));
        // Offers times of the booking's length, ignoring its current time, which is not offered itself.
        equal("08:00 08:30 09:30 10:00 10:30 11:00 ", startsOf(free("&moves=" + id)));
        equal(200, step(id, "reschedule", R"({"start":"2026-11-24T09:30:00Z"})").status);
        equal("moves not_found", free("&moves=bkg_" + makeUlid(Instant{})).at("/errors/0/field") + " " +
                                     free("&moves=bkg_" + makeUlid(Instant{})).at("/errors/0/code"));
    }

    TEST(marksWhoDidNotCome)
    {
        const auto id = booked("2026-11-23T09:00:00Z").at("/booking/bookingId");
        equal("booking_closed", step(id, "no-show", R"({"guest":true})").code());
        clock().advance(std::chrono::hours(2));
        host->context().jobs().runDue();
        equal("completed", get(ada, "/api/admin/bookings/" + id).at("/status"));
        equal("no_show", step(id, "no-show", R"({"guest":true})").at("/status"));
        equal("completed", step(id, "no-show").at("/status"));
        step(id, "no-show", R"({"host":true})");
        const auto version = step(id, "no-show", R"({"host":true})").at("/version");
        const auto shown = get(ada, "/api/admin/bookings/" + id + "?include=history");
        equal(version, shown.at("/version"));
        equal(4, shown.count("/history"));
        equal("no_show no_show_taken_back no_show",
              shown.at("/history/1/kind") + " " + shown.at("/history/2/kind") + " " + shown.at("/history/3/kind"));
        equal("true false true",
              shown.at("/history/1/absent/guest") + " " + shown.at("/history/2/absent/guest") + " " + shown.at("/history/3/absent/host"));
        equal("2026-11-23T10:00:00.000Z host", shown.at("/history/1/at") + " " + shown.at("/history/1/by"));
        clock().advance(std::chrono::days(31));
        equal("booking_closed", step(id, "no-show").code());
        equal("confirmed no_show no_show", events());
    }

    TEST(closesForGood)
    {
        const auto id = booked(nine).at("/booking/bookingId");
        step(id, "cancel", R"({"reason":"Storm"})");
        for (const std::string name : {"approve", "decline", "cancel", "no-show"}) equal("booking_closed", step(id, name).code(), name);
        equal("booking_closed", step(id, "reschedule", R"({"start":"2026-11-24T10:00:00Z"})").code());
    }

    TEST(countsSeats)
    {
        newType(R"({"slug":"class","title":"Class","seatsPerSlot":3})");
        equal("3", freeOn("2026-11-24", "class").at("/slots/0/seatsLeft"));
        made(confirm(made(hold(nine, "192.0.2.1", R"(,"seats":2)", "class")), {}, "class"));
        equal("1", freeOn("2026-11-24", "class").at("/slots/0/seatsLeft"));
        equal(409, hold(nine, "192.0.2.2", R"(,"seats":2)", "class").status);
        const auto last = booked(nine, "class");
        equal("slot_unavailable", hold(nine, "192.0.2.2", {}, "class").code());
        // The full slot is blocked for other event types too.
        equal(409, hold(nine, "192.0.2.3").status);
        step(last.at("/booking/bookingId"), "cancel");
        booked(nine, "class");
    }

    TEST(keepsDailyLimits)
    {
        put(ada, "/api/admin/event-types/" + intro, R"({"dailyLimit":1})");
        const auto id = booked(nine).at("/booking/bookingId");
        equal(R"(["daily_limit"])", why("2026-11-24T10:00:00Z"));
        equal(0, freeOn("2026-11-24").count("/slots"));
        equal(16, freeOn("2026-11-25").count("/slots"));
        // A move within the date does not count twice.
        equal(200, step(id, "reschedule", R"({"start":"2026-11-24T10:00:00Z"})").status);
        booked("2026-11-23T09:00:00Z");
        // Returns the next free time of all dates, even if it is before the requested range, or if the range is far away.
        equal("2026-11-25T08:00:00.000Z", freeOn("2026-11-27").at("/nextAvailable"));
        equal("2026-11-25T08:00:00.000Z", freeOn("2027-02-01").at("/nextAvailable"));
    }

    TEST(findsTheNextFreeTimeInTheWholeWindow)
    {
        const auto window = [&](const std::string& input)
        { equal(200, put(ada, "/api/admin/event-types/" + intro, jsonWith(R"({"bookingWindow":{$}})", input)).status); };
        const auto next = [&] { return freeOn("2026-11-27").at("/nextAvailable"); };
        window(R"("kind":"dateRange","from":"2027-04-05","to":"2027-05-31")");
        equal("2027-04-05T07:00:00.000Z", next());
        // The hours of the host are one late date.
        const auto schedule = "/api/admin/schedules/" + get(ada, "/api/admin/host").at("/defaultScheduleId");
        equal(200, put(ada, schedule,
                       R"({"weeklyRules":[],"dateOverrides":[{"date":"2028-03-01","intervals":[{"start":"09:00","end":"10:00"}]}]})")
                       .status);
        equal("null", next());
        window(R"("kind":"unlimited","from":null,"to":null)");
        equal("2028-03-01T08:00:00.000Z", next());
        window(R"("kind":"rollingDays","days":365)");
        equal("null", next());
    }

    TEST(keepsWeeklyLimits)
    {
        put(ada, "/api/admin/event-types/" + intro, R"({"weeklyLimit":1})");
        booked("2026-11-27T15:00:00Z");
        equal(R"(["daily_limit"])", why("2026-11-24T10:00:00Z"));
        const auto refused = hold(nine);
        equal("slot_unavailable", refused.code());
        equal("2026-11-30T08:00:00.000Z", refused.at("/details/nearest/0/start"));
        equal("2026-11-30T08:00:00.000Z", freeOn("2026-11-27").at("/nextAvailable"));
        booked("2026-11-30T10:00:00Z");
    }

    TEST(lists)
    {
        booked(nine);
        const auto next = booked("2026-11-30T10:00:00Z").at("/booking/bookingId");
        const auto week = get(ada, "/api/admin/bookings");
        equal(1, week.count("/items"));
        equal("2026-11-22T23:00:00.000Z", week.at("/week/from"));
        equal("2026-11-29T23:00:00.000Z", week.at("/week/to"));
        const std::string range = "/api/admin/bookings?from=2026-11-01T00:00:00Z&to=2027-01-01T00:00:00Z";
        equal(2, get(ada, range).count("/items"));
        equal(next, get(ada, range + "&sort=-start").at("/items/0/bookingId"));
        equal(2, get(ada, range + "&q=GRA").count("/items"));
        equal(2, get(ada, range + "&guestEmail=grace@example.org").count("/items"));
        equal(0, get(ada, range + "&q=%25").count("/items"));
        // Neither case nor accents matter, on both engines alike.
        made(confirm(made(hold("2026-11-30T13:00:00Z", "198.51.100.7")), {}, "intro", "ÇELİK Müller"));
        for (const auto* typed : {"%C3%A7elik", "celik", "M%C3%9CLLER", "muller"})
            equal(1, get(ada, range + "&q=" + typed).count("/items"));
        made(confirm(made(hold("2026-11-30T14:00:00Z", "198.51.100.8")), {}, "intro", "Jean\u2010Luc O\u2019Brien"));
        for (const auto* typed : {"o'brien", "o%E2%80%99brien", "jean-luc", "jean%E2%80%91luc"})
            equal(1, get(ada, range + "&q=" + typed).count("/items"), typed);
        equal(4, get(ada, range + "&guestEmail=GRACE@example.org").count("/items"));
        equal(0, get(ada, range + "&status=cancelled,pending").count("/items"));
        equal(0, get(ada, range + "&wasRescheduled=true").count("/items"));
        equal(400, get(ada, "/api/admin/bookings?from=2026-11-02T00:00:00Z&to=2026-11-01T00:00:00Z").status);
        // Faults in a query are reported like faults in a body.
        const auto dateless = guest(Method::Get, "/api/public/ada/intro/availability?fromDate=2026-02-30&toDate=2026-03-01");
        equal(400, dateless.status);
        equal("invalid_date", dateless.at("/errors/0/code"));
        equal("required", guest(Method::Get, "/api/public/ada/intro/explain").at("/errors/0/code"));
        equal("invalid_instant", get(ada, "/api/admin/bookings?from=2026-11-02").at("/errors/0/code"));
        equal("invalid_id", get(ada, "/api/admin/availability?eventTypeId=none").at("/errors/0/code"));
    }

    /// Runs the migration over a name that an earlier version folded.
    TEST(foldsMarksOfStoredNames)
    {
        const auto booking = made(confirm(made(hold(nine)), {}, "intro", "Jean\u2010Luc O\u2019Brien")).at("/booking/bookingId");
        damage("UPDATE booking SET guest_name = 'jean\u2010luc o\u2019brien' WHERE id = $1", booking);
        const std::string search = "/api/admin/bookings?q=jean-luc%20o'brien";
        equal(0, get(ada, search).count("/items"));
        std::ifstream migration(calendarPluginFolder() + "/migrations/0015_folded_marks.sql");
        for (std::string statement; std::getline(migration, statement);)
            if (statement.starts_with("UPDATE "))
                host->context().database().transact([&](Transaction& transaction) { transaction.execute(statement); });
        equal(1, get(ada, search).count("/items"));
    }

    TEST(sumsUp)
    {
        newType(R"({"slug":"ask","title":"Ask","requiresApproval":true})");
        booked("2026-11-23T10:00:00Z");
        booked("2026-11-27T10:00:00Z");
        booked("2026-11-30T10:00:00Z");
        booked("2026-11-24T12:00:00Z", "ask");
        const auto metrics = [&]
        {
            const auto widget = get(ada, "/api/widget");
            equal("today this_week pending",
                  widget.at("/metrics/0/id") + " " + widget.at("/metrics/1/id") + " " + widget.at("/metrics/2/id"));
            return widget.at("/metrics/0/value") + " " + widget.at("/metrics/1/value") + " " + widget.at("/metrics/2/value") + " of " +
                   std::to_string(widget.count("/items"));
        };
        equal("1 2 1 of 4", metrics());
        const auto german = get(ada, "/api/widget?locale=de-AT");
        equal("Kalender: Heute, Diese Woche, Anfragen", german.at("/title") + ": " + german.at("/metrics/0/label") + ", " +
                                                            german.at("/metrics/1/label") + ", " + german.at("/metrics/2/label"));
        CHECK(german.at("/summary").starts_with("Als Nächstes: "));
        // A completed booking counts on its day, and is no longer upcoming.
        clock().advance(std::chrono::hours(6));
        host->context().jobs().runDue();
        equal("1 2 1 of 3", metrics());
        // Weeks begin on the host's first day: on Tuesday the 24th, so the 30th is included.
        put(ada, "/api/admin/host", R"({"weekStart":2})");
        clock().advance(std::chrono::hours(14));
        equal("0 2 1 of 3", metrics());
    }

    TEST(hidesOthersBookings)
    {
        const auto id = booked(nine).at("/booking/bookingId");
        newHost(stranger, "bob");
        auto colleague = newMember(ada.organizationId);
        newHost(colleague, "cleo");
        for (const auto& other : {stranger, colleague})
        {
            equal(404, get(other, "/api/admin/bookings/" + id).status);
            equal(404, post(other, "/api/admin/bookings/" + id + "/cancel", "{}").status);
            equal(0, get(other, "/api/admin/bookings").count("/items"));
        }
    }

    TEST(fillsSlotsOnce)
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
                            equal(201, booked.status, booked.body);
                            ++won;
                            const std::lock_guard lock(mutex);
                            starts.insert(booked.at("/booking/start"));
                        }
                    });
        CHECK(won.load() >= 5);
        equal(starts.size(), std::set(starts.begin(), starts.end()).size());
        equal(std::size_t{16} - starts.size(), freeOn("2026-11-24").count("/slots"));
    }

    TEST(listsByWhatIsBooked)
    {
        put(ada, "/api/admin/event-types/" + intro, R"({"requiresApproval":true,"approvalExpiryHours":2})");
        const auto listed = [&](std::size_t count)
        { equal(count, freeOn("2026-11-24").count("/slots") + freeOn("2026-11-25").count("/slots")); };
        listed(32);
        const auto asked = booked(nine);
        const auto id = asked.at("/booking/bookingId");
        listed(31);
        equal(200, step(id, "decline").status);
        listed(32);
        booked(nine);
        listed(31);
        clock().advance(std::chrono::hours(3));
        host->context().jobs().runDue();
        listed(32);
        const auto kept = booked(nine).at("/booking/bookingId");
        equal(200, step(kept, "approve").status);
        listed(31);
        equal(200, step(kept, "reschedule", R"({"start":"2026-11-25T08:00:00Z"})").status);
        equal(15, freeOn("2026-11-25").count("/slots"));
        equal(200, step(kept, "cancel").status);
        listed(32);
        // Another process books. The cached list is valid until the host's mark changes, or for a minute.
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

    void damage(std::string_view sql, const std::string& booking) const
    {
        host->context().database().transact([&](Transaction& transaction) { transaction.execute(sql, booking); });
    }

    const std::string nine = "2026-11-24T08:00:00Z";
};
} // namespace portico::tests
