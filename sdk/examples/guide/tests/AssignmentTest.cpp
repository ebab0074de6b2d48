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

class AssignmentTest : public Suite<AssignmentTest, Fixture>
{
    void setUp() override
    {
        // Tests may share a database, so each has its own Bob.
        directory.organization = organization;
        directory.address = "bob@" + organization.substr(4) + ".example.org";
        host.context().services().offer<interfaces::Directory>(directory);
    }

    TEST(givesANoteToAMember)
    {
        const auto note = written();
        const auto answer = assign(note, "usr_bob");
        equal(200, answer.status, answer.body);
        equal("usr_bob", call(Method::Get, "/api/notes/" + note + "/assignee").at("/userId"));
        std::size_t told = 0;
        for (const auto& event : host.context().events().published("acme-notes.note.assigned"))
            if (event.organizationId == organization && event.data.find(note) != std::string::npos) ++told;
        equal(1, told);
    }

    TEST(refusesStrangersAndAnAbsentDirectory)
    {
        const auto note = written();
        const auto before = jobsOf(note);
        refused(assign(note, "usr_eve"), 400, "validation_failed");
        directory.active = false;
        refused(assign(note, "usr_bob"), 400, "validation_failed");
        host.context().services().withdraw(interfaces::Directory::interfaceName);
        refused(assign(note, "usr_bob"), 503, "directory_unavailable");
        setUp();
        directory.active = true;
        refused(assign("note_00000000000000000000000000", "usr_bob"), 404, "not_found");
        refused(call(Method::Get, "/api/notes/" + note + "/assignee"), 404, "not_found");
        equal(before, jobsOf(note));
    }

    TEST(notifiesPagesOfAnAssignment)
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
        equal(sent.find("event:"), sent.rfind("event:"));
        equal("", FakeChannels::sentTo(*theirs.live));
    }

    TEST(aKeyNeedsTheScope)
    {
        const auto target = "/api/notes/" + written() + "/assignee";
        const auto ask = [&](const std::string& scope)
        {
            return host.call(Method::Put, target, R"({"userId":"usr_bob"})",
                             keyOf(organization, {"acme-notes.notes:write", "acme-notes.notes:assign"}, {scope}));
        };
        refused(ask("notes.write"), 403, "insufficient_scope");
        equal(200, ask("notes.assign").status);
    }

    TEST(remindsWhenItIsTime)
    {
        const auto note = written(R"({"title":"Feed the lions"})");
        assign(note, "usr_bob");
        host.context().clock().advance(std::chrono::minutes(59));
        host.context().jobs().runDue();
        equal(0, mails());
        host.context().clock().advance(std::chrono::minutes(1));
        host.context().jobs().runDue();
        equal(1, mails());
        equal("A note waits for you: Feed the lions", host.context().mailer().sentTo(directory.address).front().subject);
    }

    TEST(remindsInEveryLanguage)
    {
        const ReminderTexts texts("texts", host.context().logger());
        const FeedbackPages pages(host.context(), texts.files);
        for (const auto& finding : texts.files.findings()) CPPUNIT_FAIL(finding);
        equal("Hallo Bob,\n\ndiese Notiz wartet seit einer Stunde:\nMilch\n", texts.body.render({"Bob", "Milch", "", 1}, "de-AT"));
    }

    TEST(remindsLaterWhenTheDirectoryIsAway)
    {
        const auto note = written();
        assign(note, "usr_bob");
        host.context().services().withdraw(interfaces::Directory::interfaceName);
        host.context().clock().advance(std::chrono::hours(1));
        host.context().jobs().runDue();
        equal(1, jobsOf(note));
        setUp();
        host.context().clock().advance(std::chrono::hours(1));
        host.context().jobs().runDue();
        equal(0, jobsOf(note));
        equal(1, mails());
    }

    TEST(deletedNoteIsNotReminded)
    {
        const auto note = written();
        assign(note, "usr_bob");
        equal(200, call(Method::Delete, "/api/notes/" + note).status);
        host.context().clock().advance(std::chrono::hours(1));
        host.context().jobs().runDue();
        equal(0, jobsOf(note));
        equal(0, mails());
    }

    TEST(greetsAContactOnce)
    {
        Event event;
        event.id = "evt_" + makeUlid(SystemClock().now());
        event.type = "crm.contact.created";
        event.organizationId = organization;
        event.data = R"({"contactId":"con_1"})";
        for (int delivery = 0; delivery < 2; ++delivery) equal(1, host.context().events().deliver(event));
        equal("1", call(Method::Get, "/api/notes?include=total").at("/total"));
        // Forgotten after some days; the job runs every day.
        host.context().clock().advance(std::chrono::hours(24 * 9));
        host.context().jobs().runDue();
        auto session = host.context().database().session();
        equal(0, session.value<std::int64_t>("SELECT count(*) FROM handled_event WHERE id = $1", event.id).value());
    }

    TEST(countsForOthers)
    {
        written();
        auto* const counter = host.context().services().provided<NoteCounter>();
        CHECK(counter);
        equal(1, counter->count(Tenant::fromStored(organization)));
    }

    TEST(reportsMissingDirectory)
    {
        CHECK(host.plugin().health().front().healthy);
        host.context().services().withdraw(interfaces::Directory::interfaceName);
        CHECK(!host.plugin().health().front().healthy);
    }

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

} // namespace acme_notes::tests
