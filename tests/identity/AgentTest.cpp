#include "identity/IdentityHost.h"

namespace portico::tests
{

/// Agents: programs that are members of an organization, and who answers for them.
class AgentTest : public Suite<AgentTest>
{
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _owner = _host->createUser("owner@acme.example", "acme", "owner");
        _admin = _host->createUser("admin@acme.example", "acme", "admin");
        _outsider = _host->createUser("owner@other.example", "other", "owner");
        _host->change("UPDATE users SET display_name = 'Ada' WHERE id = $1", {_admin});
        _agents = "/api/organizations/" + _host->organizationId("acme") + "/agents";
        _token = _host->signIn("admin@acme.example", "identity");
    }
    void tearDown() override { _host.reset(); }

    TEST(agentsNameTheirOwner)
    {
        const auto made = make("Night shift", _admin);
        equal(201, made.status, made.body);
        equal("agent", made.at("/principalType"));
        make("Day shift", _owner, "guest");
        const auto list = call(Method::Get, _agents + "?limit=1&include=total");
        const auto rest = call(Method::Get, _agents + "?limit=1&cursor=" + list.at("/nextCursor"));
        equal("2", list.at("/total"));
        equal(_owner, rest.at("/items/0/ownerUserId"));
        equal("guest", rest.at("/items/0/role"));
        const auto tells = [&](const TestAnswer& answer, const std::string& place)
        {
            equal("Night shift", answer.at(place + "/name"));
            equal("Night shift", answer.at(place + "/displayName"));
            equal("member", answer.at(place + "/role"));
            equal(_admin, answer.at(place + "/ownerUserId"));
            equal(_admin, answer.at(place + "/owner/id"));
            equal("Ada", answer.at(place + "/owner/displayName"));
        };
        tells(made, "");
        tells(list, "/items/0");
        tells(call(Method::Get, pathOf(made)), "");
        const auto handed = patch(made, jsonWith(R"({"ownerUserId":"$"})", _owner));
        equal(_owner, handed.at("/ownerUserId"));
        equal("owner@acme.example", handed.at("/owner/email"));
        equal("Night shift", handed.at("/name"));
        const auto same = patch(made, handed.body);
        equal(200, same.status, same.body);
        equal(_owner, same.at("/ownerUserId"));
    }

    TEST(areAnsweredForByPeopleOfTheOrganization)
    {
        equal("not_a_member", make("Spy", _outsider).at("/errors/0/code"));
        const auto made = make("Night shift", _admin);
        equal("not_a_member", make("Its own", made.at("/id")).at("/errors/0/code"));
        equal("not_a_member", patch(made, jsonWith(R"({"ownerUserId":"$"})", made.at("/id"))).at("/errors/0/code"));
        _host->change("UPDATE memberships SET status = 'suspended' WHERE user_id = $1", {_owner});
        equal("not_a_member", patch(made, jsonWith(R"({"ownerUserId":"$"})", _owner)).at("/errors/0/code"));
        equal(_admin, call(Method::Get, pathOf(made)).at("/ownerUserId"));
    }

    TEST(areAnsweredForByAnotherWhenThatAccountGoes)
    {
        const auto made = make("Night shift", _admin);
        elevate("admin@acme.example");
        equal(202, call(Method::Delete, "/api/auth/me", R"({"confirm":"delete"})").status);
        _host->context().clock().advance(std::chrono::hours(24 * 30));
        _host->context().jobs().runDue();
        _token = _host->signIn("owner@acme.example", "identity");
        const auto handed = call(Method::Get, pathOf(made));
        equal(_owner, handed.at("/ownerUserId"));
        equal("2", handed.at("/version"), "a change as others");
    }

    TEST(areNeverMoreThanMembers)
    {
        equal("validation_failed", make("Boss", _admin, "admin").code());
        const auto made = make("Night shift", _admin);
        equal("guest", patch(made, R"({"role":"guest"})").at("/role"));
        // No actor can make an agent an owner.
        elevate("owner@acme.example");
        const auto organization = "/api/organizations/" + _host->organizationId("acme");
        equal("invalid_choice",
              call(Method::Patch, organization + "/members/" + made.at("/id"), R"({"role":"owner"})").at("/errors/0/code"));
        const auto handed = call(Method::Post, organization + "/transfer-ownership", jsonWith(R"({"toUserId":"$"})", made.at("/id")));
        equal("invalid_choice", handed.at("/errors/0/code"), handed.body);
        // An agent that was made one before leaves no organization to itself.
        _host->change("UPDATE memberships SET role = 'owner' WHERE user_id = $1", {made.at("/id")});
        equal("last_owner", call(Method::Delete, organization + "/members/" + _owner).code());
    }

    TEST(changeOnlyAsTheyWereSeen)
    {
        const auto made = make("Night shift", _admin);
        const auto ifMatch = [&](Method method, std::string body) {
            return _host->call({.method = method, .target = pathOf(made), .body = std::move(body), .headers = {{"If-Match", "\"1\""}}},
                               _token);
        };
        equal("2", ifMatch(Method::Patch, R"({"name":"Day shift"})").at("/version"));
        equal("version_conflict", ifMatch(Method::Patch, R"({"name":"Late shift"})").code());
        equal("version_conflict", ifMatch(Method::Delete, "").code());
        equal("Day shift", call(Method::Get, pathOf(made)).at("/name"));
    }

    TEST(haveNoKeysAndNoSignIn)
    {
        const auto made = make("Night shift", _admin);
        equal("invalid_credentials", _host->login(made.at("/email"), IdentityHost::password).code());
        // The responsible member cannot create keys of the agent, only their keys or the organization's.
        const auto key = call(Method::Post, "/api/api-keys",
                              jsonWith(R"({"name":"Shift","owner_type":"user","owner_id":"$","grants":[{"service_id":"identity",)"
                                       R"("scopes":["members.read"]}]})",
                                       made.at("/id")));
        equal("permission_denied", key.code(), key.body);
    }

    TEST(areGoneWhereTheyWereRemoved)
    {
        const auto made = make("Night shift", _admin);
        const auto stranger = _host->signIn("owner@other.example", "identity");
        for (const auto method : {Method::Get, Method::Patch, Method::Delete})
            equal(404,
                  _host->call({.method = method, .target = pathOf(made), .body = method == Method::Patch ? "{}" : ""}, stranger).status);
        equal(404, call(Method::Get, _agents + '/' + _owner).status);
        equal(204, call(Method::Delete, pathOf(made)).status);
        equal(404, call(Method::Get, pathOf(made)).status);
        equal(404, call(Method::Delete, pathOf(made)).status);
        // Removing the membership removes the agent too.
        const auto other = make("Day shift", _admin);
        const auto member = "/api/organizations/" + _host->organizationId("acme") + "/members/" + other.at("/id");
        equal(204, call(Method::Delete, member).status);
        equal(404, call(Method::Get, pathOf(other)).status);
        const auto left = call(Method::Get, _agents + "?include=total");
        equal(0, left.count("/items"));
        equal("0", left.at("/total"));
    }

    TestAnswer call(Method method, std::string target, std::string body = {})
    {
        return _host->call({.method = method, .target = std::move(target), .body = std::move(body)}, _token);
    }
    TestAnswer make(std::string_view name, const std::string& owner, std::string_view role = "member")
    {
        return call(Method::Post, _agents, jsonWith(R"({"name":"$","ownerUserId":"$","role":"$"})", name, owner, role));
    }
    /// Continues as a user with a recent step-up.
    void elevate(std::string_view email)
    {
        _token = _host->signIn(email, "identity");
        _token = call(Method::Post, "/api/auth/step-up", jsonWith(R"({"factor":"password","password":"$"})", IdentityHost::password))
                     .at("/access_token");
    }
    std::string pathOf(const TestAnswer& agent) const { return _agents + '/' + agent.at("/id"); }
    TestAnswer patch(const TestAnswer& agent, std::string body) { return call(Method::Patch, pathOf(agent), std::move(body)); }

    std::unique_ptr<IdentityHost> _host;
    std::string _owner;
    std::string _admin;
    std::string _outsider;
    std::string _agents;
    std::string _token;
};

} // namespace portico::tests
