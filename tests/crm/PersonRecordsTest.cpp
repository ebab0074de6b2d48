#include "crm/CrmFixture.h"

#include "portico/interfaces/PersonalData.h"

namespace portico::tests
{

/// What CRM gives of the people who work with it, and how it forgets them.
class PersonRecordsTest : public CrmFixture
{
    CPPUNIT_TEST_SUITE(PersonRecordsTest);
    CPPUNIT_TEST(givesWhatSomebodyDid);
    CPPUNIT_TEST(givesAllOfMany);
    CPPUNIT_TEST(givesOnlyOfTheirOrganizations);
    CPPUNIT_TEST(leavesContactsWithoutAnOwner);
    CPPUNIT_TEST(forgetsManyAndAgain);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        CrmFixture::setUp();
        directory.members[{owner.organizationId, owner.principalId}] = true;
        directory.members[{stranger.organizationId, stranger.principalId}] = true;
    }

    void givesWhatSomebodyDid()
    {
        const auto contact = owned();
        CPPUNIT_ASSERT_EQUAL(201, client->post(owner, "/api/contacts/" + contact + "/notes", R"({"body":"Likes tea"})").status);
        const auto given = records(owner);
        CPPUNIT_ASSERT_EQUAL((Names{"contactsLookedAfter", "notes"}), kinds(given));
        const auto& note = given.at(0).second;
        CPPUNIT_ASSERT_EQUAL(std::string("Likes tea"), std::string(note.at("body").as_string()));
        CPPUNIT_ASSERT_EQUAL(owner.organizationId, std::string(note.at("organizationId").as_string()));
        // What others wrote is theirs.
        auto colleague = owner;
        colleague.principalId = "usr_" + makeUlid(Instant{});
        CPPUNIT_ASSERT(records(colleague).empty());
    }

    void givesAllOfMany()
    {
        const auto contact = newContact();
        for (int i = 0; i < 205; ++i)
            CPPUNIT_ASSERT_EQUAL(201, client->post(owner, "/api/contacts/" + contact + "/notes", R"({"body":"x"})").status);
        CPPUNIT_ASSERT_EQUAL(std::size_t{205}, records(owner).size());
    }

    void givesOnlyOfTheirOrganizations()
    {
        owned();
        auto person = personOf(owner);
        person.organizationIds = {stranger.organizationId};
        provider().give(person, [](std::string_view, std::string_view) { CPPUNIT_FAIL("of another organization"); });
        provider().forget(person);
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, list("ownerUserId=" + owner.principalId)["items"].as_array().size());
    }

    void leavesContactsWithoutAnOwner()
    {
        const auto contact = owned();
        const auto deleted = owned();
        client->post(owner, "/api/contacts/" + contact + "/notes", R"({"body":"Likes tea"})");
        CPPUNIT_ASSERT_EQUAL(200, client->del(owner, "/api/contacts/" + deleted).status);
        provider().forget(personOf(owner));
        const auto shown = client->get(owner, "/api/contacts/" + contact);
        CPPUNIT_ASSERT(shown["ownerUserId"].is_null());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{2}, shown.number("version"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, client->get(owner, "/api/contacts/" + contact + "/notes")["items"].as_array().size());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, countOf("SELECT COUNT(*) FROM contact WHERE owner_user_id IS NOT NULL"));
        CPPUNIT_ASSERT_EQUAL(std::string("crm.contact.updated"), eventTypes(owner).back());
    }

    void forgetsManyAndAgain()
    {
        for (int i = 0; i < 501; ++i) owned();
        provider().forget(personOf(owner));
        provider().forget(personOf(owner));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{501}, countOf("SELECT COUNT(*) FROM contact WHERE owner_user_id IS NULL AND version = 2"));
    }

private:
    using Records = std::vector<std::pair<std::string, boost::json::value>>;
    std::int64_t countOf(std::string_view sql) const { return database().session().value<std::int64_t>(sql).value_or(-1); }
    interfaces::PersonalData& provider() const { return *services().provided<interfaces::PersonalData>(); }
    static interfaces::Person personOf(const Caller& caller) { return {caller.principalId, "ada@x.example", {caller.organizationId}}; }
    std::string owned() const { return created(R"({"firstName":"Ada","ownerUserId":")" + owner.principalId + "\"}").id(); }
    Records records(const Caller& caller) const
    {
        Records found;
        provider().give(personOf(caller),
                        [&](std::string_view kind, std::string_view json) {
                            found.emplace_back(kind, boost::json::parse({json.data(), json.size()}));
                        });
        return found;
    }
    static Names kinds(const Records& records)
    {
        Names found;
        for (const auto& [kind, record] : records) found.push_back(kind);
        std::ranges::sort(found);
        return found;
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(PersonRecordsTest);

} // namespace portico::tests
