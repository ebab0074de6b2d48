#include "platform/PlatformFixture.h"
#include "platform/SmtpServer.h"
#include "support/Suite.h"

#include "host/base/Digests.h"

#include "portico/Problem.h"

#include <array>
#include <cstdio>
#include <fstream>
#include <memory>

namespace portico::tests
{

using namespace host::platform;

namespace
{

constexpr const char* invitation = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nmethod:request\r\nBEGIN:VEVENT\r\nUID:bkg_1@host\r\nEND:VEVENT\r\n"
                                   "END:VCALENDAR\r\n";

MailAttachment file(const std::string& name, const std::string& bytes, const std::string& type = "text/plain")
{
    return {name, type, bytes};
}

/// Content of a mail as another program reads it.
std::string readBack(const std::string& message)
{
    const TemporaryDirectory directory;
    std::ofstream(directory.path() / "mail", std::ios::binary) << message;
    const auto command = "/usr/bin/python3 -B " MAIL_READER " < " + (directory.path() / "mail").string() + " 2>&1";
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
    std::string text;
    std::array<char, 4'096> buffer{};
    for (std::size_t size = 0; (size = std::fread(buffer.data(), 1, buffer.size(), pipe.get())) > 0;) text.append(buffer.data(), size);
    return text;
}

} // namespace

/// Mails as recipients see them: sent to a server over a socket, and read there by Python's email package.
class MailFormTest : public Suite<MailFormTest>
{
    TEST(textAlone) { assertReads("text/plain charset=utf-8: Hello\n", mail("Hello")); }

    TEST(htmlAlone)
    {
        auto sent = mail("");
        sent.html = "<p>Hello</p>";
        assertReads("text/html charset=utf-8: <p>Hello</p>\n", sent);
        sent.html.clear();
        sent.calendar = invitation;
        CHECK(received(sent).find("\ntext/calendar charset=utf-8 method=REQUEST: ") != std::string::npos);
    }

    TEST(everythingAtOnce)
    {
        auto sent = mail("Hello");
        sent.html = "<p>Hello <img src=\"cid:logo\"></p>";
        sent.calendar = invitation;
        const std::string large(200'000, '\xff');
        sent.attachments = {file("logo.png", "PNG", "image/png"), file("terms.pdf", large, "application/pdf")};
        sent.attachments[0].contentId = "logo";
        const auto calendar = sent.calendar;
        assertReads("multipart/mixed\n"
                    "  multipart/alternative\n"
                    "    text/plain charset=utf-8: Hello\n"
                    "    multipart/related type=text/html\n"
                    "      text/html charset=utf-8: <p>Hello <img src=\"cid:logo\"></p>\n"
                    "      image/png inline name=logo.png id=<logo>: PNG\n"
                    "    text/calendar charset=utf-8 method=REQUEST: " +
                        std::to_string(calendar.size()) + " bytes, SHA-256 " + host::sha256Hex(calendar) +
                        "\n"
                        "  application/pdf attachment name=terms.pdf: 200000 bytes, SHA-256 " +
                        host::sha256Hex(large) + "\n",
                    sent);
    }

    TEST(namesOfPeopleAndFiles)
    {
        const std::string longName =
            "Vertrag über die Überlassung von Räumen – 2. Fassung, gültig ab 1. März (Anlage \"B\"; endgültig).pdf";
        auto sent = mail("Hello");
        sent.subject = "Grüße =?UTF-8?B?YQ==?=";
        sent.toName = "O'Neil, \"Ann\" \\ Co.";
        sent.fromName = "Zoë's Räume & Boote (Zürich), das ist ein ziemlich langer Name für ein Haus";
        sent.replyTo = "ann+1@rooms.example";
        sent.attachments = {file("plain name.txt", "a"), file("\"quoted\".txt", "b"), file(longName, "c"), file("日本語.txt", "d")};
        const auto text = received(sent);
        CPPUNIT_ASSERT_MESSAGE(text, text.find("From: Zoë's Räume & Boote (Zürich), das ist ein ziemlich langer Name für ein Haus "
                                               "<noreply@portico.example>\n") != std::string::npos);
        CPPUNIT_ASSERT_MESSAGE(text, text.find(R"(To: "O'Neil, \"Ann\" \\ Co." <guest@b.example>)") != std::string::npos);
        CPPUNIT_ASSERT_MESSAGE(text, text.find("\nReply-To: ann+1@rooms.example\nSubject: Grüße =?UTF-8?B?YQ==?=\n") != std::string::npos);
        for (const auto& part : sent.attachments)
            CPPUNIT_ASSERT_MESSAGE(text, text.find("text/plain attachment name=" + part.fileName + ": " + part.bytes + "\n") !=
                                             std::string::npos);
        CPPUNIT_ASSERT_MESSAGE(text, text.find("defect") == std::string::npos);
    }

    TEST(ownHeaders)
    {
        auto sent = mail("Hello");
        std::string references;
        for (int i = 0; i < 30; ++i) references += (i ? " <job_" : "<job_") + std::to_string(i) + "@portico.example>";
        sent.headers = {{"in-reply-to", "<job_1@portico.example>"},
                        {"References", references},
                        {"Auto-Submitted", "auto-replied"},
                        {"List-Unsubscribe", "<mailto:off@portico.example>, <https://crm.example/off?t=abc>"},
                        {"List-Unsubscribe-Post", "List-Unsubscribe=One-Click"},
                        {"List-Id", "News <news.portico.example>"}};
        const auto text = received(sent);
        for (const auto& [name, value] : sent.headers)
            CPPUNIT_ASSERT_MESSAGE(name + "\n" + text,
                                   text.find((name == "in-reply-to" ? "In-Reply-To" : name) + ": " + value + "\n") != std::string::npos);
        CHECK(text.find("auto-generated") == std::string::npos);
        CHECK(received(mail("Hello")).find("Auto-Submitted: auto-generated\n") != std::string::npos);
    }

    TEST(otherSenders)
    {
        auto sent = mail("Hello");
        sent.fromAddress = "billing@Rooms.example";
        equal("fromAddress", refused(sent));
        equal("fromAddress", refused(sent, {"other@rooms.example", "@ooms.example", "rooms.example"}));
        equal("", refused(sent, {"billing@rooms.example"}));
        equal("", refused(sent, {"@rooms.example"}));
        CHECK(received(sent).find("From: billing@Rooms.example\n") != std::string::npos);
        CHECK(_dialog.find("MAIL FROM: <billing@Rooms.example>") != std::string::npos);
        // The id stays that of the installation, so that it is known when the mail is queued.
        CHECK(_dialog.find("Message-ID: <job_1@portico.example>") != std::string::npos);
    }

    TEST(longLinesAreNot)
    {
        auto sent = mail(std::string(10'000, 'x'));
        sent.subject = std::string(300, 'x') + " " + std::string(60, 'y');
        sent.attachments = {file(std::string(60, 'x') + "ü" + std::string(100, 'y'), "a")};
        received(sent);
        std::istringstream lines(SmtpServer::messageIn(_dialog));
        for (std::string line; std::getline(lines, line);) CPPUNIT_ASSERT_MESSAGE(line, line.size() <= 79 || line.starts_with("Subject: "));
    }

    TEST(refusesWhatCannotBeSent)
    {
        const auto with = [](const std::function<void(Mail&)>& change)
        {
            auto sent = mail("Hello");
            sent.html = "<p>";
            change(sent);
            return refused(sent);
        };
        const auto attached = [&](const std::function<void(MailAttachment&)>& change)
        {
            return with(
                [&](Mail& sent)
                {
                    sent.attachments = {file("a.txt", "a")};
                    change(sent.attachments[0]);
                });
        };
        const auto header = [&](const std::string& name, const std::string& value) {
            return with([&](Mail& sent) { sent.headers = {{name, value}}; });
        };
        equal("", attached([](auto&) {}));
        equal("toName", with([](Mail& sent) { sent.toName = "a\r\nBcc: x@y.example"; }));
        equal("fromName", with([](Mail& sent) { sent.fromName = "a\nb"; }));
        equal("fromName", with([](Mail& sent) { sent.fromName = std::string(201, 'x'); }));
        equal("replyTo", with([](Mail& sent) { sent.replyTo = "a@b.example, c@d.example"; }));
        equal("subject", with([](Mail& sent) { sent.subject = "\xff"; }));
        equal("text", with([](Mail& sent) { sent.text = "\xc3"; }));
        equal("text", with([](Mail& sent) { sent.text = std::string("a\0b", 3); }));
        equal("text", with([](Mail& sent) { sent.text = std::string(1 << 20, 'x'); }));
        for (const auto* calendar : {"hello", "METHOD:REQUEST\r\n", "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n",
                                     "BEGIN:VCALENDAR\r\nMETHOD:REQUEST; x=y\r\n", "BEGIN:VCALENDAR\r\nMETHOD:\r\n"})
            equal("calendar", with([&](Mail& sent) { sent.calendar = calendar; }), calendar);
        for (const auto* name : {"", "../a", "a\\b", "a\nb", "a\r\nContent-Type: text/html"})
            equal("attachments[0].fileName", attached([&](auto& part) { part.fileName = name; }), name);
        for (const auto* type : {"", "text", "text/", "text/plain; charset=x", "text/plain\r\nX: y", "multipart/mixed", "message/rfc822"})
            equal("attachments[0].mediaType", attached([&](auto& part) { part.mediaType = type; }), type);
        for (const auto* id : {"<a>", "a b", "a\r\nX: y", "ä"})
            equal("attachments[0].contentId", attached([&](auto& part) { part.contentId = id; }), id);
        equal("attachments[0].blobKey", attached([](auto& part) { part.blobKey = "k"; }));
        equal("attachments[0].contentId", with(
                                              [](Mail& sent)
                                              {
                                                  sent.html.clear();
                                                  sent.attachments = {file("a.png", "a")};
                                                  sent.attachments[0].contentId = "a";
                                              }));
        equal("attachments", attached([](auto& part) { part.bytes = std::string((1 << 20) + 1, 'x'); }));
        equal("attachments", with([](Mail& sent) { sent.attachments.assign(21, file("a.txt", "a")); }));
        for (const auto& [name, value] :
             std::vector<std::pair<std::string, std::string>>{{"Bcc", "a@b.example"},
                                                              {"Subject", "a"},
                                                              {"X-Own", "a"},
                                                              {"In-Reply-To\r\nBcc", "<a@b>"},
                                                              {"In-Reply-To", "<a@b>\r\nBcc: c@d.example"},
                                                              {"In-Reply-To", "a@b"},
                                                              {"In-Reply-To", "<a@b> junk"},
                                                              {"References", "<a@b"},
                                                              {"References", ""},
                                                              {"References", "<ü@b>"},
                                                              {"References", "<" + std::string(1'000, 'x') + "@b>"},
                                                              {"Auto-Submitted", "maybe"},
                                                              {"List-Unsubscribe-Post", "yes"},
                                                              {"List-Unsubscribe", "https://a.example"}})
            equal("headers[0]", header(name, value), name + ": " + value);
        equal("headers[1]", with([](Mail& sent) { sent.headers = {{"References", "<a@b>"}, {"references", "<c@d>"}}; }));
    }

    TEST(hostileTextsStayTexts)
    {
        auto sent = mail("--=_a_job_1--\r\n.\r\nRSET\r\n\r\n--=_m_job_1\r\nContent-Type: text/html\r\n\r\n<b>");
        sent.attachments = {file("\"; filename=\"x.exe", "a"), file("a;b=c.txt", "b")};
        const auto text = received(sent);
        CPPUNIT_ASSERT_MESSAGE(text, text.find("text/html") == std::string::npos && text.find("defect") == std::string::npos);
        CPPUNIT_ASSERT_MESSAGE(text, text.find("name=\"; filename=\"x.exe: a\n") != std::string::npos);
        CPPUNIT_ASSERT_MESSAGE(text, text.find("name=a;b=c.txt: b\n") != std::string::npos);
        CHECK(_dialog.find("\r\nRSET") == std::string::npos);
    }

    static Mail mail(const std::string& text) { return {"guest@b.example", "Your booking", text, ""}; }
    static std::string refused(const Mail& mail, const std::vector<std::string>& senders = {})
    {
        try
        {
            checkMail(mail, senders);
            return {};
        }
        catch (const Problem& problem)
        {
            equal(400, problem.status());
            return problem.errors().at(0).field;
        }
    }
    /// Sends it over SMTP and reads what arrived.
    std::string received(const Mail& mail)
    {
        SmtpServer server(SmtpServer::Answers{{"EHLO", "250 sink"}});
        sendMail(server.settings(), {"job_1", "Portico <noreply@portico.example>", parseInstant("2026-11-21T09:00:00Z").value(), mail});
        _dialog = server.dialog();
        return readBack(SmtpServer::messageIn(_dialog));
    }
    void assertReads(const std::string& parts, const Mail& mail)
    {
        const auto text = received(mail);
        const auto body = text.find("Auto-Submitted: auto-generated\n");
        CPPUNIT_ASSERT_MESSAGE(text, body != std::string::npos);
        equal(parts, text.substr(body + 31));
    }

    std::string _dialog;
};

/// Mails on their way through the queue, on both engines alike.
template <class Engine>
class MailQueueTest : public Suite<MailQueueTest<Engine>>
{
    using Self = MailQueueTest;

    void setUp() override { _f = std::make_unique<PlatformFixture>(Engine::dialect); }
    void tearDown() override
    {
        _f->platform->stop();
        _f.reset();
    }

    TEST(everyMemberSurvivesTheQueue)
    {
        Mail mail{"a@b.example", "Subject", "text", "<p>"};
        mail.toName = "To";
        mail.fromName = "From";
        mail.fromAddress = "from@b.example";
        mail.replyTo = "reply@b.example";
        mail.calendar = invitation;
        mail.headers = {{"In-Reply-To", "<a@b>"}, {"Auto-Submitted", "no"}};
        mail.attachments = {
            {"a", "text/plain", std::string("\0\xff", 2)}, {"b", "text/plain", "", "key"}, {"c", "image/png", "x", "", "cid"}};
        const auto back = mailFrom(payloadOf(mail));
        equal(payloadOf(mail), payloadOf(back));
        equal(mail.attachments[0].bytes, back.attachments.at(0).bytes);
        CHECK(mail.headers == back.headers);
    }

    TEST(blobsAreAttached)
    {
        const auto crm = _f->load("crm");
        crm.publish();
        const std::string content(300'000, 'x');
        const auto id = send(crm, {{"report.txt", "text/plain", "", store(crm, content)}});
        _f->platform->start();
        _f->waitForNoJobs();
        const auto text = readBack(onlyMail());
        CPPUNIT_ASSERT_MESSAGE(text, text.find("report.txt: 300000 bytes, SHA-256 " + host::sha256Hex(content)) != std::string::npos);
        CPPUNIT_ASSERT_MESSAGE(text, text.find("Message-ID: " + id + "\n") != std::string::npos);
        CHECK(id.starts_with("<job_") && id.ends_with("@portico.example>"));
    }

    TEST(aBlobThatIsGoneIsADeadLetter)
    {
        const auto crm = _f->load("crm");
        crm.publish();
        const auto key = store(crm, "x");
        send(crm, {{"a.txt", "text/plain", "", key}});
        CHECK(crm->blobs().remove(key));
        _f->platform->start();
        equal("the blob " + key + " of an attachment is gone", _f->waitForDead().at(0).lastError);
    }

    TEST(tooLargeBlobsAreADeadLetter)
    {
        const auto crm = _f->load("crm");
        crm.publish();
        const auto key = store(crm, std::string(maxAttachedBytes / 2 + 1, 'x'));
        send(crm, {{"a", "text/plain", "", key}, {"b", "text/plain", "", key}});
        _f->platform->start();
        equal("the attachments are larger than 10 MiB", _f->waitForDead().at(0).lastError);
    }

    TEST(sendersAreTheOperators)
    {
        _f->settings.mail.senders = {"@rooms.example"};
        _f->restart();
        const auto crm = _f->load("crm");
        crm.publish();
        auto transaction = crm->database().begin();
        Mail mail{"a@b.example", "s", "t", ""};
        mail.fromAddress = "ann@rooms.example";
        crm->mailer().send(transaction, mail);
        mail.fromAddress = "ann@other.example";
        CPPUNIT_ASSERT_THROW(crm->mailer().send(transaction, mail), Problem);
    }

    TEST(mailsOfAnEarlierVersionAreSent)
    {
        const auto mail = mailFrom(R"({"to":"a@b.example","subject":"s","text":"t","html":""})");
        equal("t", mail.text);
        CHECK(mail.attachments.empty());
    }

    static std::string store(const Loaded& service, const std::string& content)
    {
        const auto writer = service->blobs().create("org_1");
        writer->write(content);
        return writer->commit().key;
    }
    static std::string send(const Loaded& service, std::vector<MailAttachment> attachments)
    {
        Mail mail{"a@b.example", "s", "t", ""};
        mail.attachments = std::move(attachments);
        return service->database().transact([&](Transaction& transaction) { return service->mailer().send(transaction, mail); });
    }
    std::string onlyMail() const
    {
        std::ifstream stream(std::filesystem::directory_iterator(_f->settings.stateDirectory / "mail" / "new")->path(), std::ios::binary);
        return {std::istreambuf_iterator<char>(stream), {}};
    }

    std::unique_ptr<PlatformFixture> _f;
};

template class MailQueueTest<OnSqlite>;
template class MailQueueTest<OnPostgres>;

} // namespace portico::tests
