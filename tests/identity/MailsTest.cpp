#include "identity/IdentityHost.h"
#include "support/Suite.h"

namespace portico::tests
{

namespace
{

struct SampleMail
{
    std::string organization;
};

constexpr auto schemaOf(const SampleMail*) { return describe(field<&SampleMail::organization>()); }

/// The mails' own frame around one mail of the test.
Templates::Files sampleFiles()
{
    const auto frame = [](std::string_view ending)
    {
        std::stringstream text;
        text << std::ifstream(IdentityHost::pluginFolder() / ("web/templates/mail/frame" + std::string(ending))).rdbuf();
        return text.str();
    };
    return {{"templates/mail/frame.txt", frame(".txt")},
            {"templates/mail/frame.html", frame(".html")},
            {"templates/mail/sample.txt", "{{messages.sample.subject}}\n\nWelcome to {{organization}}.\n"},
            {"templates/mail/sample.html", "<p>{{organization}}</p>"},
            {"messages/en.json", R"({"sample":{"subject":"Join {organization}"},"mail":{"frame":{"greeting":"Hello,",
              "greetingByName":"Hello {name},","footer":"From {site}"}}})"},
            {"messages/de.json", R"({"sample":{"subject":"Treten Sie {organization} bei"},"mail":{"frame":{"greeting":"Guten Tag,",
              "greetingByName":"Guten Tag {name},","footer":"Von {site}"}}})"}};
}

} // namespace

/// Common properties of identity's mails: both texts, the language, and protection against header injection by names.
class MailsTest : public Suite<MailsTest>
{
    void setUp() override { _host = std::make_unique<IdentityHost>(); }
    void tearDown() override { _host.reset(); }

    TEST(speaksTheLanguageOfTheUser)
    {
        const auto mail = send({"a@b.example", "Ada", "de-AT"}, "Acme");
        equal("Treten Sie Acme bei", mail.subject);
        CHECK(mail.text.starts_with("Guten Tag Ada,\n\nWelcome to Acme."));
        CHECK(mail.html.find("<html lang=\"de\">") != std::string::npos);
        CHECK(mail.html.find("<title>Treten Sie Acme bei</title>") != std::string::npos);
        equal("Ada", mail.toName);
        // A language without a catalog, and a recipient without a name.
        const auto other = send({"a@b.example", "", "pt"}, "Acme");
        CHECK(other.text.starts_with("Hello,\n"));
        CHECK(other.text.find("From http://identity.localhost") != std::string::npos);
    }

    TEST(escapesInOneTextAndNotInTheOther)
    {
        const auto mail = send({"a@b.example", "<i>", "en"}, "A & <b>");
        CHECK(mail.text.find("Welcome to A & <b>.") != std::string::npos);
        CHECK(mail.html.find("<p>A &amp; &lt;b&gt;</p>") != std::string::npos);
        CHECK(mail.html.find("Hello &lt;i&gt;,") != std::string::npos);
    }

    TEST(keepsTheSubjectOnOneLineAndShort)
    {
        std::string longName;
        for (int i = 0; i < 300; ++i) longName += "\xc3\xa4";
        const auto mail = send({"a@b.example", "Eve\r\nBcc: x@y.example", "en"}, longName);
        CHECK(mail.subject.size() <= 400);
        CHECK(mail.subject.ends_with("\xc3\xa4"));
        CHECK(mail.toName.find_first_of("\r\n") == std::string::npos);
        equal("Join x", send({"a@b.example", "", "en"}, "x\nBcc: x@y.example").subject);
    }

    TEST(namesWithLinksAreLeftOutOfGreetings)
    {
        for (const auto* name : {"Win at http://evil.example", "www.evil.example", "Ada (evil.example)", "a@evil.example", "evil/win"})
        {
            const auto mail = send({"a@b.example", name, "en"}, "Acme");
            CPPUNIT_ASSERT_MESSAGE(name, mail.text.starts_with("Hello,\n"));
            CPPUNIT_ASSERT_MESSAGE(name, (mail.text + mail.html + mail.toName).find("evil") == std::string::npos);
        }
        for (const std::string name : {"Dr. Ada Lovelace", "J.R. Hacker", "Ada L."})
            CPPUNIT_ASSERT_MESSAGE(name, send({"a@b.example", name, "en"}, "Acme").text.starts_with("Hello " + name + ",\n"));
    }

    TEST(isSentWithTheTransactionOnly)
    {
        const Templates templates(sampleFiles(), _host->context().logger());
        const identity::Mails mails(_host->context(), templates);
        const auto sample = mails.bind<SampleMail>("sample");
        {
            auto transaction = _host->context().database().begin();
            sample.send(transaction, {"a@b.example", "", "en"}, {"Acme"});
        }
        equal(0, _host->context().mailer().sent().size());
    }

    TEST(bindsEveryMailAtStart)
    {
        // A mail that is not there, or has a name that its record lacks, would have thrown in setUp.
        for (const auto& finding : dynamic_cast<identity::IdentityPlugin&>(_host->plugin()).templateFindings()) CPPUNIT_FAIL(finding);
        const Templates templates(sampleFiles(), _host->context().logger());
        CPPUNIT_ASSERT_THROW(identity::Mails(_host->context(), templates).bind<SampleMail>("missing"), std::runtime_error);
    }

    Mail send(const identity::MailRecipient& to, std::string_view organization)
    {
        const Templates templates(sampleFiles(), _host->context().logger());
        const identity::Mails mails(_host->context(), templates);
        const auto sample = mails.bind<SampleMail>("sample");
        _host->context().database().transact([&](Transaction& transaction) { sample.send(transaction, to, {std::string(organization)}); });
        return _host->context().mailer().sent().back();
    }

    std::unique_ptr<IdentityHost> _host;
};

} // namespace portico::tests
