#include "support/Suite.h"
#include "support/TestDatabase.h"

#include "portico/Id.h"

#include <map>

namespace portico::tests
{

namespace
{

using PersonId = Id<"per">;

enum class Stage
{
    Lead,
    Customer
};

constexpr auto schemaOf(const Stage*)
{
    using enum Stage;
    return portico::choices<Stage>({{"lead", Lead}, {"customer", Customer}});
}

struct Address
{
    std::string address;
    std::string verifiedBy;
    bool operator==(const Address&) const = default;
};

constexpr auto schemaOf(const Address*)
{
    using namespace portico;
    return describe(field<&Address::address>().required(), field<&Address::verifiedBy>().readOnly().columnOnly());
}

struct Person
{
    PersonId id;
    std::string firstName;
    std::optional<std::string> nickName;
    Stage stage = Stage::Lead;
    std::int64_t version = 1;
    double score = 0;
    bool active = false;
    Instant createdAt{};
    std::optional<Instant> seenAt;
    std::vector<Address> addresses;
    std::map<std::string, std::string> labels;
    Json extra;
    std::string shownOnly;
    std::string renamed;
    PersonId managerId;
};

constexpr auto schemaOf(const Person*)
{
    using namespace portico;
    return describe(field<&Person::id>().readOnly(), field<&Person::firstName>().required(),
                    members<&Person::nickName, &Person::stage, &Person::version, &Person::score, &Person::active, &Person::createdAt,
                            &Person::seenAt, &Person::addresses, &Person::labels, &Person::extra>(),
                    field<&Person::shownOnly>().transient(), field<&Person::renamed>().column("other_name"), field<&Person::managerId>());
}

} // namespace

/// Records in and out of rows by their Schema.
template <class Engine>
class RowMappingTest : public Suite<RowMappingTest<Engine>>
{
    using Self = RowMappingTest;

    void setUp() override
    {
        _database = _place.open();
        _database->transact(
            [](Transaction& transaction)
            {
                transaction.execute(
                    "CREATE TABLE person (id TEXT PRIMARY KEY, first_name TEXT NOT NULL, nick_name TEXT, stage TEXT NOT NULL, version "
                    "BIGINT, "
                    "score DOUBLE PRECISION, active BOOLEAN, created_at BIGINT, seen_at BIGINT, addresses TEXT, labels TEXT, extra TEXT, "
                    "other_name TEXT, manager_id TEXT, organization_id TEXT NOT NULL)");
            });
    }

    TEST(namesColumnsInSnakeCase)
    {
        equal("p.id, p.first_name, p.nick_name, p.stage, p.version, p.score, p.active, p.created_at, p.seen_at, p.addresses, "
              "p.labels, p.extra, p.other_name, p.manager_id",
              columns<Person>("p."));
    }

    TEST(bringsBackWhatWasInserted)
    {
        const auto person = insertOne();
        const auto found =
            _database->session().template one<Person>("SELECT " + columns<Person>() + " FROM person WHERE organization_id = $1", "org");
        CHECK(found.has_value());
        CHECK(found->id == person.id);
        equal(person.firstName, found->firstName);
        CHECK(!found->nickName);
        CHECK(found->stage == Stage::Customer);
        equal(person.version, found->version);
        equal(person.score, found->score);
        CHECK(found->active);
        CHECK(found->createdAt == person.createdAt);
        CHECK(found->seenAt == person.seenAt);
        CHECK(found->addresses == person.addresses); // the hidden and read-only member too
        CHECK(found->labels == person.labels);
        equal(person.extra.text, found->extra.text);
        equal("", found->shownOnly);
        equal(person.renamed, found->renamed);
        CHECK(found->managerId.empty());
    }

    TEST(readsColumnsInAnyOrder)
    {
        const auto person = insertOne();
        auto found = _database->session().template all<Person>("SELECT organization_id, version, first_name, id FROM person");
        equal(1, found.size());
        CHECK(found[0].id == person.id);
        equal(person.firstName, found[0].firstName);
        equal(person.version, found[0].version);
        equal(0.0, found[0].score);
    }

    TEST(refusesWhatDoesNotFit)
    {
        insertOne();
        for (const char* sql : {"SELECT 'prospect' AS stage", "SELECT 'not an id' AS id", "SELECT '[{' AS addresses",
                                "SELECT NULL AS first_name", "SELECT 'x' AS version", "SELECT 'abc' AS created_at"})
            CPPUNIT_ASSERT_THROW_MESSAGE(sql, _database->session().template one<Person>(sql), std::logic_error);
    }

    TEST(toleratesMembersOfANewerVersion)
    {
        const auto found =
            _database->session().template one<Person>("SELECT '[{\"address\":\"a@b\",\"since\":{\"year\":2031}}]' AS addresses");
        const std::vector<Address> expected{{"a@b", ""}};
        CHECK(found->addresses == expected);
    }

    Person insertOne()
    {
        Person person;
        person.createdAt = fromMillis(1795251600123);
        person.id = PersonId::make(person.createdAt);
        person.firstName = "Zoë";
        person.stage = Stage::Customer;
        person.version = 3;
        person.score = -2.5;
        person.active = true;
        person.seenAt = fromMillis(1);
        person.addresses = {{"zoe@example.org", "admin"}, {"z\"@example.org", ""}};
        person.labels = {{"tier", "gold"}};
        person.extra.text = "{\"a\":[1,2]}";
        person.shownOnly = "lost";
        person.renamed = "kept";
        _database->transact([&](Transaction& transaction) { transaction.insert("person", person, {"organization_id"}, "org"); });
        return person;
    }

    TestDatabase _place{Engine::dialect};
    std::unique_ptr<host::data::ServiceDatabase> _database;
};

template class RowMappingTest<OnSqlite>;
template class RowMappingTest<OnPostgres>;

} // namespace portico::tests
