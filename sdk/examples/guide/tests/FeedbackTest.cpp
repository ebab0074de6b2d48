#include "Fixture.h"

using namespace portico;

namespace acme_notes::tests
{

/// `/feedback`: a page with a form.
class FeedbackTest : public Fixture
{
    CPPUNIT_TEST_SUITE(FeedbackTest);
    CPPUNIT_TEST(sendsAMail);
    CPPUNIT_TEST(showsFaultsAtTheirFields);
    CPPUNIT_TEST(refusesAForeignForm);
    CPPUNIT_TEST_SUITE_END();

public:
    void sendsAMail()
    {
        const auto sent = post("email=ada%40example.org&text=Nice+notes", tokenOf(page()));
        CPPUNIT_ASSERT_EQUAL_MESSAGE(sent.body, 200, sent.status);
        CPPUNIT_ASSERT(sent.body.find("Thank you.") != std::string::npos);
        const auto mails = host.context().mailer().sentTo("team@example.org");
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), mails.size());
        CPPUNIT_ASSERT_EQUAL(std::string("ada@example.org"), mails.front().replyTo);
    }

    void showsFaultsAtTheirFields()
    {
        const auto shown = post("email=ada&text=", tokenOf(page()));
        CPPUNIT_ASSERT_EQUAL(400, shown.status);
        CPPUNIT_ASSERT(shown.body.find("Enter an e-mail address") != std::string::npos);
        CPPUNIT_ASSERT(shown.body.find("Fill in this field.") != std::string::npos);
        CPPUNIT_ASSERT(shown.body.find("value=\"ada\"") != std::string::npos);
        CPPUNIT_ASSERT(host.context().mailer().sentTo("team@example.org").empty());
    }

    void refusesAForeignForm()
    {
        page();
        CPPUNIT_ASSERT_EQUAL(403, post("email=ada%40example.org&text=Hello", "foreign").status);
        CPPUNIT_ASSERT(host.context().mailer().sentTo("team@example.org").empty());
    }

private:
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

CPPUNIT_TEST_SUITE_REGISTRATION(FeedbackTest);

} // namespace acme_notes::tests
