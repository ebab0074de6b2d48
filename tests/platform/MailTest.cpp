#include "platform/SmtpServer.h"
#include "support/TestDatabase.h"

#include "host/base/Digests.h"
#include "host/platform/mail/MailTransport.h"

#include "portico/Problem.h"

#include <Poco/Net/MailMessage.h>
#include <Poco/Net/NetException.h>
#include <cppunit/extensions/HelperMacros.h>

#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace portico::tests
{

using namespace host::platform;

class MailTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(MailTest);
    CPPUNIT_TEST(refusesForgedHeaders);
    CPPUNIT_TEST(rendersWhatOthersRead);
    CPPUNIT_TEST(encodesSubjects);
    CPPUNIT_TEST(linesAreShort);
    CPPUNIT_TEST(filesAppearWhole);
    CPPUNIT_TEST(sendingAgainReplacesTheFile);
    CPPUNIT_TEST(speaksSmtp);
    CPPUNIT_TEST(demandsStartTls);
    CPPUNIT_TEST(reportsRefusal);
    CPPUNIT_TEST(refusesABadSender);
    CPPUNIT_TEST_SUITE_END();

public:
    void refusesForgedHeaders()
    {
        for (const auto* to : {"a@b.example\r\nBcc: c@d.example", "a@b.example, c@d.example", "Name <a@b.example>", "a@b@c.example",
                               "@b.example", "a@", "", "a b@c.example", "\"a\"@b.example", "-oQ@b.example", "a@b.example\n"})
            CPPUNIT_ASSERT_MESSAGE(to, problemOf({to, "subject", "text", ""}) == "to");
        for (const auto* subject : {"a\r\nBcc: c@d.example", "a\nb", "a\rb", "a\x01z"})
            CPPUNIT_ASSERT_MESSAGE(subject, problemOf({"a@b.example", subject, "text", ""}) == "subject");
        CPPUNIT_ASSERT_EQUAL(std::string(), problemOf({"zoë+tag@bücher.example", "Grüße", "text", ""}));
    }

    void rendersWhatOthersRead()
    {
        std::istringstream stream(renderMail(sample()));
        Poco::Net::MailMessage message;
        message.read(stream);
        CPPUNIT_ASSERT_EQUAL(std::string("Portico <noreply@portico.example>"), message.getSender());
        CPPUNIT_ASSERT_EQUAL(std::string("a@b.example"), message.get("To"));
        CPPUNIT_ASSERT_EQUAL(std::string("<job_1@portico.example>"), message.get("Message-ID"));
        CPPUNIT_ASSERT_EQUAL(std::string("Sat, 21 Nov 2026 09:00:00 +0000"), message.get("Date"));
        CPPUNIT_ASSERT(message.isMultipart());
        const auto text = renderMail(sample());
        CPPUNIT_ASSERT(text.find("text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n" +
                                 host::toBase64(sample().mail.text)) != std::string::npos);
        CPPUNIT_ASSERT(text.find("text/html; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n" +
                                 host::toBase64(sample().mail.html)) != std::string::npos);
    }

    void encodesSubjects()
    {
        auto mail = sample();
        mail.mail.subject.clear();
        for (int i = 0; i < 40; ++i) mail.mail.subject += "ü€";
        std::string decoded;
        std::istringstream lines(renderMail(mail));
        bool inSubject = false;
        for (std::string line; std::getline(lines, line);)
        {
            if (line.starts_with("Subject: "))
                inSubject = true;
            else if (!line.starts_with(' '))
                inSubject = false;
            if (!inSubject) continue;
            const auto start = line.find("?B?") + 3;
            const auto word = host::fromBase64(line.substr(start, line.find("?=") - start));
            CPPUNIT_ASSERT((static_cast<unsigned char>(word.at(0)) & 0xC0U) != 0x80U); // no word begins inside a character
            decoded += word;
        }
        CPPUNIT_ASSERT_EQUAL(mail.mail.subject, decoded);
    }

    void linesAreShort()
    {
        auto mail = sample();
        mail.mail.text = std::string(10'000, 'x');
        std::istringstream lines(renderMail(mail));
        for (std::string line; std::getline(lines, line);) CPPUNIT_ASSERT(line.size() <= 79);
    }

    void filesAppearWhole()
    {
        const TemporaryDirectory directory;
        writeMail(directory.path() / "mail", sample());
        CPPUNIT_ASSERT_EQUAL(renderMail(sample()), fileText(directory.path() / "mail" / "new" / "job_1.eml"));
        CPPUNIT_ASSERT(std::filesystem::is_empty(directory.path() / "mail" / "tmp"));
    }

    void sendingAgainReplacesTheFile()
    {
        const TemporaryDirectory directory;
        writeMail(directory.path(), sample());
        std::ofstream(directory.path() / "tmp" / "job_1.eml") << "cut sho"; // of a crash
        writeMail(directory.path(), sample());
        CPPUNIT_ASSERT_EQUAL(renderMail(sample()), fileText(directory.path() / "new" / "job_1.eml"));
    }

    void speaksSmtp()
    {
        const TemporaryDirectory directory;
        std::ofstream(directory.path() / "password") << "s3cret\r\n";
        SmtpServer server(SmtpServer::Answers{{"EHLO", "250-sink\r\n250 AUTH PLAIN"}});
        auto settings = server.settings();
        settings.user = "portico";
        settings.passwordFile = directory.path() / "password";
        auto mail = sample();
        mail.mail.html.clear();
        sendMail(settings, mail);
        const auto dialog = server.dialog();
        CPPUNIT_ASSERT(dialog.find("AUTH PLAIN " + host::toBase64(std::string("\0portico\0s3cret", 15))) != std::string::npos);
        CPPUNIT_ASSERT(dialog.find("MAIL FROM: <noreply@portico.example>") != std::string::npos);
        CPPUNIT_ASSERT(dialog.find("RCPT TO: <a@b.example>") != std::string::npos);
        CPPUNIT_ASSERT(dialog.find(renderMail(mail)) != std::string::npos);
    }

    void demandsStartTls()
    {
        SmtpServer server(SmtpServer::Answers{{"EHLO", "250 sink"}});
        auto settings = server.settings();
        settings.security = MailSecurity::StartTls;
        settings.user = "portico";
        CPPUNIT_ASSERT_THROW(sendMail(settings, sample()), std::runtime_error);
        CPPUNIT_ASSERT(server.dialog().find("AUTH") == std::string::npos);
    }

    void reportsRefusal()
    {
        SmtpServer server(SmtpServer::Answers{{"EHLO", "250 sink"}, {"RCPT", "550 no such mailbox"}});
        CPPUNIT_ASSERT_THROW(sendMail(server.settings(), sample()), Poco::Net::SMTPException);
    }

    void refusesABadSender()
    {
        MailSettings settings;
        for (const auto* from : {"", "nobody", "Portico <nobody>", "a@b.example\r\nBcc: c@d.example"})
        {
            settings.from = from;
            CPPUNIT_ASSERT_THROW_MESSAGE(from, makeMailTransport(settings), std::invalid_argument);
        }
    }

private:
    static OutgoingMail sample()
    {
        return {"job_1",
                "Portico <noreply@portico.example>",
                parseInstant("2026-11-21T09:00:00Z").value(),
                {"a@b.example", "Your code", "It is 123.\n.\nBye", "<p>It is 123.</p>"}};
    }
    static std::string problemOf(const Mail& mail)
    {
        try
        {
            checkMail(mail);
            return {};
        }
        catch (const Problem& problem)
        {
            CPPUNIT_ASSERT_EQUAL(400, problem.status());
            return problem.errors().at(0).field;
        }
    }
    static std::string fileText(const std::filesystem::path& path)
    {
        std::ifstream stream(path);
        return {std::istreambuf_iterator<char>(stream), {}};
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(MailTest);

} // namespace portico::tests
