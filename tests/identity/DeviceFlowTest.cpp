#include "identity/OAuthFixture.h"

namespace portico::tests
{

/// Sign-in on devices without a browser (RFC 8628).
class DeviceFlowTest : public OAuthFixture
{
    CPPUNIT_TEST_SUITE(DeviceFlowTest);
    CPPUNIT_TEST(devicesAreAllowedElsewhere);
    CPPUNIT_TEST(whatADeviceWasAllowedIsWithdrawn);
    CPPUNIT_TEST(aDeviceThatIsNotForOneIsAPage);
    CPPUNIT_TEST(devicesWaitTheirTime);
    CPPUNIT_TEST_SUITE_END();

public:
    void devicesAreAllowedElsewhere()
    {
        const auto made = client("https://app.example/cb", deviceGrants);
        const auto started = startDevice(made);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(started.body, 200, started.status);
        CPPUNIT_ASSERT_EQUAL(std::string("authorization_pending"), poll(made, started).at("/error"));
        _browser->signIn("ada@acme.example");
        const auto unknown = _browser->get("/device?user_code=BCDF-BCDF");
        CPPUNIT_ASSERT_EQUAL(404, unknown.status);
        CPPUNIT_ASSERT_MESSAGE(unknown.body, unknown.body.find("id=\"user_code-problem\">This code is incorrect") != std::string::npos);
        CPPUNIT_ASSERT(unknown.body.find("value=\"BCDF-BCDF\"") != std::string::npos);
        auto typed = started.at("/user_code");
        std::ranges::transform(typed, typed.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        const auto shown = _browser->get("/device?user_code=" + typed);
        CPPUNIT_ASSERT_EQUAL(200, shown.status);
        const auto decide = [&](const std::string& token) {
            return _browser->post("/device", {{"form_token", token}, {"user_code", started.at("/user_code")}, {"decision", "allow"}})
                .status;
        };
        CPPUNIT_ASSERT_EQUAL(403, decide("made-up"));
        for (const auto* choice : {"", "perhaps"})
        {
            const auto again = _browser->post(
                "/device",
                {{"form_token", _browser->field(shown, "form_token")}, {"user_code", started.at("/user_code")}, {"decision", choice}});
            CPPUNIT_ASSERT_EQUAL(400, again.status);
            CPPUNIT_ASSERT(again.body.find("Choose Connect device or Cancel.") != std::string::npos);
            CPPUNIT_ASSERT_EQUAL(started.at("/user_code"), _browser->field(again, "user_code"));
        }
        CPPUNIT_ASSERT_EQUAL(200, decide(_browser->field(shown, "form_token")));
        CPPUNIT_ASSERT_EQUAL(404, decide(_browser->field(shown, "form_token")));
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_grant"), poll(client("https://b.example/cb", deviceGrants), started).at("/error"));
        const auto tokens = poll(made, started);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(tokens.body, 200, tokens.status);
        CPPUNIT_ASSERT_EQUAL(200, userinfo(tokens.at("/access_token")).status);
        CPPUNIT_ASSERT_EQUAL(std::string("expired_token"), poll(made, started).at("/error"));
    }

    /// What a device gets is read before, found afterwards, and taken back, also before it has come for it.
    void whatADeviceWasAllowedIsWithdrawn()
    {
        const auto made = client("https://app.example/cb", deviceGrants);
        _browser->signIn("ada@acme.example");
        const auto allow = [&]
        {
            auto started = startDevice(made);
            const auto shown = _browser->get("/device?user_code=" + started.at("/user_code"));
            CPPUNIT_ASSERT_MESSAGE(shown.body, shown.body.find("Your e-mail address") != std::string::npos);
            CPPUNIT_ASSERT(shown.body.find("Your name") == std::string::npos);
            CPPUNIT_ASSERT_EQUAL(200, _browser
                                          ->post("/device", {{"form_token", _browser->field(shown, "form_token")},
                                                             {"user_code", started.at("/user_code")},
                                                             {"decision", "allow"}})
                                          .status);
            return started;
        };
        const auto consents = [&] { return manage(Method::Get, "/api/auth/consents"); };
        const auto withdraw = [&] { return manage(Method::Delete, "/api/auth/consents/" + made.at("/client_id")).status; };
        const auto tokens = poll(made, allow());
        CPPUNIT_ASSERT_EQUAL(made.at("/client_id"), consents().at("/items/0/client_id"));
        CPPUNIT_ASSERT_EQUAL(204, withdraw());
        CPPUNIT_ASSERT(!consents().has("/items/0"));
        CPPUNIT_ASSERT_EQUAL(401, userinfo(tokens.at("/access_token")).status);
        const auto waiting = allow();
        CPPUNIT_ASSERT_EQUAL(204, withdraw());
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_grant"), poll(made, waiting).at("/error"));
        CPPUNIT_ASSERT_EQUAL(404, withdraw());
        const auto code = codeFor(made);
        CPPUNIT_ASSERT_EQUAL(204, withdraw());
        CPPUNIT_ASSERT_EQUAL(std::string("invalid_grant"), exchange(made, code).at("/error"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, _host->count("SELECT COUNT(*) FROM sessions WHERE ended_at IS NULL AND client_id = '" +
                                                           made.at("/client_id") + '\''));
    }

    void aDeviceThatIsNotForOneIsAPage()
    {
        const auto made = client("https://app.example/cb", deviceGrants);
        _browser->signIn("ada@acme.example");
        const auto started = startDevice(made);
        const auto shown = _browser->get("/device?user_code=" + started.at("/user_code"));
        _host->change(R"(UPDATE organizations SET security_policy = '{"mfaRequired":true}' WHERE slug = 'acme')");
        const auto answer = _browser->post(
            "/device",
            {{"form_token", _browser->field(shown, "form_token")}, {"user_code", started.at("/user_code")}, {"decision", "allow"}});
        CPPUNIT_ASSERT_EQUAL_MESSAGE(answer.body, 403, answer.status);
        CPPUNIT_ASSERT(answer.body.find("was not connected") != std::string::npos);
        CPPUNIT_ASSERT_EQUAL(std::string("authorization_pending"), poll(made, started).at("/error"));
    }

    void devicesWaitTheirTime()
    {
        const auto made = client("https://app.example/cb", deviceGrants);
        const auto started = startDevice(made);
        CPPUNIT_ASSERT_EQUAL(std::string("authorization_pending"), poll(made, started).at("/error"));
        CPPUNIT_ASSERT_EQUAL(std::string("slow_down"), poll(made, started).at("/error"));
        _host->context().clock().advance(std::chrono::seconds(5));
        CPPUNIT_ASSERT_EQUAL(std::string("authorization_pending"), poll(made, started).at("/error"));
        _browser->signIn("ada@acme.example");
        const auto shown = _browser->get("/device?user_code=" + started.at("/user_code"));
        _browser->post(
            "/device",
            {{"form_token", _browser->field(shown, "form_token")}, {"user_code", started.at("/user_code")}, {"decision", "deny"}});
        CPPUNIT_ASSERT_EQUAL(std::string("access_denied"), poll(made, started).at("/error"));
        const auto late = startDevice(made);
        _host->context().clock().advance(std::chrono::seconds(601));
        CPPUNIT_ASSERT_EQUAL(std::string("expired_token"), poll(made, late).at("/error"));
        CPPUNIT_ASSERT_EQUAL(std::string("unauthorized_client"), startDevice(client("https://c.example/cb")).at("/error"));
    }

private:
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

CPPUNIT_TEST_SUITE_REGISTRATION(DeviceFlowTest);

} // namespace portico::tests
