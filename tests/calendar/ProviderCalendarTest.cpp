#include "calendar/BookingFixture.h"

#include "service/Urls.h"

#include "portico/Form.h"
#include "portico/interfaces/PersonalData.h"
#include "portico/testing/FakeHttpClient.h"

#include <chrono>
#include <filesystem>
#include <fstream>

namespace portico::tests
{

namespace
{
using calendar::fieldOf;

/// Google's and Microsoft's servers as their documentation shows them: tokens by `/token`, calendars below `/api`.
struct FakeProvider
{
    /// Tokens that it has issued last and accepts.
    int accessNumber = 0;
    std::string refreshToken = "refresh-1";
    /// True: it issues a new refresh token each time, like Microsoft.
    bool rotates = false;
    /// Answer instead of tokens.
    std::optional<HttpClient::Response> tokenFault;
    std::optional<HttpClient::Response> fault;
    std::string lastVerifier;
    /// By method and path without the query, in the order of the calls.
    std::vector<std::string> calls;
    /// Bodies and URLs of the same.
    std::vector<HttpClient::Request> requests;
    /// Answers by method and path; others are 404.
    std::map<std::string, std::function<HttpClient::Response(const HttpClient::Request&)>> answers;

    static HttpClient::Response answerOf(int status, const std::string& body = {},
                                         std::vector<std::pair<std::string, std::string>> headers = {})
    {
        HttpClient::Response answer;
        answer.status = status;
        answer.body = body;
        answer.headers = std::move(headers);
        return answer;
    }

    HttpClient::Response operator()(const HttpClient::Request& request)
    {
        const auto path = request.url.substr(std::string("https://provider.test").size());
        const auto call = request.method + " " + path.substr(0, path.find('?'));
        calls.push_back(call);
        requests.push_back(request);
        if (call == "POST /token") return token(parseForm(request.body));
        if (fault) return *fault;
        std::string authorization;
        for (const auto& [name, value] : request.headers)
            if (name == "Authorization") authorization = value;
        if (authorization != "Bearer access-" + std::to_string(accessNumber))
            return answerOf(401, R"({"error":{"code":401,"message":"Invalid Credentials","errors":[{"reason":"authError"}]}})");
        const auto found = answers.find(call);
        return found == answers.end() ? answerOf(404, R"({"error":{"code":404,"message":"Not Found"}})") : found->second(request);
    }

    void says(const std::string& call, int status, const std::string& body)
    {
        answers[call] = [answer = answerOf(status, body)](const HttpClient::Request&) { return answer; };
    }
    std::int64_t count(const std::string& call) const { return std::ranges::count(calls, call); }

private:
    HttpClient::Response token(const calendar::Fields& form)
    {
        if (tokenFault) return *tokenFault;
        const auto grant = fieldOf(form, "grant_type");
        const bool known = fieldOf(form, "client_id") == "client" && fieldOf(form, "client_secret") == "s3cret";
        const bool taken = grant == "authorization_code"
                               ? fieldOf(form, "code") == "code-1" &&
                                     fieldOf(form, "redirect_uri") == "http://calendar.localhost:8080/api/external-calendars/callback"
                               : fieldOf(form, "refresh_token") == refreshToken;
        lastVerifier = fieldOf(form, "code_verifier");
        if (!known) return answerOf(401, R"({"error":"invalid_client"})");
        if (!taken) return answerOf(400, R"({"error":"invalid_grant","error_description":"Token has been expired or revoked."})");
        ++accessNumber;
        if (rotates) refreshToken = "refresh-" + std::to_string(accessNumber);
        const bool gives = rotates || grant == "authorization_code";
        return answerOf(200, jsonWith(R"({"access_token":"access-$","expires_in":3599,"token_type":"Bearer","scope":"x"$})", accessNumber,
                                      (gives ? R"(,"refresh_token":")" + refreshToken + "\"" : "")));
    }
};

constexpr std::string_view connectedCalendars = "/api/admin/external-calendars";
const std::string googleEvents = "GET /api/calendars/primary/events", freeBusy = "POST /api/freeBusy",
                  graphView = "GET /api/me/calendar/calendarView";
} // namespace

/// Calendars at Google and Microsoft, from the consent of their owner to bookings that are written there.
class ProviderCalendarTest : public Suite<ProviderCalendarTest, BookingFixture>
{
    void setUp() override
    {
        std::ofstream(_secret.string()) << "s3cret\n";
        for (const std::string prefix : {"calendar.google.", "calendar.microsoft."})
        {
            settings.config[prefix + "clientId"] = "client";
            settings.config[prefix + "clientSecretFile"] = _secret.string();
            settings.config[prefix + "tokenUrl"] = "https://provider.test/token";
            settings.config[prefix + "apiUrl"] = "https://provider.test/api";
        }
        BookingFixture::setUp();
        provider = {};
        provider.says(googleEvents, 200, R"({"summary":"ada@gmail.test","items":[]})");
        provider.says(freeBusy, 200, R"({"kind":"calendar#freeBusy","calendars":{"primary":{"busy":[]}}})");
        provider.says(
            "GET /api/me/calendars", 200,
            R"({"value":[{"id":"AAMkB=","name":"Team","isDefaultCalendar":false,"owner":{"name":"Ada","address":"ada@contoso.test"}},)"
            R"({"id":"AAMkA=","name":"Calendar","isDefaultCalendar":true,"owner":{"name":"Ada","address":"ada@contoso.test"}}]})");
        provider.says(graphView, 200, R"({"value":[]})");
        http().answer([this](const HttpClient::Request& request) { return provider(request); });
    }
    void tearDown() override
    {
        BookingFixture::tearDown();
        std::filesystem::remove(_secret);
    }

    TEST(offersWhatIsSetUp)
    {
        equal(R"(["caldav","ics_feed","google","microsoft"])", get(ada, std::string(connectedCalendars)).at("/connectableKinds"));
        settings.config.erase("calendar.microsoft.clientSecretFile");
        BookingFixture::setUp();
        equal(R"(["caldav","ics_feed","google"])", get(ada, std::string(connectedCalendars)).at("/connectableKinds"));
        equal("setup_required", post(ada, connectedCalendars, R"({"kind":"microsoft"})").at("/errors/0/code"));
    }

    TEST(takesNothingTyped)
    {
        for (const auto* typed : {R"({"kind":"google","url":"https://evil.test/"})", R"({"kind":"google","username":"eve"})",
                                  R"({"kind":"google","password":"x"})"})
            equal("not_allowed", post(ada, connectedCalendars, typed).at("/errors/0/code"));
        const auto id = connected("google");
        equal(400, put(ada, one(id), R"({"password":"x"})").status);
        equal(400, put(ada, one(id), R"({"url":"https://evil.test/"})").status);
        equal(400, put(ada, one(id), R"({"selectedCollections":["a b"]})").status);
        // An answer can be sent back unchanged.
        const auto shown = get(ada, one(id));
        equal(200, put(ada, one(id), shown.body).status, shown.body);
    }

    TEST(connectsByConsent)
    {
        const auto id = made(post(ada, connectedCalendars, R"({"kind":"google"})")).at("/calendarId");
        equal("auth_failed", get(ada, one(id)).at("/syncState"));
        host->context().jobs().runDue();
        CHECK(provider.calls.empty());
        const auto started = begin(id);
        const auto url = started.at("/authorizeUrl");
        equal("https://accounts.google.com/o/oauth2/v2/auth", url.substr(0, url.find('?')));
        const auto asked = parseForm(url.substr(url.find('?') + 1));
        equal("offline", fieldOf(asked, "access_type"));
        equal("S256", fieldOf(asked, "code_challenge_method"));
        CHECK(fieldOf(asked, "scope").find("calendar.freebusy") != std::string_view::npos);
        equal("/app/calendars?connected=" + id, back(started, "code=code-1&scope=x"));
        equal(std::string(fieldOf(asked, "code_challenge")), toBase64Url(sha256(provider.lastVerifier).bytes()));
        equal("ada@gmail.test", get(ada, one(id)).at("/username"));
        host->context().jobs().runDue();
        const auto shown = get(ada, one(id));
        equal("ok", shown.at("/syncState"), shown.body);
        equal("null", shown.at("/lastError"));
        auto session = host->context().database().session();
        const auto kept = session.value<std::string>("SELECT password FROM external_calendar");
        CHECK(kept->find("refresh-1") == std::string::npos && kept->find("access-1") == std::string::npos && !kept->empty());
    }

    TEST(callbackInAnotherBrowserIsRefused)
    {
        const auto id = made(post(ada, connectedCalendars, R"({"kind":"google"})")).at("/calendarId");
        const auto started = begin(id);
        const std::string expired = "/app/calendars?connectError=expired";
        // Rejects another browser, to which an attacker has sent the link, and an unknown state.
        equal(expired, back(started, "code=code-1", {}));
        equal(expired, back(started, "code=code-1", randomToken()));
        equal(expired, comeBack("state=" + randomToken() + "&code=code-1", started.cookie("calendar_connect")));
        CHECK(provider.calls.empty());
        equal("/app/calendars?connected=" + id, back(started, "code=code-1"));
        equal(expired, back(started, "code=code-1"));
        const auto late = begin(id);
        clock().advance(std::chrono::minutes(11));
        equal(expired, back(late, "code=code-1"));
        // Consent cannot be started for another host, or for a calendar without consent.
        newHost(stranger, "eve");
        equal(404, post(stranger, one(id) + "/authorize", "{}").status);
        const auto gone = begin(id);
        equal(200, del(ada, one(id)).status);
        equal(expired, back(gone, "code=code-1"));
    }

    TEST(saysWhyItIsNotConnected)
    {
        const auto id = made(post(ada, connectedCalendars, R"({"kind":"microsoft"})")).at("/calendarId");
        const auto fails = [&](const std::string& query, std::string_view code, std::string_view words)
        {
            equal("/app/calendars?connectError=" + std::string(code), back(begin(id), query));
            const auto shown = get(ada, one(id));
            equal("auth_failed", shown.at("/syncState"));
            CPPUNIT_ASSERT_MESSAGE(shown.body, shown.at("/lastError").find(words) != std::string::npos);
            return shown.at("/lastFaults/0/code");
        };
        equal("consent_denied", fails("error=access_denied&error_description=x", "denied", "not allowed at Microsoft"));
        equal("consent_ended", fails("code=code-2", "failed", "does not let us in"));
        provider.tokenFault = FakeProvider::answerOf(200, R"({"access_token":"a","expires_in":1})");
        fails("code=code-1", "failed", "no refresh token");
        provider.tokenFault = FakeProvider::answerOf(401, R"({"error":"invalid_client"})");
        fails("code=code-1", "failed", "invalid_client");
        provider.tokenFault = FakeProvider::answerOf(200, "<html>");
        fails("code=code-1", "failed", "answered 200");
        provider.tokenFault.reset();
        // The user has granted only a part of the requested scopes.
        provider.says("GET /api/me/calendars", 403, R"({"error":{"code":"ErrorAccessDenied","message":"Access is denied."}})");
        fails("code=code-1", "failed", "Access is denied");
    }

    TEST(renewsTokens)
    {
        provider.rotates = true;
        const auto id = connected("microsoft");
        clock().advance(std::chrono::hours(2));
        host->context().jobs().runDue();
        equal("ok", get(ada, one(id)).at("/syncState"));
        equal("refresh-2", provider.refreshToken);
        // The new one is kept, and used for the next.
        clock().advance(std::chrono::hours(2));
        host->context().jobs().runDue();
        equal("ok", get(ada, one(id)).at("/syncState"));
        // One that is not taken though its time has not come is renewed once.
        ++provider.accessNumber;
        clock().advance(std::chrono::minutes(6));
        host->context().jobs().runDue();
        equal("ok", get(ada, one(id)).at("/syncState"));
        provider.fault = FakeProvider::answerOf(401);
        clock().advance(std::chrono::minutes(6));
        const auto before = provider.calls.size();
        host->context().jobs().runDue();
        equal("auth_failed", get(ada, one(id)).at("/syncState"));
        equal(before + 3, provider.calls.size());
    }

    TEST(noticesThatTheConsentHasEnded)
    {
        provider.says(freeBusy, 200, busyAt("2026-11-25T09:00:00Z", "2026-11-25T10:00:00Z"));
        const auto id = connected("google");
        CHECK(busyRows() > 0);
        const auto busy = busyRows();
        provider.refreshToken = "revoked";
        clock().advance(std::chrono::hours(2));
        host->context().jobs().runDue();
        const auto shown = get(ada, one(id));
        equal("auth_failed", shown.at("/syncState"));
        CHECK(shown.at("/lastError").find("Connect it again") != std::string::npos);
        equal(busy, busyRows());
        // The same calendar again.
        provider.refreshToken = "refresh-9";
        equal("/app/calendars?connected=" + id, back(begin(id), "code=code-1"));
        host->context().jobs().runDue();
        equal("ok", get(ada, one(id)).at("/syncState"));
    }

    TEST(isPatient)
    {
        const auto id = connected("google");
        const auto failsAs = [&](const HttpClient::Response& fault, std::string_view state)
        {
            provider.fault = fault;
            post(ada, one(id) + "/sync", "{}");
            host->context().jobs().runDue();
            auto shown = get(ada, one(id));
            equal(state, shown.at("/syncState"), shown.body);
            return shown;
        };
        failsAs(FakeProvider::answerOf(500, "<html>"), "unreachable");
        const auto limited = failsAs(
            FakeProvider::answerOf(403, R"({"error":{"code":403,"message":"Rate Limit","errors":[{"reason":"userRateLimitExceeded"}]}})"),
            "unreachable");
        CHECK(limited.at("/lastError").find("Rate Limit") != std::string::npos);
        const auto asked = clock().now();
        const auto told = failsAs(FakeProvider::answerOf(429, {}, {{"Retry-After", "7200"}}), "unreachable");
        CHECK(*parseInstant(told.at("/nextSyncAt")) >= asked + std::chrono::hours(2));
        // Caps the wait at a day.
        const auto longer = failsAs(FakeProvider::answerOf(503, {}, {{"Retry-After", "99999999"}}), "unreachable");
        CHECK(*parseInstant(longer.at("/nextSyncAt")) <= asked + std::chrono::hours(25));
        failsAs(FakeProvider::answerOf(200, "[1"), "unreachable");
    }

    /// Queries have at most 62 days and 50 calendars.
    TEST(asksGoogleInParts)
    {
        std::string list, busy;
        for (int i = 0; i < 50; ++i)
        {
            const auto name = "c" + std::to_string(i) + "@group.calendar.google.com";
            list += (i ? ",\"" : "\"") + name + "\"";
            busy += (i ? ",\"" : "\"") + name + R"(":{"busy":[]})";
        }
        provider.says(freeBusy, 200, jsonWith(R"({"calendars":{$}})", busy));
        const auto id = connected("google");
        equal("unreachable", get(ada, one(id)).at("/syncState"));
        equal(200, put(ada, one(id), jsonWith(R"({"selectedCollections":[$]})", list)).status);
        provider.requests.clear();
        host->context().jobs().runDue();
        equal("ok", get(ada, one(id)).at("/syncState"));
        Instant from{};
        int parts = 0;
        for (const auto& request : provider.requests)
        {
            if (request.method != "POST") continue;
            const auto at = [&](std::string_view name)
            { return *parseInstant(request.body.substr(request.body.find("\"" + std::string(name) + "\":\"") + name.size() + 4, 24)); };
            CHECK(at("timeMax") - at("timeMin") <= std::chrono::days(62));
            CHECK(parts == 0 || at("timeMin") == from);
            from = at("timeMax");
            ++parts;
        }
        CHECK(from >= clock().now() + std::chrono::days(730));
        equal(12, parts);
        // A calendar that is missing in the answer does not count as free.
        provider.says(freeBusy, 200, R"({"calendars":{"primary":{"errors":[{"domain":"global","reason":"notFound"}],"busy":[]}}})");
        put(ada, one(id), R"({"selectedCollections":["primary"]})");
        host->context().jobs().runDue();
        CHECK(get(ada, one(id)).at("/lastError").find("notFound") != std::string::npos);
    }

    TEST(readsTheOtherCalendarsOfAnAccountIfOneIsGone)
    {
        const auto seen = [&](const std::string& id, const std::string& collections)
        {
            equal(200, put(ada, one(id), jsonWith(R"({"selectedCollections":["primary",$]})", collections)).status);
            host->context().jobs().runDue();
            const auto shown = get(ada, one(id));
            equal("ok", shown.at("/syncState"), shown.body);
            return shown.at("/lastFaults");
        };
        const std::string gone = R"([{"code":"missing_calendar","step":"","about":"$","detail":"$"}])";
        const auto google = connected("google");
        provider.says(freeBusy, 200,
                      R"({"calendars":{"old":{"errors":[{"reason":"notFound"}]},)"
                      R"("primary":{"busy":[{"start":"2026-11-25T09:00:00Z","end":"2026-11-25T10:00:00Z"}]}}})");
        equal(jsonWith(gone, "old", "notFound"), seen(google, R"("old")"));
        equal(R"(["busy"])", why("2026-11-25T09:00:00Z"));
        equal(200, del(ada, one(google)).status);
        equal(jsonWith(gone, "AAMkB=", "404"), seen(connected("microsoft"), R"("AAMkB=")"));
    }

    TEST(readsGoogleEvents)
    {
        const auto booking = booked("2026-11-26T09:00:00Z");
        const auto event = [](const std::string& more, const std::string& start, const std::string& end)
        { return jsonWith(R"({$"start":{"dateTime":"$"},"end":{"dateTime":"$"}})", more, start, end); };
        std::string page =
            jsonWith(R"({"kind":"calendar#events","summary":"ada@gmail.test","nextPageToken":"p2","items":[$,$,$,$,$,$]})",
                     event(R"("status":"confirmed","summary":"Dentist",)", "2026-11-25T10:00:00+01:00", "2026-11-25T11:00:00+01:00"),
                     event(R"("transparency":"transparent",)", "2026-11-25T12:00:00Z", "2026-11-25T13:00:00Z"),
                     event(R"("attendees":[{"self":true,"responseStatus":"declined"}],)", "2026-11-25T12:00:00Z", "2026-11-25T13:00:00Z"),
                     event(R"("status":"cancelled",)", "2026-11-25T12:00:00Z", "2026-11-25T13:00:00Z"),
                     event(R"("status":"tentative",)", "2026-11-25T14:00:00Z", "2026-11-25T15:00:00Z"),
                     event(R"("extendedProperties":{"private":{"porticoUid":")" +
                               get(ada, "/api/admin/bookings/" + booking.at("/booking/bookingId")).at("/iCalUid") + R"("}},)",
                           "2026-11-27T09:00:00Z", "2026-11-27T10:00:00Z"));
        provider.answers[googleEvents] = [page](const HttpClient::Request& request)
        {
            return request.url.find("pageToken=p2") == std::string::npos
                       ? FakeProvider::answerOf(200, page)
                       : FakeProvider::answerOf(200, R"({"items":[{"start":{"date":"2026-11-30"},"end":{"date":"2026-12-01"}}]})");
        };
        const auto id = connected("google", R"(,"direction":"busy_and_write")");
        equal("7", get(ada, one(id)).at("/eventCount"));
        equal(0, provider.count(freeBusy));
        equal(R"(["busy"])", why("2026-11-25T09:00:00Z"));
        equal("[]", why("2026-11-25T12:00:00Z"));
        equal(R"(["busy"])", why("2026-11-25T14:00:00Z"));
        equal(R"(["busy"])", why("2026-11-30T09:00:00Z"));
        // The event of a booking does not block time.
        equal("[]", why("2026-11-27T09:00:00Z"));
        put(ada, one(id), R"({"busyKinds":{"tentative":false,"allDay":false}})");
        host->context().jobs().runDue();
        equal("[]", why("2026-11-25T14:00:00Z"));
        equal("[]", why("2026-11-30T09:00:00Z"));
    }

    TEST(writesToGoogle)
    {
        const auto id = connected("google", R"(,"direction":"busy_and_write")");
        const std::string insert = "POST /api/calendars/primary/events";
        provider.answers[insert] = [](const HttpClient::Request& request)
        {
            const auto at = request.body.find(R"("id":")");
            const auto made = at == std::string::npos ? std::string("second") : request.body.substr(at + 6, 64);
            return FakeProvider::answerOf(200, jsonWith(R"({"id":"$","etag":"\"1\"","status":"confirmed"})", made));
        };
        const auto booking = booked("2026-11-26T09:00:00Z").at("/booking/bookingId");
        host->context().jobs().runDue();
        equal(1, provider.count(insert));
        const auto sent = provider.requests.back();
        CHECK(sent.url.find("sendUpdates=none") != std::string::npos);
        for (const std::string_view part : {R"("start":{"dateTime":"2026-11-26T09:00:00.000Z"})", R"("porticoUid":)", R"("summary":)"})
            CPPUNIT_ASSERT_MESSAGE(sent.body, sent.body.find(part) != std::string::npos);
        const auto name = sent.body.substr(sent.body.find(R"("id":")") + 6, 64);
        const std::string event = " /api/calendars/primary/events/" + name;
        const auto standsAt = R"([{"calendarId":")" + id + R"(","href":")";
        for (const auto& path : {"/api/admin/bookings/" + booking, std::string("/api/admin/bookings")})
            CPPUNIT_ASSERT_MESSAGE(path, get(ada, path).body.find(jsonWith(R"("externalEvents":$)", standsAt)) != std::string::npos);
        // Moved: the same event. Its owner has deleted it: another one.
        provider.says("PATCH" + event, 200, jsonWith(R"({"id":"$","etag":"\"2\""})", name));
        step(booking, "reschedule", R"({"start":"2026-11-26T10:00:00Z"})");
        host->context().jobs().runDue();
        equal(1, provider.count("PATCH" + event));
        equal(1, provider.count(insert));
        provider.says("PATCH" + event, 410, R"({"error":{"code":410,"errors":[{"reason":"deleted"}]}})");
        step(booking, "reschedule", R"({"start":"2026-11-26T11:00:00Z"})");
        host->context().jobs().runDue();
        equal(2, provider.count(insert));
        provider.says("DELETE /api/calendars/primary/events/second", 204, "");
        step(booking, "cancel");
        host->context().jobs().runDue();
        equal(1, provider.count("DELETE /api/calendars/primary/events/second"));
        // A created event whose answer was lost already exists.
        provider.answers[insert] = [this](const HttpClient::Request& request)
        {
            const auto there = request.body.substr(request.body.find(R"("id":")") + 6, 64);
            provider.says("PATCH /api/calendars/primary/events/" + there, 200, jsonWith(R"({"id":"$","etag":"\"1\""})", there));
            return FakeProvider::answerOf(409, R"({"error":{"code":409,"errors":[{"reason":"duplicate"}]}})");
        };
        booked("2026-11-27T09:00:00Z");
        host->context().jobs().runDue();
        CHECK(provider.calls.back().starts_with("PATCH"));
        equal("ok", get(ada, one(id)).at("/syncState"));
        // Erasing the guest's data also updates the event.
        CHECK(provider.requests.back().body.find("Grace") != std::string::npos);
        host->context().services().provided<interfaces::PersonalData>()->forget({"usr_" + makeUlid(Instant{}), "grace@example.org", {}});
        host->context().jobs().runDue();
        CHECK(provider.calls.back().starts_with("PATCH"));
        CPPUNIT_ASSERT_MESSAGE(provider.requests.back().body, provider.requests.back().body.find("Former guest") != std::string::npos);
        CHECK(provider.requests.back().body.find("race") == std::string::npos);
    }

    TEST(readsMicrosoftPages)
    {
        const auto event = [](const std::string& more, const std::string& start, const std::string& end)
        {
            return jsonWith(
                R"({"@odata.etag":"W/\"x\"","id":"AAMk","transactionId":null,"isCancelled":false,"responseStatus":{"response":"none",)"
                R"("time":"0001-01-01T00:00:00Z"},$"start":{"dateTime":"$","timeZone":"UTC"},"end":{"dateTime":"$","timeZone":"UTC"}})",
                more, start, end);
        };
        const auto first =
            R"({"@odata.context":"x","@odata.nextLink":"https://provider.test/api/me/calendar/calendarView?$skip=500","value":[)" +
            event(R"("showAs":"busy","isAllDay":false,)", "2026-11-25T09:00:00.0000000", "2026-11-25T10:00:00.0000000") + "," +
            event(R"("showAs":"free","isAllDay":false,)", "2026-11-25T12:00:00.0000000", "2026-11-25T13:00:00.0000000") + "]}";
        const auto second = jsonWith(
            R"({"value":[$]})", event(R"("showAs":"oof","isAllDay":true,)", "2026-11-30T00:00:00.0000000", "2026-12-01T00:00:00.0000000"));
        provider.answers[graphView] = [=](const HttpClient::Request& request)
        {
            const auto utc = std::ranges::any_of(request.headers, [](const auto& header)
                                                 { return header.first == "Prefer" && header.second == R"(outlook.timezone="UTC")"; });
            if (!utc) return FakeProvider::answerOf(400);
            return FakeProvider::answerOf(200, request.url.find("skip=500") == std::string::npos ? first : second);
        };
        const auto id = connected("microsoft");
        equal("Calendar (ada@contoso.test)", get(ada, one(id)).at("/username"));
        equal("3", get(ada, one(id)).at("/eventCount"));
        equal(R"(["busy"])", why("2026-11-25T09:00:00Z"));
        equal("[]", why("2026-11-25T12:00:00Z"));
        equal(R"(["busy"])", why("2026-11-30T09:00:00Z"));
        const auto found = post(ada, std::string(connectedCalendars) + "/discover", jsonWith(R"({"calendarId":"$"})", id));
        equal("primary", found.at("/calendars/0/url"));
        equal("AAMkB=", found.at("/calendars/1/url"));
        // Wherever an answer leads, the token stays where the operator has said.
        provider.says(graphView, 200, R"({"value":[],"@odata.nextLink":"https://evil.test/api"})");
        post(ada, one(id) + "/sync", "{}");
        host->context().jobs().runDue();
        CHECK(get(ada, one(id)).at("/lastError").find("another server") != std::string::npos);
        for (const auto& request : http().requests()) CHECK(request.url.find("evil") == std::string::npos);
    }

    TEST(writesToMicrosoft)
    {
        connected("microsoft", R"(,"direction":"busy_and_write")");
        const std::string insert = "POST /api/me/calendar/events", event = " /api/me/events/AAMk1%3D";
        provider.says(insert, 201, R"({"@odata.etag":"W/\"1\"","id":"AAMk1=","transactionId":"x","showAs":"busy"})");
        const auto booking = booked("2026-11-26T09:00:00Z").at("/booking/bookingId");
        host->context().jobs().runDue();
        const auto sent = provider.requests.back();
        for (const std::string_view part :
             {R"("start":{"dateTime":"2026-11-26T09:00:00","timeZone":"UTC"})", R"("transactionId":")", R"("showAs":"busy")"})
            CPPUNIT_ASSERT_MESSAGE(sent.body, sent.body.find(part) != std::string::npos);
        provider.says("PATCH" + event, 200, R"({"id":"AAMk1=","transactionId":null})");
        step(booking, "reschedule", R"({"start":"2026-11-26T10:00:00Z"})");
        host->context().jobs().runDue();
        equal(1, provider.count("PATCH" + event));
        provider.says("DELETE" + event, 204, "");
        step(booking, "cancel");
        host->context().jobs().runDue();
        equal(1, provider.count("DELETE" + event));
        // A created event whose answer was lost is found by its transaction id.
        std::string transaction;
        provider.answers[insert] = [&](const HttpClient::Request& request)
        {
            const auto at = request.body.find(R"("transactionId":")") + 17;
            transaction = request.body.substr(at, request.body.find('"', at) - at);
            provider.says(
                graphView, 200,
                jsonWith(R"({"value":[{"id":"other","transactionId":null,"showAs":"busy","isAllDay":false,"isCancelled":false,"start":{},)"
                         R"("end":{}},{"id":"AAMk1=","transactionId":"$","showAs":"busy","isAllDay":false,"isCancelled":false,"start":{},)"
                         R"("end":{}}]})",
                         transaction));
            return FakeProvider::answerOf(400, R"({"error":{"code":"ErrorDuplicateTransactionId","message":"x"}})");
        };
        booked("2026-11-27T09:00:00Z");
        host->context().jobs().runDue();
        equal(2, provider.count("PATCH" + event));
    }

    TEST(doesNotWriteADeletedEventAgainAfterWritingIsSwitchedOff)
    {
        const auto id = connected("google", R"(,"direction":"busy_and_write")");
        const std::string insert = "POST /api/calendars/primary/events", change = "PATCH /api/calendars/primary/events/e1";
        provider.says(insert, 200, R"({"id":"e1","etag":"\"1\""})");
        const auto booking = booked("2026-11-26T09:00:00Z").at("/booking/bookingId");
        host->context().jobs().runDue();
        equal(200, put(ada, one(id), R"({"direction":"busy_only"})").status);
        host->context().jobs().runDue();
        equal("ok 0", get(ada, one(id)).at("/syncState") + " " + std::to_string(provider.count(freeBusy)));
        provider.says(change, 410, R"({"error":{"code":410,"errors":[{"reason":"deleted"}]}})");
        step(booking, "reschedule", R"({"start":"2026-11-26T10:00:00Z"})");
        // A booking that was not written before is not written.
        booked("2026-11-27T09:00:00Z");
        host->context().jobs().runDue();
        equal(1, provider.count(change));
        equal(1, provider.count(insert));
    }

    TEST(changesAnEventWhereItIsAfterWritingIsSwitchedOff)
    {
        const auto id = connected("google", R"(,"direction":"busy_and_write")");
        const std::string event = "/api/calendars/primary/events/e1";
        provider.says("POST /api/calendars/primary/events", 200, R"({"id":"e1","etag":"\"1\""})");
        provider.says("PATCH " + event, 200, R"({"id":"e1","etag":"\"2\""})");
        provider.says("DELETE " + event, 204, "");
        const auto booking = booked("2026-11-26T09:00:00Z").at("/booking/bookingId");
        host->context().jobs().runDue();
        equal(200, put(ada, one(id), R"({"direction":"busy_only"})").status);
        for (const std::string hour : {"10", "11"})
        {
            step(booking, "reschedule", jsonWith(R"({"start":"2026-11-26T$:00:00Z"})", hour));
            host->context().jobs().runDue();
        }
        step(booking, "cancel");
        host->context().jobs().runDue();
        equal(2, provider.count("PATCH " + event));
        equal(1, provider.count("DELETE " + event));
    }

    TEST(writesToTheOtherCalendarsIfOneFails)
    {
        const std::string writes = R"(,"direction":"busy_and_write")";
        // The first one waits for its consent.
        made(post(ada, connectedCalendars, jsonWith(R"({"kind":"google"$})", writes)));
        connected("google", writes);
        connected("microsoft", writes);
        const std::string google = "POST /api/calendars/primary/events", microsoft = "POST /api/me/calendar/events";
        provider.says(google, 500, "{}");
        provider.says(microsoft, 201, R"({"@odata.etag":"W/\"1\"","id":"AAMk1=","transactionId":"x","showAs":"busy"})");
        provider.says("PATCH /api/me/events/AAMk1%3D", 200, R"({"id":"AAMk1=","transactionId":null})");
        const auto booking = booked("2026-11-26T09:00:00Z").at("/booking/bookingId");
        host->context().jobs().runDue();
        equal(1, get(ada, "/api/admin/bookings/" + booking).count("/externalEvents"));
        // The failed one is tried again.
        provider.says(google, 200, R"({"id":"e1","etag":"\"1\""})");
        clock().advance(std::chrono::minutes(1));
        host->context().jobs().runDue();
        equal(2, get(ada, "/api/admin/bookings/" + booking).count("/externalEvents"));
    }

    testing::FakeHttpClient& http() const { return host->context().http(); }
    static std::string one(const std::string& id) { return std::string(connectedCalendars) + "/" + id; }
    static std::string busyAt(const std::string& start, const std::string& end)
    {
        return jsonWith(R"({"calendars":{"primary":{"busy":[{"start":"$","end":"$"}]}}})", start, end);
    }

    testing::TestAnswer begin(const std::string& id) const
    {
        auto started = post(ada, one(id) + "/authorize", "{}");
        equal(200, started.status, started.body);
        return started;
    }
    /// Returns the redirect after the provider's answer.
    std::string comeBack(const std::string& query, const std::string& cookie) const
    {
        testing::TestRequest request{portico::Method::Get, "/api/external-calendars/callback?" + query, {}, {}, Caller::nobody()};
        if (!cookie.empty()) request.headers.emplace_back("Cookie", "calendar_connect=" + cookie);
        const auto answer = host->call(request);
        equal(303, answer.status, answer.body);
        const auto& headers = answer.headerBlock();
        const auto location = headers.find("Location: ") + 10;
        return headers.substr(location, headers.find('\r', location) - location);
    }
    std::string back(const testing::TestAnswer& started, const std::string& query) const
    {
        return back(started, query, started.cookie("calendar_connect"));
    }
    std::string back(const testing::TestAnswer& started, const std::string& query, const std::string& cookie) const
    {
        const auto url = started.at("/authorizeUrl");
        const auto fields = parseForm(url.substr(url.find('?') + 1));
        return comeBack("state=" + std::string(fieldOf(fields, "state")) + "&" + query, cookie);
    }
    /// The id of a calendar that was allowed and read.
    std::string connected(const std::string& kind, const std::string& more = {}) const
    {
        const auto id = made(post(ada, connectedCalendars, jsonWith(R"({"kind":"$"$})", kind, more))).at("/calendarId");
        equal("/app/calendars?connected=" + id, back(begin(id), "code=code-1"));
        host->context().jobs().runDue();
        return id;
    }
    std::int64_t busyRows() const
    {
        auto session = host->context().database().session();
        return *session.value<std::int64_t>("SELECT COUNT(*) FROM external_busy");
    }

    FakeProvider provider;
    const std::filesystem::path _secret = std::filesystem::temp_directory_path() / ("portico-provider-" + makeUlid(Instant{}));
};
} // namespace portico::tests
