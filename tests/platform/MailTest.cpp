#include "platform/SmtpServer.h"
#include "support/Suite.h"
#include "support/TestDatabase.h"

#include "host/base/Digests.h"
#include "host/platform/mail/MailTransport.h"

#include "portico/Problem.h"

#include <Poco/Net/MailMessage.h>
#include <Poco/Net/NetException.h>

#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace portico::tests
{

using namespace host::platform;

class MailTest : public Suite<MailTest>
{
    TEST(refusesForgedHeaders)
    {
        for (const auto* to : {"a@b.example\r\nBcc: c@d.example", "a@b.example, c@d.example", "Name <a@b.example>", "a@b@c.example",
                               "@b.example", "a@", "", "a b@c.example", "\"a\"@b.example", "-oQ@b.example", "a@b.example\n"})
            CPPUNIT_ASSERT_MESSAGE(to, problemOf({to, "subject", "text", ""}) == "to");
        for (const auto* subject : {"a\r\nBcc: c@d.example", "a\nb", "a\rb", "a\x01z"})
            CPPUNIT_ASSERT_MESSAGE(subject, problemOf({"a@b.example", subject, "text", ""}) == "subject");
        equal("", problemOf({"zoë+tag@bücher.example", "Grüße", "text", ""}));
    }

    TEST(rendersWhatOthersRead)
    {
        std::istringstream stream(renderMail(sample()));
        Poco::Net::MailMessage message;
        message.read(stream);
        equal("Portico <noreply@portico.example>", message.getSender());
        equal("a@b.example", message.get("To"));
        equal("<job_1@portico.example>", message.get("Message-ID"));
        equal("Sat, 21 Nov 2026 09:00:00 +0000", message.get("Date"));
        CHECK(message.isMultipart());
        const auto text = renderMail(sample());
        CHECK(text.find("text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n" + host::toBase64(sample().mail.text)) !=
              std::string::npos);
        CHECK(text.find("text/html; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n" + host::toBase64(sample().mail.html)) !=
              std::string::npos);
    }

    TEST(encodesSubjects)
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
            CHECK((static_cast<unsigned char>(word.at(0)) & 0xC0U) != 0x80U); // no word begins inside a character
            decoded += word;
        }
        equal(mail.mail.subject, decoded);
    }

    TEST(linesAreShort)
    {
        auto mail = sample();
        mail.mail.text = std::string(10'000, 'x');
        std::istringstream lines(renderMail(mail));
        for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 79);
    }

    TEST(filesAppearWhole)
    {
        const TemporaryDirectory directory;
        writeMail(directory.path() / "mail", sample());
        equal(renderMail(sample()), fileText(directory.path() / "mail" / "new" / "job_1.eml"));
        CHECK(std::filesystem::is_empty(directory.path() / "mail" / "tmp"));
    }

    TEST(sendingAgainReplacesTheFile)
    {
        const TemporaryDirectory directory;
        writeMail(directory.path(), sample());
        std::ofstream(directory.path() / "tmp" / "job_1.eml") << "cut sho"; // of a crash
        writeMail(directory.path(), sample());
        equal(renderMail(sample()), fileText(directory.path() / "new" / "job_1.eml"));
    }

    TEST(speaksSmtp)
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
        CHECK(dialog.find("AUTH PLAIN " + host::toBase64(std::string("\0portico\0s3cret", 15))) != std::string::npos);
        CHECK(dialog.find("MAIL FROM: <noreply@portico.example>") != std::string::npos);
        CHECK(dialog.find("RCPT TO: <a@b.example>") != std::string::npos);
        CHECK(dialog.find(renderMail(mail)) != std::string::npos);
    }

    TEST(demandsStartTls)
    {
        SmtpServer server(SmtpServer::Answers{{"EHLO", "250 sink"}});
        auto settings = server.settings();
        settings.security = MailSecurity::StartTls;
        settings.user = "portico";
        CPPUNIT_ASSERT_THROW(sendMail(settings, sample()), std::runtime_error);
        CHECK(server.dialog().find("AUTH") == std::string::npos);
    }

    TEST(reportsRefusal)
    {
        SmtpServer server(SmtpServer::Answers{{"EHLO", "250 sink"}, {"RCPT", "550 no such mailbox"}});
        CPPUNIT_ASSERT_THROW(sendMail(server.settings(), sample()), Poco::Net::SMTPException);
    }

    TEST(resetAfterAcceptanceIsNoFailure)
    {
        SmtpServer server(SmtpServer::Answers{{"EHLO", "250 sink"}}, true);
        sendMail(server.settings(), sample());
        CHECK(server.dialog().find("DATA\r\n") != std::string::npos);
    }

    TEST(refusesABadSender)
    {
        MailSettings settings;
        for (const auto* from : {"", "nobody", "Portico <nobody>", "a@b.example\r\nBcc: c@d.example"})
        {
            settings.from = from;
            CPPUNIT_ASSERT_THROW_MESSAGE(from, makeMailTransport(settings), std::invalid_argument);
        }
    }

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
            equal(400, problem.status());
            return problem.errors().at(0).field;
        }
    }
    static std::string fileText(const std::filesystem::path& path)
    {
        std::ifstream stream(path);
        return {std::istreambuf_iterator<char>(stream), {}};
    }
};

} // namespace portico::tests
