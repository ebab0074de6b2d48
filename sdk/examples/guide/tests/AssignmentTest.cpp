#include "Fixture.h"

#include "portico/interfaces/Directory.h"

using namespace portico;
using portico::testing::keyOf;

namespace acme_notes::tests
{

/// The directory as the test plays it: one member, Bob.
class OneMember final : public interfaces::Directory
{
public:
    std::optional<interfaces::DirectoryMember> member(Tenant ofWhom, std::string_view userId) override
    {
        if (ofWhom.text() != organization || userId != "usr_bob") return std::nullopt;
        return interfaces::DirectoryMember{"usr_bob", "Bob", address, "member", active};
    }
    std::optional<interfaces::DirectoryMember> memberByEmail(Tenant, std::string_view) override { return std::nullopt; }

    std::string organization;
    std::string address;
    bool active = true;
};

class AssignmentTest : public Fixture
{
    CPPUNIT_TEST_SUITE(AssignmentTest);
    CPPUNIT_TEST(givesANoteToAMember);
    CPPUNIT_TEST(refusesStrangersAndAnAbsentDirectory);
    CPPUNIT_TEST(notifiesPagesOfAnAssignment);
    CPPUNIT_TEST(aKeyNeedsTheScope);
    CPPUNIT_TEST(remindsWhenItIsTime);
    CPPUNIT_TEST(remindsInEveryLanguage);
    CPPUNIT_TEST(remindsLaterWhenTheDirectoryIsAway);
    CPPUNIT_TEST(remindsNobodyOfWhatIsGone);
    CPPUNIT_TEST(greetsAContactOnce);
    CPPUNIT_TEST(countsForOthers);
    CPPUNIT_TEST(tellsOfTheDirectory);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        // All tests may share a database: each has a Bob of its own.
        directory.organization = organization;
        directory.address = "bob@" + organization.substr(4) + ".example.org";
        host.context().services().offer<interfaces::Directory>(directory);
    }

    void givesANoteToAMember()
    {
        const auto note = written();
        const auto answer = assign(note, "usr_bob");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(answer.body, 200, answer.status);
        CPPUNIT_ASSERT_EQUAL(std::string("usr_bob"), call(Method::Get, "/api/notes/" + note + "/assignee").at("/userId"));
        std::size_t told = 0;
        for (const auto& event : host.context().events().published("acme-notes.note.assigned"))
            if (event.organizationId == organization && event.data.find(note) != std::string::npos) ++told;
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), told);
    }

    void refusesStrangersAndAnAbsentDirectory()
    {
        const auto note = written();
        const auto before = jobsOf(note);
        assertProblem(assign(note, "usr_eve"), 400, "validation_failed");
        directory.active = false;
        assertProblem(assign(note, "usr_bob"), 400, "validation_failed");
        host.context().services().withdraw(interfaces::Directory::interfaceName);
        assertProblem(assign(note, "usr_bob"), 503, "directory_unavailable");
        setUp();
        directory.active = true;
        assertProblem(assign("note_00000000000000000000000000", "usr_bob"), 404, "not_found");
        assertProblem(call(Method::Get, "/api/notes/" + note + "/assignee"), 404, "not_found");
        CPPUNIT_ASSERT_EQUAL(before, jobsOf(note));
    }

    void notifiesPagesOfAnAssignment()
    {
        using portico::testing::FakeChannels;
        assign(written(), "usr_bob");
        const auto mine = call(Method::Get, "/api/changes");
        const auto theirs =
            host.call(Method::Get, "/api/changes", "", portico::testing::userOf(organization + "2", {"acme-notes.notes:read"}));
        for (const auto* stream : {&mine, &theirs}) FakeChannels::sentTo(*stream->live);
        const auto note = written();
        assign(note, "usr_bob");
        const auto sent = FakeChannels::sentTo(*mine.live);
        CPPUNIT_ASSERT_MESSAGE(sent,
                               sent.find("event: acme-notes.note.assigned\ndata: {\"noteId\":\"" + note + "\"}\n\n") != std::string::npos);
        CPPUNIT_ASSERT_EQUAL(sent.find("event:"), sent.rfind("event:"));
        CPPUNIT_ASSERT_EQUAL(std::string(), FakeChannels::sentTo(*theirs.live));
    }

    void aKeyNeedsTheScope()
    {
        const auto target = "/api/notes/" + written() + "/assignee";
        const auto ask = [&](const std::string& scope)
        {
            return host.call(Method::Put, target, R"({"userId":"usr_bob"})",
                             keyOf(organization, {"acme-notes.notes:write", "acme-notes.notes:assign"}, {scope}));
        };
        assertProblem(ask("notes.write"), 403, "insufficient_scope");
        CPPUNIT_ASSERT_EQUAL(200, ask("notes.assign").status);
    }

    void remindsWhenItIsTime()
    {
        const auto note = written(R"({"title":"Feed the lions"})");
        assign(note, "usr_bob");
        host.context().clock().advance(std::chrono::minutes(59));
        host.context().jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), mails());
        host.context().clock().advance(std::chrono::minutes(1));
        host.context().jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), mails());
        CPPUNIT_ASSERT_EQUAL(std::string("A note waits for you: Feed the lions"),
                             host.context().mailer().sentTo(directory.address).front().subject);
    }

    void remindsInEveryLanguage()
    {
        const ReminderTexts texts("texts", host.context().logger());
        const FeedbackPages pages(host.context(), texts.files);
        for (const auto& finding : texts.files.findings()) CPPUNIT_FAIL(finding);
        CPPUNIT_ASSERT_EQUAL(std::string("Hallo Bob,\n\ndiese Notiz wartet seit einer Stunde:\nMilch\n"),
                             texts.body.render({"Bob", "Milch", "", 1}, "de-AT"));
    }

    void remindsLaterWhenTheDirectoryIsAway()
    {
        const auto note = written();
        assign(note, "usr_bob");
        host.context().services().withdraw(interfaces::Directory::interfaceName);
        host.context().clock().advance(std::chrono::hours(1));
        host.context().jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), jobsOf(note));
        setUp();
        host.context().clock().advance(std::chrono::hours(1));
        host.context().jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), jobsOf(note));
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), mails());
    }

    void remindsNobodyOfWhatIsGone()
    {
        const auto note = written();
        assign(note, "usr_bob");
        CPPUNIT_ASSERT_EQUAL(200, call(Method::Delete, "/api/notes/" + note).status);
        host.context().clock().advance(std::chrono::hours(1));
        host.context().jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), jobsOf(note));
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), mails());
    }

    void greetsAContactOnce()
    {
        Event event;
        event.id = "evt_" + makeUlid(SystemClock().now());
        event.type = "crm.contact.created";
        event.organizationId = organization;
        event.data = R"({"contactId":"con_1"})";
        for (int delivery = 0; delivery < 2; ++delivery) CPPUNIT_ASSERT_EQUAL(std::size_t(1), host.context().events().deliver(event));
        CPPUNIT_ASSERT_EQUAL(std::string("1"), call(Method::Get, "/api/notes?include=total").at("/total"));
        // Forgotten after some days; the job runs every day.
        host.context().clock().advance(std::chrono::hours(24 * 9));
        host.context().jobs().runDue();
        auto session = host.context().database().session();
        CPPUNIT_ASSERT_EQUAL(std::int64_t(0),
                             session.value<std::int64_t>("SELECT count(*) FROM handled_event WHERE id = $1", event.id).value());
    }

    void countsForOthers()
    {
        written();
        auto* const counter = host.context().services().provided<NoteCounter>();
        CPPUNIT_ASSERT(counter);
        CPPUNIT_ASSERT_EQUAL(std::int64_t(1), counter->count(Tenant::fromStored(organization)));
    }

    void tellsOfTheDirectory()
    {
        CPPUNIT_ASSERT(host.plugin().health().front().healthy);
        host.context().services().withdraw(interfaces::Directory::interfaceName);
        CPPUNIT_ASSERT(!host.plugin().health().front().healthy);
    }

private:
    Answer assign(const std::string& note, const std::string& user) const
    {
        return call(Method::Put, "/api/notes/" + note + "/assignee", R"({"userId":")" + user + "\"}");
    }
    std::size_t jobsOf(const std::string& note)
    {
        std::size_t found = 0;
        for (const auto& job : host.context().jobs().waiting("remind"))
            if (job.payload.find(note) != std::string::npos) ++found;
        return found;
    }
    std::size_t mails() { return host.context().mailer().sentTo(directory.address).size(); }

    OneMember directory;
};

CPPUNIT_TEST_SUITE_REGISTRATION(AssignmentTest);

} // namespace acme_notes::tests
