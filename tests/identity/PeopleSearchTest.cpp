#include "identity/IdentityHost.h"

#include <cppunit/extensions/HelperMacros.h>

#include <fstream>

namespace portico::tests
{

/// People are found by their names whatever the case and the accents, on both engines alike.
class PeopleSearchTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(PeopleSearchTest);
    CPPUNIT_TEST(findsNamesHoweverTheyAreTyped);
    CPPUNIT_TEST(followsTheName);
    CPPUNIT_TEST(findsWhoWasThereBefore);
    CPPUNIT_TEST(findsEveryApostropheAndHyphen);
    CPPUNIT_TEST(foldsMarksOfStoredNames);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _host->createUser("owner@acme.example", "acme", "owner");
        _mueller = _host->createUser("hm@acme.example", "acme", "member");
        _owner = _host->signIn("owner@acme.example", "identity");
        _own = _host->signIn("hm@acme.example", "identity");
        rename("M\u00dcLLER, \u00c5sa 100%");
    }
    void tearDown() override { _host.reset(); }

    void findsNamesHoweverTheyAreTyped()
    {
        for (const auto* words : {"m%C3%BCller", "M%C3%9CLLER", "muller", "mu%CC%88ller", "%C3%A5SA", "100%25", "HM%40ACME"})
            for (const auto& list : {std::string("/api/users"), members()})
                CPPUNIT_ASSERT_EQUAL_MESSAGE(list + words, _mueller, found(list, words));
        for (const auto* words : {"mxller", "0%25%25", "m%5Ciller", "_%C3%BC_ller"})
            for (const auto& list : {std::string("/api/users"), members()})
                CPPUNIT_ASSERT_EQUAL_MESSAGE(list + words, std::string(), found(list, words));
    }

    void followsTheName()
    {
        rename("Stra\u00dfer");
        CPPUNIT_ASSERT_EQUAL(_mueller, found(members(), "STRASSER"));
        CPPUNIT_ASSERT_EQUAL(std::string(), found(members(), "muller"));
        const auto agent = _host->call({.method = Method::Post,
                                        .target = "/api/organizations/" + _host->organizationId("acme") + "/agents",
                                        .body = R"({"name":"Z\u00fcge","ownerUserId":")" + _mueller + R"(","role":"member"})"},
                                       _owner);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(agent.body, 201, agent.status);
        CPPUNIT_ASSERT_EQUAL(agent.at("/id"), found(members(), "zuge"));
    }

    void findsWhoWasThereBefore()
    {
        _host->change("UPDATE users SET folded_name = NULL");
        _host->context().clock().advance(std::chrono::hours(1));
        _host->context().jobs().runDue();
        _owner = _host->signIn("owner@acme.example", "identity");
        CPPUNIT_ASSERT_EQUAL(_mueller, found(members(), "muller"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, _host->count("SELECT COUNT(*) FROM users WHERE folded_name IS NULL"));
    }

    void findsEveryApostropheAndHyphen()
    {
        rename("Siobh\u00e1n O\u2019Brien\u2010Ng");
        for (const auto* words : {"o'brien", "o%E2%80%99brien", "O%CA%BCBRIEN", "brien-ng", "brien%E2%80%91ng", "brien%E2%80%93ng"})
            for (const auto& list : {std::string("/api/users"), members()})
                CPPUNIT_ASSERT_EQUAL_MESSAGE(list + words, _mueller, found(list, words));
    }

    /// Runs the migration over names that an earlier version folded.
    void foldsMarksOfStoredNames()
    {
        rename("Siobh\u00e1n O\u2019Brien\u2010Ng");
        _host->change("UPDATE users SET folded_name = 'siobhan o\u2019brien\u2010ng' WHERE id = $1", {_mueller});
        CPPUNIT_ASSERT_EQUAL(std::string(), found(members(), "o'brien"));
        std::ifstream migration(IdentityHost::pluginFolder() / "migrations/0032_folded_marks.sql");
        for (std::string statement; std::getline(migration, statement);)
            if (statement.starts_with("UPDATE ")) _host->change(statement);
        CPPUNIT_ASSERT_EQUAL(_mueller, found(members(), "o'brien-ng"));
    }

private:
    std::string members() const { return "/api/organizations/" + _host->organizationId("acme") + "/members"; }
    void rename(const std::string& name) const
    {
        const auto renamed =
            _host->call({.method = Method::Patch, .target = "/api/auth/me", .body = R"({"displayName":")" + name + "\"}"}, _own);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(renamed.body, 200, renamed.status);
    }
    /// Id of the one that is found; empty: nobody.
    std::string found(const std::string& list, const std::string& words) const
    {
        const auto answer = _host->call({.target = list + "?q=" + words}, _owner);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(answer.body, 200, answer.status);
        if (answer.count("/items") == 0) return {};
        CPPUNIT_ASSERT_EQUAL_MESSAGE(answer.body, std::size_t{1}, answer.count("/items"));
        return list == members() ? answer.at("/items/0/userId") : answer.at("/items/0/id");
    }

    std::unique_ptr<IdentityHost> _host;
    std::string _owner, _own, _mueller;
};

CPPUNIT_TEST_SUITE_REGISTRATION(PeopleSearchTest);

} // namespace portico::tests
