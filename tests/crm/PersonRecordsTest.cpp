#include "crm/CrmFixture.h"

#include "portico/interfaces/PersonalData.h"

namespace portico::tests
{

/// Export and erasure of personal data of CRM users.
class PersonRecordsTest : public Suite<PersonRecordsTest, CrmFixture>
{
    void setUp() override
    {
        CrmFixture::setUp();
        directory.members[{owner.organizationId, owner.principalId}] = true;
        directory.members[{stranger.organizationId, stranger.principalId}] = true;
    }

    TEST(exportsRecordsOfAPerson)
    {
        const auto contact = owned();
        equal(201, client->post(owner, "/api/contacts/" + contact + "/notes", R"({"body":"Likes tea"})").status);
        const auto given = records(owner);
        equal({"contactsLookedAfter", "notes"}, kinds(given));
        const auto& note = given.at(0).second;
        equal("Likes tea", std::string(note.at("body").as_string()));
        equal(owner.organizationId, std::string(note.at("organizationId").as_string()));
        // Notes of other authors are not included.
        auto colleague = owner;
        colleague.principalId = "usr_" + makeUlid(Instant{});
        CHECK(records(colleague).empty());
    }

    TEST(givesAllOfMany)
    {
        const auto contact = newContact();
        for (int i = 0; i < 205; ++i) equal(201, client->post(owner, "/api/contacts/" + contact + "/notes", R"({"body":"x"})").status);
        equal(205, records(owner).size());
    }

    TEST(givesOnlyOfTheirOrganizations)
    {
        owned();
        auto person = personOf(owner);
        person.organizationIds = {stranger.organizationId};
        provider().give(person, [](std::string_view, std::string_view) { CPPUNIT_FAIL("of another organization"); });
        provider().forget(person);
        equal(1, list("ownerUserId=" + owner.principalId).count("/items"));
    }

    TEST(leavesContactsWithoutAnOwner)
    {
        const auto contact = owned();
        const auto deleted = owned();
        client->post(owner, "/api/contacts/" + contact + "/notes", R"({"body":"Likes tea"})");
        equal(200, client->del(owner, "/api/contacts/" + deleted).status);
        provider().forget(personOf(owner));
        const auto shown = client->get(owner, "/api/contacts/" + contact);
        equal("null", shown.at("/ownerUserId"));
        equal("2", shown.at("/version"));
        equal(1, client->get(owner, "/api/contacts/" + contact + "/notes").count("/items"));
        equal(0, countOf("SELECT COUNT(*) FROM contact WHERE owner_user_id IS NOT NULL"));
        equal("crm.contact.updated", eventTypes(owner).back());
    }

    TEST(forgetsManyAndAgain)
    {
        for (int i = 0; i < 501; ++i) owned();
        provider().forget(personOf(owner));
        provider().forget(personOf(owner));
        equal(501, countOf("SELECT COUNT(*) FROM contact WHERE owner_user_id IS NULL AND version = 2"));
    }

    using Records = std::vector<std::pair<std::string, boost::json::value>>;
    std::int64_t countOf(std::string_view sql) const { return database().session().value<std::int64_t>(sql).value_or(-1); }
    interfaces::PersonalData& provider() const { return *services().provided<interfaces::PersonalData>(); }
    static interfaces::Person personOf(const Caller& caller) { return {caller.principalId, "ada@x.example", {caller.organizationId}}; }
    std::string owned() const { return created(jsonWith(R"({"firstName":"Ada","ownerUserId":"$"})", owner.principalId)).at("/id"); }
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

} // namespace portico::tests
