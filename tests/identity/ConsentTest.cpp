#include "identity/OAuthFixture.h"

namespace portico::tests
{

/// Consents of users to OAuth clients, and their withdrawal.
class ConsentTest : public Suite<ConsentTest, OAuthFixture>
{
    TEST(consentIsAskedForOnce)
    {
        const auto made = client();
        const auto first = authorize(made);
        equal(200, first.status);
        CHECK(first.body.find("name=\"decision\"") != std::string::npos);
        equal("consent_required", parameter(authorize(made, "&prompt=none"), "error"));
        equal("access_denied", parameter(decide(first, "deny"), "error"));
        CHECK(!parameter(decide(authorize(made), "allow"), "code").empty());
        CHECK(!parameter(authorize(made), "code").empty());
        CHECK(!parameter(authorize(made, "&prompt=none"), "code").empty());
        equal(200, authorize(made, "&prompt=consent").status);
        // More than was granted is asked for again.
        equal(204, manage(Method::Delete, "/api/oauth-clients/" + made.at("/client_id")).status);
    }

    TEST(consentIsBoundToItsBrowser)
    {
        const auto made = client();
        const auto shown = authorize(made);
        BrowserDriver other(*_host);
        other.signIn("eve@other.example");
        equal(400, other
                       .post("/oauth/consent", {{"form_token", _browser->field(shown, "form_token")},
                                                {"ticket", _browser->field(shown, "ticket")},
                                                {"decision", "allow"}})
                       .status);
        // Rejects the ticket of another user with a valid form token.
        const auto mine = other.get(requestOf(made));
        equal(400, other
                       .post("/oauth/consent", {{"form_token", other.field(mine, "form_token")},
                                                {"ticket", _browser->field(shown, "ticket")},
                                                {"decision", "allow"}})
                       .status);
    }

    /// A form that is refused does not use the ticket up.
    TEST(faultsShowThePageAgain)
    {
        const auto shown = authorize(client());
        const auto token = _browser->field(shown, "form_token"), ticket = _browser->field(shown, "ticket");
        using Fields = BrowserDriver::Fields;
        for (const auto& [fields, status, text] :
             {std::tuple{Fields{{"form_token", token}, {"ticket", ticket}}, 400, "Choose Allow or Deny."},
              {Fields{{"form_token", token}, {"ticket", ticket}, {"decision", "perhaps"}}, 400, "Choose Allow or Deny."},
              {Fields{{"form_token", token}, {"ticket", ticket}, {"decision", "allow"}, {"scope", "admin"}}, 400, "Choose Allow or Deny."},
              {Fields{{"form_token", "made-up"}, {"ticket", ticket}, {"decision", "allow"}}, 403, "page has expired"}})
        {
            const auto again = _browser->post("/oauth/consent", fields);
            equal(status, again.status, again.body);
            CPPUNIT_ASSERT_MESSAGE(again.body, again.body.find(text) != std::string::npos);
            equal(ticket, _browser->field(again, "ticket"));
        }
        CHECK(!parameter(decide(shown, "allow"), "code").empty());
        equal(400, decide(shown, "allow").status);
    }

    TEST(consentIsWithdrawn)
    {
        const auto made = client();
        const auto tokens = signIn(made);
        const auto token = _host->signIn("ada@acme.example", "identity");
        const auto list = _host->call({.target = "/api/auth/consents?include=total"}, token);
        equal(made.at("/client_id"), list.at("/items/0/client_id"));
        equal("1", list.at("/total"));
        equal(204, _host->call({.method = Method::Delete, .target = "/api/auth/consents/" + made.at("/client_id")}, token).status);
        equal(401, userinfo(tokens.at("/access_token")).status);
        equal(200, authorize(made).status);
    }

    /// Earlier consents stay: tokens remain valid, and are not asked for again.
    TEST(consentsAddUp)
    {
        const auto made = client("https://app.example/cb", R"(,"scopes":["openid","profile","email","organizations"])");
        CHECK(!codeFor(made).empty());
        auto less = requestOf(made);
        less.replace(less.find("openid%20profile%20email"), 24, "openid%20organizations");
        const auto asked = _browser->get(less);
        equal(200, asked.status);
        CHECK(!parameter(decide(asked, "allow"), "code").empty());
        CHECK(!parameter(authorize(made, "&prompt=none"), "code").empty());
        const auto list = _host->call({.target = "/api/auth/consents"}, _host->signIn("ada@acme.example", "identity"));
        CPPUNIT_ASSERT_MESSAGE(list.body, list.body.find(R"("scopes":["openid","profile","email","organizations"])") != std::string::npos);
    }
};

} // namespace portico::tests
