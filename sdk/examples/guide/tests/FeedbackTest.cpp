#include "Fixture.h"

using namespace portico;

namespace acme_notes::tests
{

/// `/feedback`: a page with a form.
class FeedbackTest : public Suite<FeedbackTest, Fixture>
{
    TEST(sendsAMail)
    {
        const auto sent = post("email=ada%40example.org&text=Nice+notes", tokenOf(page()));
        equal(200, sent.status, sent.body);
        CHECK(sent.body.find("Thank you.") != std::string::npos);
        const auto mails = host.context().mailer().sentTo("team@example.org");
        equal(1, mails.size());
        equal("ada@example.org", mails.front().replyTo);
    }

    TEST(showsFaultsAtTheirFields)
    {
        const auto shown = post("email=ada&text=", tokenOf(page()));
        equal(400, shown.status);
        CHECK(shown.body.find("Enter an e-mail address") != std::string::npos);
        CHECK(shown.body.find("Fill in this field.") != std::string::npos);
        CHECK(shown.body.find("value=\"ada\"") != std::string::npos);
        CHECK(host.context().mailer().sentTo("team@example.org").empty());
    }

    TEST(refusesAForeignForm)
    {
        page();
        equal(403, post("email=ada%40example.org&text=Hello", "foreign").status);
        CHECK(host.context().mailer().sentTo("team@example.org").empty());
    }

    Answer page()
    {
        auto shown = host.call(Method::Get, "/feedback");
        cookie = "form=" + shown.cookie("form");
        return shown;
    }
    Answer post(const std::string& fields, const std::string& token) const
    {
        return host.call({.method = Method::Post,
                          .target = "/feedback",
                          .body = fields + "&form_token=" + token,
                          .headers = {{"Content-Type", "application/x-www-form-urlencoded"}, {"Cookie", cookie}}});
    }
    static std::string tokenOf(const Answer& shown)
    {
        const std::string before = "name=\"form_token\" value=\"";
        const auto start = shown.body.find(before) + before.size();
        return shown.body.substr(start, shown.body.find('"', start) - start);
    }

    std::string cookie;
};

} // namespace acme_notes::tests
