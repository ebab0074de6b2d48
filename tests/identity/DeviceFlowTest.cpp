#include "identity/OAuthFixture.h"

namespace portico::tests
{

/// Sign-in on devices without a browser (RFC 8628).
class DeviceFlowTest : public Suite<DeviceFlowTest, OAuthFixture>
{
    TEST(devicesAreAllowedElsewhere)
    {
        const auto made = client("https://app.example/cb", deviceGrants);
        const auto started = startDevice(made);
        equal(200, started.status, started.body);
        equal("authorization_pending", poll(made, started).at("/error"));
        _browser->signIn("ada@acme.example");
        const auto unknown = _browser->get("/device?user_code=BCDF-BCDF");
        equal(404, unknown.status);
        CPPUNIT_ASSERT_MESSAGE(unknown.body, unknown.body.find("id=\"user_code-problem\">This code is incorrect") != std::string::npos);
        CHECK(unknown.body.find("value=\"BCDF-BCDF\"") != std::string::npos);
        auto typed = started.at("/user_code");
        std::ranges::transform(typed, typed.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        const auto shown = _browser->get("/device?user_code=" + typed);
        equal(200, shown.status);
        const auto decide = [&](const std::string& token) {
            return _browser->post("/device", {{"form_token", token}, {"user_code", started.at("/user_code")}, {"decision", "allow"}})
                .status;
        };
        equal(403, decide("made-up"));
        for (const auto* choice : {"", "perhaps"})
        {
            const auto again = _browser->post(
                "/device",
                {{"form_token", _browser->field(shown, "form_token")}, {"user_code", started.at("/user_code")}, {"decision", choice}});
            equal(400, again.status);
            CHECK(again.body.find("Choose Connect device or Cancel.") != std::string::npos);
            equal(started.at("/user_code"), _browser->field(again, "user_code"));
        }
        equal(200, decide(_browser->field(shown, "form_token")));
        equal(404, decide(_browser->field(shown, "form_token")));
        equal("invalid_grant", poll(client("https://b.example/cb", deviceGrants), started).at("/error"));
        const auto tokens = poll(made, started);
        equal(200, tokens.status, tokens.body);
        equal(200, userinfo(tokens.at("/access_token")).status);
        equal("expired_token", poll(made, started).at("/error"));
    }

    /// Access by a device is shown before consent, listed afterwards, and can be withdrawn, also before the device has polled.
    TEST(deviceGrantIsWithdrawn)
    {
        const auto made = client("https://app.example/cb", deviceGrants);
        _browser->signIn("ada@acme.example");
        const auto allow = [&]
        {
            auto started = startDevice(made);
            const auto shown = _browser->get("/device?user_code=" + started.at("/user_code"));
            CPPUNIT_ASSERT_MESSAGE(shown.body, shown.body.find("Your e-mail address") != std::string::npos);
            CHECK(shown.body.find("Your name") == std::string::npos);
            equal(200, _browser
                           ->post("/device", {{"form_token", _browser->field(shown, "form_token")},
                                              {"user_code", started.at("/user_code")},
                                              {"decision", "allow"}})
                           .status);
            return started;
        };
        const auto consents = [&] { return manage(Method::Get, "/api/auth/consents"); };
        const auto withdraw = [&] { return manage(Method::Delete, "/api/auth/consents/" + made.at("/client_id")).status; };
        const auto tokens = poll(made, allow());
        equal(made.at("/client_id"), consents().at("/items/0/client_id"));
        equal(204, withdraw());
        CHECK(!consents().has("/items/0"));
        equal(401, userinfo(tokens.at("/access_token")).status);
        const auto waiting = allow();
        equal(204, withdraw());
        equal("invalid_grant", poll(made, waiting).at("/error"));
        equal(404, withdraw());
        const auto code = codeFor(made);
        equal(204, withdraw());
        equal("invalid_grant", exchange(made, code).at("/error"));
        equal(0, _host->count("SELECT COUNT(*) FROM sessions WHERE ended_at IS NULL AND client_id = '" + made.at("/client_id") + '\''));
    }

    TEST(aDeviceThatIsNotForOneIsAPage)
    {
        const auto made = client("https://app.example/cb", deviceGrants);
        _browser->signIn("ada@acme.example");
        const auto started = startDevice(made);
        const auto shown = _browser->get("/device?user_code=" + started.at("/user_code"));
        _host->change(R"(UPDATE organizations SET security_policy = '{"mfaRequired":true}' WHERE slug = 'acme')");
        const auto answer = _browser->post(
            "/device",
            {{"form_token", _browser->field(shown, "form_token")}, {"user_code", started.at("/user_code")}, {"decision", "allow"}});
        equal(403, answer.status, answer.body);
        CHECK(answer.body.find("was not connected") != std::string::npos);
        equal("authorization_pending", poll(made, started).at("/error"));
    }

    TEST(aBrowserUnusedForTheIdleHoursSignsInBeforeItAllowsADevice)
    {
        const auto made = client("https://app.example/cb", deviceGrants);
        _browser->signIn("ada@acme.example");
        _host->change(R"(UPDATE organizations SET security_policy = '{"idleHours":2}' WHERE slug = 'acme')");
        _host->context().clock().advance(std::chrono::hours(2));
        const auto started = startDevice(made);
        const auto page = "/device?user_code=" + started.at("/user_code");
        const auto allow = [&]
        {
            const auto token = _browser->field(_browser->get(page), "form_token");
            return _browser->post("/device", {{"form_token", token}, {"user_code", started.at("/user_code")}, {"decision", "allow"}});
        };
        const auto sent = allow();
        equal(303, sent.status, sent.body);
        CHECK(_browser->locationOf(sent).starts_with("/login?"));
        CHECK(parameter(sent, "return_to").starts_with(page));
        equal("authorization_pending", poll(made, started).at("/error"));
        _browser->signIn("ada@acme.example");
        equal(200, allow().status);
        equal(200, poll(made, started).status);
    }

    TEST(devicesWaitTheirTime)
    {
        const auto made = client("https://app.example/cb", deviceGrants);
        const auto started = startDevice(made);
        equal("authorization_pending", poll(made, started).at("/error"));
        equal("slow_down", poll(made, started).at("/error"));
        _host->context().clock().advance(std::chrono::seconds(5));
        equal("authorization_pending", poll(made, started).at("/error"));
        _browser->signIn("ada@acme.example");
        const auto shown = _browser->get("/device?user_code=" + started.at("/user_code"));
        _browser->post(
            "/device",
            {{"form_token", _browser->field(shown, "form_token")}, {"user_code", started.at("/user_code")}, {"decision", "deny"}});
        equal("access_denied", poll(made, started).at("/error"));
        const auto late = startDevice(made);
        _host->context().clock().advance(std::chrono::seconds(601));
        equal("expired_token", poll(made, late).at("/error"));
        equal("unauthorized_client", startDevice(client("https://c.example/cb")).at("/error"));
    }

    const std::string deviceGrants = R"(,"grant_types":["authorization_code","urn:ietf:params:oauth:grant-type:device_code"])";
    TestAnswer startDevice(const TestAnswer& made) const
    {
        return post("/oauth/device_authorization",
                    {{"client_id", made.at("/client_id")}, {"client_secret", made.at("/client_secret")}, {"scope", "openid email"}});
    }
    TestAnswer poll(const TestAnswer& made, const TestAnswer& started) const
    {
        return post("/oauth/token", {{"grant_type", "urn:ietf:params:oauth:grant-type:device_code"},
                                     {"client_id", made.at("/client_id")},
                                     {"client_secret", made.at("/client_secret")},
                                     {"device_code", started.at("/device_code")}});
    }
};

} // namespace portico::tests
