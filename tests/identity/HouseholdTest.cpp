#include "identity/IdentityHost.h"

#include <atomic>
#include <thread>

namespace portico::tests
{

/// Households: shared in personal context, chosen by each, never without a manager.
class HouseholdTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(HouseholdTest);
    CPPUNIT_TEST(isFoundedAndShown);
    CPPUNIT_TEST(belongsToThePersonalContext);
    CPPUNIT_TEST(isClosedToOthers);
    CPPUNIT_TEST(isJoinedByInvitation);
    CPPUNIT_TEST(isJoinedByTheIdOfAnInvitation);
    CPPUNIT_TEST(ofManyAnswersOneMakesAMember);
    CPPUNIT_TEST(hasALimit);
    CPPUNIT_TEST(isManagedByManagers);
    CPPUNIT_TEST(theLastManagerStays);
    CPPUNIT_TEST(invitationsEndWithTheRightToSendThem);
    CPPUNIT_TEST(acceptanceAsksWhetherTheSenderMayInvite);
    CPPUNIT_TEST(isChosen);
    CPPUNIT_TEST(isDissolved);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        _host = std::make_unique<IdentityHost>();
        _ada = _host->createUser("ada@x.example");
        _ben = _host->createUser("ben@x.example");
        _adaToken = _host->signIn("ada@x.example", "identity");
        _benToken = _host->signIn("ben@x.example", "identity");
    }
    void tearDown() override { _host.reset(); }

    void isFoundedAndShown()
    {
        const auto made = post(_adaToken, "/api/households", R"({"name":" Home "})");
        CPPUNIT_ASSERT_EQUAL(201, made.status);
        CPPUNIT_ASSERT_EQUAL(std::string("Home"), made.at("/name"));
        CPPUNIT_ASSERT_EQUAL(std::string("manager"), made.at("/myRole"));
        CPPUNIT_ASSERT_EQUAL(std::string("1"), made.at("/memberCount"));
        CPPUNIT_ASSERT_EQUAL(_ada, made.at("/members/0/userId"));
        CPPUNIT_ASSERT_EQUAL(_ada, made.at("/ownerUserId"));
        const auto path = "/api/households/" + made.at("/id");
        CPPUNIT_ASSERT_EQUAL(200, get(_adaToken, path).status);
        CPPUNIT_ASSERT_EQUAL(std::string("Nest"), call(_adaToken, Method::Patch, path, R"({"name":"Nest"})").at("/name"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, get(_adaToken, "/api/households").count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::string("validation_failed"), post(_adaToken, "/api/households", R"({"name":" "})").code());
        const auto me = get(_adaToken, "/api/auth/me");
        CPPUNIT_ASSERT_EQUAL(std::string("Nest"), me.at("/households/0/name"));
        CPPUNIT_ASSERT_EQUAL(std::string("null"), me.at("/selectedHouseholdId"));
    }

    void belongsToThePersonalContext()
    {
        const auto path = found();
        _host->createUser("ada@x.example", "acme", "owner");
        const auto atWork = _host->signIn("ada@x.example", "identity", R"(,"organizationId":")" + _host->organizationId("acme") + '"');
        CPPUNIT_ASSERT_EQUAL(std::string("not_in_personal_context"), post(atWork, "/api/households", R"({"name":"X"})").code());
        CPPUNIT_ASSERT_EQUAL(std::string("not_in_personal_context"), call(atWork, Method::Patch, path, R"({"name":"X"})").code());
        CPPUNIT_ASSERT_EQUAL(std::string("not_in_personal_context"), call(atWork, Method::Delete, path).code());
        CPPUNIT_ASSERT_EQUAL(std::string("not_in_personal_context"), choose(atWork, "null").code());
        // To look at it no change is needed.
        CPPUNIT_ASSERT_EQUAL(200, get(atWork, path).status);
        const auto id = path.substr(path.rfind('/') + 1);
        choose(_adaToken, '"' + id + '"');
        CPPUNIT_ASSERT_EQUAL(std::string("null"), get(atWork, "/api/auth/me").at("/selectedHouseholdId"));
        // Backends are told of it, in that context.
        CPPUNIT_ASSERT_EQUAL(id, get(_adaToken, "/validate").at("/activeContext/selectedHouseholdId"));
        CPPUNIT_ASSERT_EQUAL(id, get(_adaToken, "/validate").at("/activeContext/selectedHousehold/id"));
        CPPUNIT_ASSERT_EQUAL(std::string("null"), get(atWork, "/validate").at("/activeContext/selectedHouseholdId"));
    }

    void isClosedToOthers()
    {
        const auto path = found();
        const auto nowhere = std::string("/api/households/hh_01jd0000000000000000000000");
        for (const auto& place : {path, nowhere})
        {
            CPPUNIT_ASSERT_EQUAL(404, get(_benToken, place).status);
            CPPUNIT_ASSERT_EQUAL(404, call(_benToken, Method::Patch, place, R"({"name":"Mine"})").status);
            CPPUNIT_ASSERT_EQUAL(404, call(_benToken, Method::Delete, place).status);
            CPPUNIT_ASSERT_EQUAL(404, get(_benToken, place + "/invitations").status);
            CPPUNIT_ASSERT_EQUAL(404, post(_benToken, place + "/invitations", R"({"email":"a@x.example"})").status);
            CPPUNIT_ASSERT_EQUAL(404, call(_benToken, Method::Delete, place + "/members/" + _ada).status);
        }
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, get(_benToken, "/api/households").count("/items"));
        CPPUNIT_ASSERT_EQUAL(401, get("", path).status);
    }

    void isJoinedByInvitation()
    {
        const auto path = found();
        const auto token = invite(path, "Ben@x.example", "child");
        const auto mail = _host->context().mailer().sentTo("Ben@x.example");
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, mail.size());
        CPPUNIT_ASSERT(get(_adaToken, path + "/invitations").body.find(token) == std::string::npos);
        CPPUNIT_ASSERT_EQUAL(std::string("invitation_email_mismatch"), accept(_adaToken, token).code());
        const auto joined = accept(_benToken, token);
        CPPUNIT_ASSERT_EQUAL(201, joined.status);
        CPPUNIT_ASSERT_EQUAL(std::string("child"), joined.at("/myRole"));
        CPPUNIT_ASSERT_EQUAL(std::string("2"), joined.at("/memberCount"));
        CPPUNIT_ASSERT_EQUAL(404, accept(_benToken, "nothing").status);
        CPPUNIT_ASSERT_EQUAL(std::string("required"),
                             post(_adaToken, path + "/invitations", R"({"email":"cy@x.example","role":null})").at("/errors/0/code"));
        CPPUNIT_ASSERT_EQUAL(std::string("already_member"), post(_adaToken, path + "/invitations", R"({"email":"ben@x.example"})").code());
        const auto late = _host->createUser("late@x.example");
        const auto lateToken = invite(path, "late@x.example", "adult");
        _host->context().clock().advance(std::chrono::hours(24 * 7));
        CPPUNIT_ASSERT_EQUAL(std::string("invitation_expired"), accept(_host->signIn("late@x.example", "identity"), lateToken).code());
    }

    void isJoinedByTheIdOfAnInvitation()
    {
        const auto path = found();
        const auto waiting = [&]
        {
            const auto told = _host->context().events().published("identity.user.invitations_changed");
            return boost::json::parse(told.back().data).at("details").at("pending").as_array();
        };
        invite(path, "ben@x.example", "adult");
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, waiting().size());
        const auto invitation = waiting().at(0).as_object();
        CPPUNIT_ASSERT(invitation.at("household").as_bool());
        CPPUNIT_ASSERT(invitation.at("placeName").as_string() == "Home");
        const std::string id(invitation.at("id").as_string());
        CPPUNIT_ASSERT_EQUAL(std::string("invitation_email_mismatch"), accept(_adaToken, id).code());
        CPPUNIT_ASSERT_EQUAL(201, accept(_benToken, id).status);
        CPPUNIT_ASSERT(waiting().empty());
        invite(path, "cy@x.example", "adult");
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, _host->context().events().published("identity.user.invitations_changed").size());
    }

    void ofManyAnswersOneMakesAMember()
    {
        const auto path = found();
        const auto token = invite(path, "ben@x.example", "adult");
        std::atomic<int> accepted = 0;
        {
            std::vector<std::jthread> clicks;
            for (int i = 0; i < 8; ++i) clicks.emplace_back([&] { accepted += accept(_benToken, token).status == 201 ? 1 : 0; });
        }
        CPPUNIT_ASSERT_EQUAL(8, accepted.load());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _host->count("SELECT COUNT(*) FROM household_members WHERE user_id = '" + _ben + "'"));
    }

    void hasALimit()
    {
        {
            std::vector<std::jthread> founders;
            for (int i = 0; i < 8; ++i) founders.emplace_back([&] { post(_benToken, "/api/households", R"({"name":"Home"})"); });
        }
        CPPUNIT_ASSERT_EQUAL(std::size_t{5}, get(_benToken, "/api/households").count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::string("household_limit_reached"), post(_benToken, "/api/households", R"({"name":"Home"})").code());
        CPPUNIT_ASSERT_EQUAL(std::string("household_limit_reached"), accept(_benToken, invite(found(), "ben@x.example", "adult")).code());
    }

    void isManagedByManagers()
    {
        const auto path = found();
        accept(_benToken, invite(path, "ben@x.example", "adult"));
        CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"), call(_benToken, Method::Patch, path, R"({"name":"Mine"})").code());
        CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"), post(_benToken, path + "/invitations", R"({"email":"a@x.example"})").code());
        CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"), get(_benToken, path + "/invitations").code());
        CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"), call(_benToken, Method::Delete, path + "/members/" + _ada).code());
        CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"),
                             call(_benToken, Method::Patch, path + "/members/" + _ben, R"({"role":"manager"})").code());
        const auto changed = call(_adaToken, Method::Patch, path + "/members/" + _ben, R"({"role":"viewer"})");
        CPPUNIT_ASSERT_EQUAL(200, changed.status);
        CPPUNIT_ASSERT_EQUAL(std::string("viewer"), changed.at("/role"));
        CPPUNIT_ASSERT_EQUAL(std::string("validation_failed"),
                             call(_adaToken, Method::Patch, path + "/members/" + _ben, R"({"role":"king"})").code());
        const auto token = invite(path, "late@x.example", "adult");
        const auto id = get(_adaToken, path + "/invitations").at("/items/0/id");
        CPPUNIT_ASSERT_EQUAL(std::string("version_conflict"), _host->codeOfStaleDelete(_adaToken, path + "/invitations/" + id));
        CPPUNIT_ASSERT_EQUAL(204, call(_adaToken, Method::Delete, path + "/invitations/" + id).status);
        _host->createUser("late@x.example");
        CPPUNIT_ASSERT_EQUAL(std::string("invitation_expired"), accept(_host->signIn("late@x.example", "identity"), token).code());
        CPPUNIT_ASSERT_EQUAL(std::string("version_conflict"), _host->codeOfStaleDelete(_benToken, path + "/members/" + _ben));
        // Everybody may leave.
        CPPUNIT_ASSERT_EQUAL(204, call(_benToken, Method::Delete, path + "/members/" + _ben).status);
        CPPUNIT_ASSERT_EQUAL(404, get(_benToken, path).status);
    }

    void theLastManagerStays()
    {
        const auto path = found();
        accept(_benToken, invite(path, "ben@x.example", "manager"));
        {
            const std::jthread one([&] { call(_adaToken, Method::Patch, path + "/members/" + _ada, R"({"role":"adult"})"); });
            const std::jthread other([&] { call(_benToken, Method::Patch, path + "/members/" + _ben, R"({"role":"adult"})"); });
        }
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _host->count("SELECT COUNT(*) FROM household_members WHERE role = 'manager'"));
        const bool adaLeft = get(_adaToken, path).at("/myRole") == "manager";
        const auto& last = adaLeft ? _adaToken : _benToken;
        const auto& who = adaLeft ? _ada : _ben;
        CPPUNIT_ASSERT_EQUAL(std::string("last_manager"), call(last, Method::Delete, path + "/members/" + who).code());
        CPPUNIT_ASSERT_EQUAL(std::string("last_manager"),
                             call(last, Method::Patch, path + "/members/" + who, R"({"role":"child"})").code());
        CPPUNIT_ASSERT_EQUAL(std::string("manager"), get(last, path).at("/myRole"));
    }

    /// A manager who was removed came back through an invitation sent earlier, and removed the founder.
    void invitationsEndWithTheRightToSendThem()
    {
        _host->createUser("second@x.example");
        const auto secondToken = _host->signIn("second@x.example", "identity");
        _host->createUser("late@x.example");
        const auto lateToken = _host->signIn("late@x.example", "identity");
        const auto path = found();
        for (const bool removed : {true, false})
        {
            accept(_benToken, invite(path, "ben@x.example", "manager"));
            const auto toHimself = invite(path, "second@x.example", "manager", _benToken);
            const auto fromAda = invite(path, "late@x.example", "adult");
            if (removed)
                CPPUNIT_ASSERT_EQUAL(204, call(_adaToken, Method::Delete, path + "/members/" + _ben).status);
            else
                CPPUNIT_ASSERT_EQUAL(200, call(_adaToken, Method::Patch, path + "/members/" + _ben, R"({"role":"adult"})").status);
            CPPUNIT_ASSERT_EQUAL(std::string("invitation_expired"), accept(secondToken, toHimself).code());
            CPPUNIT_ASSERT_EQUAL(404, get(secondToken, path).status);
            // What others have sent stays open.
            CPPUNIT_ASSERT_EQUAL(201, accept(lateToken, fromAda).status);
            CPPUNIT_ASSERT_EQUAL(
                204, call(lateToken, Method::Delete, path + "/members/" + get(lateToken, "/api/auth/me").at("/user/id")).status);
        }
    }

    void acceptanceAsksWhetherTheSenderMayInvite()
    {
        const auto path = found();
        accept(_benToken, invite(path, "ben@x.example", "manager"));
        _host->createUser("late@x.example");
        const auto lateToken = _host->signIn("late@x.example", "identity");
        const auto token = invite(path, "late@x.example", "adult", _benToken);
        const auto id = path.substr(path.rfind('/') + 1);
        for (const auto* loss :
             {"UPDATE household_members SET role = 'adult' WHERE user_id = '", "UPDATE users SET status = 'suspended' WHERE id = '"})
        {
            _host->change(loss + _ben + "'");
            CPPUNIT_ASSERT_EQUAL(std::string("invitation_expired"), accept(lateToken, token).code());
            _host->change("UPDATE household_members SET role = 'manager' WHERE user_id = '" + _ben + "'");
            _host->change("UPDATE users SET status = 'active' WHERE id = '" + _ben + "'");
        }
        CPPUNIT_ASSERT_EQUAL(201, accept(lateToken, token).status);
        // An answer that was given stays given: the same again is the same.
        _host->change("UPDATE household_members SET role = 'adult' WHERE user_id = '" + _ben + "'");
        CPPUNIT_ASSERT_EQUAL(201, accept(lateToken, token).status);
    }

    void isChosen()
    {
        const auto path = found();
        const auto id = path.substr(path.rfind('/') + 1);
        CPPUNIT_ASSERT_EQUAL(std::string("household_membership_required"), choose(_benToken, '"' + id + '"').code());
        accept(_benToken, invite(path, "ben@x.example", "adult"));
        const auto chosen = choose(_benToken, '"' + id + '"');
        CPPUNIT_ASSERT_EQUAL(200, chosen.status);
        CPPUNIT_ASSERT_EQUAL(std::string("personal"), chosen.at("/kind"));
        CPPUNIT_ASSERT_EQUAL(id, chosen.at("/selectedHouseholdId"));
        CPPUNIT_ASSERT_EQUAL(std::string("adult"), chosen.at("/selectedHousehold/myRole"));
        const auto me = get(_benToken, "/api/auth/me");
        CPPUNIT_ASSERT_EQUAL(id, me.at("/selectedHouseholdId"));
        CPPUNIT_ASSERT_EQUAL(id, me.at("/activeContext/selectedHouseholdId"));
        // In every app, and after a restart.
        _host->reload();
        CPPUNIT_ASSERT_EQUAL(id,
                             _host->login("ben@x.example", IdentityHost::password, "identity").at("/activeContext/selectedHouseholdId"));
        CPPUNIT_ASSERT_EQUAL(204, call(_adaToken, Method::Delete, path + "/members/" + _ben).status);
        CPPUNIT_ASSERT_EQUAL(std::string("null"), get(_benToken, "/api/auth/me").at("/selectedHouseholdId"));
        CPPUNIT_ASSERT_EQUAL(std::string("null"), choose(_benToken, "null").at("/selectedHouseholdId"));
    }

    void isDissolved()
    {
        const auto path = found();
        accept(_benToken, invite(path, "ben@x.example", "adult"));
        choose(_benToken, '"' + path.substr(path.rfind('/') + 1) + '"');
        CPPUNIT_ASSERT_EQUAL(std::string("permission_denied"), call(_benToken, Method::Delete, path).code());
        CPPUNIT_ASSERT_EQUAL(std::string("step_up_required"), call(_adaToken, Method::Delete, path).code());
        _host->change("UPDATE sessions SET elevated_until = 9999999999999");
        CPPUNIT_ASSERT_EQUAL(204, call(_adaToken, Method::Delete, path).status);
        CPPUNIT_ASSERT_EQUAL(404, get(_adaToken, path).status);
        CPPUNIT_ASSERT_EQUAL(std::string("null"), get(_benToken, "/api/auth/me").at("/selectedHouseholdId"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{0}, _host->count("SELECT COUNT(*) FROM household_members"));
    }

private:
    TestAnswer call(const std::string& token, Method method, std::string target, std::string body = {})
    {
        return _host->call({.method = method, .target = std::move(target), .body = std::move(body)}, token);
    }
    TestAnswer get(const std::string& token, std::string target) { return call(token, Method::Get, std::move(target)); }
    TestAnswer post(const std::string& token, std::string target, std::string body)
    {
        return call(token, Method::Post, std::move(target), std::move(body));
    }
    std::string found() { return "/api/households/" + post(_adaToken, "/api/households", R"({"name":"Home"})").at("/id"); }
    std::string invite(const std::string& path, std::string_view email, std::string_view role, const std::string& sender = {})
    {
        const auto made = post(sender.empty() ? _adaToken : sender, path + "/invitations",
                               R"({"email":")" + std::string(email) + R"(","role":")" + std::string(role) + R"("})");
        CPPUNIT_ASSERT_EQUAL(201, made.status);
        const auto text = _host->context().mailer().sent().back().text;
        const auto start = text.find("invitation?token=") + 17;
        return text.substr(start, text.find_first_of(" \r\n", start) - start);
    }
    TestAnswer accept(const std::string& token, const std::string& invitation)
    {
        return post(token, "/api/household-invitations/" + invitation + "/accept", "");
    }
    TestAnswer choose(const std::string& token, std::string household)
    {
        return call(token, Method::Put, "/api/auth/household-selection", R"({"selectedHouseholdId":)" + household + '}');
    }

    std::unique_ptr<IdentityHost> _host;
    std::string _ada, _ben, _adaToken, _benToken;
};

CPPUNIT_TEST_SUITE_REGISTRATION(HouseholdTest);

} // namespace portico::tests
