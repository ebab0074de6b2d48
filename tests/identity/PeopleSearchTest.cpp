#include "identity/IdentityHost.h"
#include "support/Suite.h"

#include <fstream>

namespace portico::tests
{

/// Search for people by name ignores case and accents, on both engines alike.
class PeopleSearchTest : public Suite<PeopleSearchTest>
{
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

    TEST(findsNamesHoweverTheyAreTyped)
    {
        for (const auto* words : {"m%C3%BCller", "M%C3%9CLLER", "muller", "mu%CC%88ller", "%C3%A5SA", "100%25", "HM%40ACME"})
            for (const auto& list : {std::string("/api/users"), members()}) equal(_mueller, found(list, words), list + words);
        for (const auto* words : {"mxller", "0%25%25", "m%5Ciller", "_%C3%BC_ller"})
            for (const auto& list : {std::string("/api/users"), members()}) equal("", found(list, words), list + words);
    }

    TEST(followsTheName)
    {
        rename("Stra\u00dfer");
        equal(_mueller, found(members(), "STRASSER"));
        equal("", found(members(), "muller"));
        const auto agent = _host->call({.method = Method::Post,
                                        .target = "/api/organizations/" + _host->organizationId("acme") + "/agents",
                                        .body = jsonWith(R"({"name":"Z\u00fcge","ownerUserId":"$","role":"member"})", _mueller)},
                                       _owner);
        equal(201, agent.status, agent.body);
        equal(agent.at("/id"), found(members(), "zuge"));
    }

    TEST(findsWhoWasThereBefore)
    {
        _host->change("UPDATE users SET folded_name = NULL");
        _host->context().clock().advance(std::chrono::hours(1));
        _host->context().jobs().runDue();
        _owner = _host->signIn("owner@acme.example", "identity");
        equal(_mueller, found(members(), "muller"));
        equal(0, _host->count("SELECT COUNT(*) FROM users WHERE folded_name IS NULL"));
    }

    TEST(findsEveryApostropheAndHyphen)
    {
        rename("Siobh\u00e1n O\u2019Brien\u2010Ng");
        for (const auto* words : {"o'brien", "o%E2%80%99brien", "O%CA%BCBRIEN", "brien-ng", "brien%E2%80%91ng", "brien%E2%80%93ng"})
            for (const auto& list : {std::string("/api/users"), members()}) equal(_mueller, found(list, words), list + words);
    }

    /// Runs the migration over names that an earlier version folded.
    TEST(foldsMarksOfStoredNames)
    {
        rename("Siobh\u00e1n O\u2019Brien\u2010Ng");
        _host->change("UPDATE users SET folded_name = 'siobhan o\u2019brien\u2010ng' WHERE id = $1", {_mueller});
        equal("", found(members(), "o'brien"));
        std::ifstream migration(IdentityHost::pluginFolder() / "migrations/0032_folded_marks.sql");
        for (std::string statement; std::getline(migration, statement);)
            if (statement.starts_with("UPDATE ")) _host->change(statement);
        equal(_mueller, found(members(), "o'brien-ng"));
    }

    std::string members() const { return "/api/organizations/" + _host->organizationId("acme") + "/members"; }
    void rename(const std::string& name) const
    {
        const auto renamed =
            _host->call({.method = Method::Patch, .target = "/api/auth/me", .body = jsonWith(R"({"displayName":"$"})", name)}, _own);
        equal(200, renamed.status, renamed.body);
    }
    /// Returns the id of the single match; empty: none.
    std::string found(const std::string& list, const std::string& words) const
    {
        const auto answer = _host->call({.target = list + "?q=" + words}, _owner);
        equal(200, answer.status, answer.body);
        if (answer.count("/items") == 0) return {};
        equal(1, answer.count("/items"), answer.body);
        return list == members() ? answer.at("/items/0/userId") : answer.at("/items/0/id");
    }

    std::unique_ptr<IdentityHost> _host;
    std::string _owner, _own, _mueller;
};

} // namespace portico::tests
