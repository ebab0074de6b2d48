#include "launchpad/LaunchpadFixture.h"

#include <map>
#include <set>
#include <string>

namespace portico::tests
{

namespace
{
/// The registry, with the calls that read all services or all access of a caller counted.
class CountedCatalog final : public interfaces::ServiceCatalog
{
public:
    explicit CountedCatalog(interfaces::ServiceCatalog& rest) : _rest(rest) {}
    std::vector<interfaces::CatalogEntry> services() override
    {
        ++reads;
        return _rest.services();
    }
    std::optional<interfaces::CatalogEntry> service(std::string_view id) override
    {
        ++single;
        return _rest.service(id);
    }
    std::vector<interfaces::CatalogAccess> accessOf(const Caller& caller) override
    {
        ++checks;
        return _rest.accessOf(caller);
    }
    std::string version() override { return _rest.version(); }

    int reads = 0, single = 0, checks = 0;

private:
    interfaces::ServiceCatalog& _rest;
};
} // namespace

/// The catalog of a caller, installs and requests.
class LaunchpadCatalogTest : public LaunchpadFixture
{
    CPPUNIT_TEST_SUITE(LaunchpadCatalogTest);
    CPPUNIT_TEST(listsAppsOfBothContextsForEveryRole);
    CPPUNIT_TEST(followsTheOrderOfAvailabilities);
    CPPUNIT_TEST(installsForOnePersonAndForAll);
    CPPUNIT_TEST(removesWhatInstallsTheApp);
    CPPUNIT_TEST(refusesInstalls);
    CPPUNIT_TEST(requestsOnce);
    CPPUNIT_TEST(approvalInstallsForTheRequester);
    CPPUNIT_TEST(rejectionNeedsAReason);
    CPPUNIT_TEST(requestsExpire);
    CPPUNIT_TEST(installingForAllAnswersRequests);
    CPPUNIT_TEST(hidesBlockedApps);
    CPPUNIT_TEST(installsByDefaultOnlyPlugins);
    CPPUNIT_TEST(separatesOrganizations);
    CPPUNIT_TEST(checksTheAccessToManyAppsOnce);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        LaunchpadFixture::setUp();
        auto& remote = registry.add("remote");
        remote.remote = true;
        remote.surfaceGroup = "community";
        remote.publisher = {"organization", "org_x", "Makers", false};
    }

    std::string availability(const Caller& caller, const std::string& service) const
    {
        const auto shown = get(caller, "/api/catalog/" + service);
        return shown.status == 200 ? shown.at("/availability") : shown.code();
    }
    static std::set<std::string> ids(const testing::TestAnswer& answer)
    {
        std::set<std::string> found;
        for (std::size_t i = 0; i < answer.count("/items"); ++i) found.insert(answer.at("/items/" + std::to_string(i) + "/service_id"));
        return found;
    }
    std::string request(const Caller& caller, const std::string& service = "remote") const
    {
        return made(post(caller, "/api/install-requests", R"({"service_id":")" + service + R"(","reason":"For the fair"})"))
            .at("/actionId");
    }
    testing::TestAnswer decide(const Caller& caller, const std::string& action, const std::string& body) const
    {
        return post(caller, "/api/actions/" + action + "/resolve", body);
    }
    void assign(const std::string& service, const std::string& subject, const std::string& mode) const
    {
        made(post(admin, "/api/assignments", R"({"service_id":")" + service + R"(","subject":)" + subject + R"(,"mode":")" + mode + "\"}"));
    }

    /// A list of applications that checks each one takes seconds with many of them (goauthentik/authentik #20829).
    void checksTheAccessToManyAppsOnce()
    {
        for (int i = 0; i < 500; ++i) registry.add("app-" + std::to_string(i));
        CountedCatalog counted(registry);
        host->context().services().offer<interfaces::ServiceCatalog>(counted);
        CPPUNIT_ASSERT_EQUAL(std::size_t{200}, made(get(member, "/api/catalog?limit=200")).count("/items"));
        CPPUNIT_ASSERT_EQUAL(1, counted.reads);
        CPPUNIT_ASSERT_EQUAL(std::size_t{200}, made(get(member, "/api/catalog?limit=200")).count("/items"));
        CPPUNIT_ASSERT_EQUAL_MESSAGE("the registry is read again after a change only", 1, counted.reads);
        CPPUNIT_ASSERT_EQUAL_MESSAGE("one look at the caller's access for each list", 2, counted.checks);
        CPPUNIT_ASSERT_EQUAL(0, counted.single);
    }

    void listsAppsOfBothContextsForEveryRole()
    {
        const std::set<std::string> inOrganization = {"admin", "calendar", "crm", "remote", "social"}, atHome = {"admin", "remote"};
        for (const auto* caller : {&owner, &superAdmin, &admin, &member, &guest})
        {
            CPPUNIT_ASSERT(ids(get(*caller, "/api/catalog")) == inOrganization);
            CPPUNIT_ASSERT(ids(get(personal(*caller), "/api/catalog")) == atHome);
            CPPUNIT_ASSERT_EQUAL(std::string("not_in_context"), availability(personal(*caller), "crm"));
            CPPUNIT_ASSERT_EQUAL(std::string("not_found"), availability(*caller, "launchpad"));
            CPPUNIT_ASSERT_EQUAL(std::string("not_found"), availability(*caller, "nothing"));
            CPPUNIT_ASSERT_EQUAL(std::string("installed"), availability(*caller, "crm"));
            CPPUNIT_ASSERT_EQUAL(std::string("available"), availability(personal(*caller), "remote"));
        }
        for (const auto* caller : {&owner, &superAdmin, &admin})
            CPPUNIT_ASSERT_EQUAL(std::string("available"), availability(*caller, "remote"));
        for (const auto* caller : {&member, &guest}) CPPUNIT_ASSERT_EQUAL(std::string("request_required"), availability(*caller, "remote"));
        const auto key = newKey({"apps.read"});
        CPPUNIT_ASSERT(ids(get(key, "/api/catalog")) == inOrganization);
        assertProblem(get(newKey({"widgets.read"}), "/api/catalog"), 403, "insufficient_scope");
        CPPUNIT_ASSERT(ids(get(member, "/api/catalog?availability=installed&q=cal")) == std::set<std::string>{"calendar"});
        CPPUNIT_ASSERT(ids(get(member, "/api/catalog?surface_group=community")) == std::set<std::string>{"remote"});
        const auto first = get(member, "/api/catalog?limit=3&include=total");
        CPPUNIT_ASSERT_EQUAL(std::string("5"), first.at("/total"));
        CPPUNIT_ASSERT(ids(get(member, "/api/catalog?limit=3&cursor=" + first.at("/nextCursor"))) ==
                       (std::set<std::string>{"remote", "social"}));
    }

    void followsTheOrderOfAvailabilities()
    {
        CPPUNIT_ASSERT_EQUAL(std::string("request_required"), availability(member, "remote"));
        request(member);
        CPPUNIT_ASSERT_EQUAL(std::string("requested"), availability(member, "remote"));
        CPPUNIT_ASSERT_EQUAL(std::string("available"), availability(admin, "remote"));
        registry.close("remote", "no_service_access");
        CPPUNIT_ASSERT_EQUAL(std::string("requires_plan"), availability(member, "remote"));
        registry.entries.find("remote")->second.manifest = R"({"store":{"comingSoon":true}})";
        ++registry.changes;
        CPPUNIT_ASSERT_EQUAL(std::string("coming_soon"), availability(member, "remote"));
        assign("remote", R"({"type":"everyone"})", "required");
        CPPUNIT_ASSERT_EQUAL(std::string("installed"), availability(member, "remote"));
        CPPUNIT_ASSERT_EQUAL(std::string("coming_soon"), availability(guest, "remote"));
        CPPUNIT_ASSERT_EQUAL(std::string("required"), get(member, "/api/catalog/remote").at("/install/mode"));
        assign("remote", R"({"type":"role","id":"admin"})", "blocked");
        CPPUNIT_ASSERT_EQUAL(std::string("unavailable"), availability(admin, "remote"));
    }

    void installsForOnePersonAndForAll()
    {
        const auto answer = post(admin, "/api/installs", R"({"service_id":"remote","scope":"me"})");
        CPPUNIT_ASSERT_EQUAL(201, answer.status);
        CPPUNIT_ASSERT_EQUAL(std::string("installed"), answer.at("/state"));
        CPPUNIT_ASSERT_EQUAL(std::string("request_required"), availability(member, "remote"));
        assertProblem(post(admin, "/api/installs", R"({"service_id":"remote"})"), 409, "already_installed");
        made(post(admin, "/api/installs", R"({"service_id":"remote","scope":"organization"})"));
        for (const auto* caller : {&owner, &member, &guest})
            CPPUNIT_ASSERT_EQUAL(std::string("installed"), availability(*caller, "remote"));
        const auto shown = get(member, "/api/catalog/remote");
        CPPUNIT_ASSERT_EQUAL(admin.principalId, shown.at("/install/installedBy"));
        CPPUNIT_ASSERT_EQUAL(std::string("2026-11-23T08:00:00.000Z"), shown.at("/install/installedAt"));
        CPPUNIT_ASSERT_EQUAL(std::string("available"), availability(stranger, "remote"));
        made(post(personal(guest), "/api/installs", R"({"service_id":"remote"})"));
        CPPUNIT_ASSERT_EQUAL(std::string("installed"), availability(personal(guest), "remote"));
        CPPUNIT_ASSERT_EQUAL(std::string("available"), availability(personal(member), "remote"));
    }

    void removesWhatInstallsTheApp()
    {
        made(post(admin, "/api/installs", R"({"service_id":"remote","scope":"organization"})"));
        assertProblem(del(member, "/api/installs/remote"), 403, "permission_denied");
        CPPUNIT_ASSERT_EQUAL(204, del(admin, "/api/installs/remote").status);
        assertProblem(del(admin, "/api/installs/remote"), 404, "not_found");
        // A person hides what is installed by default for themselves, an administrator for everybody.
        CPPUNIT_ASSERT_EQUAL(204, del(member, "/api/installs/crm").status);
        CPPUNIT_ASSERT_EQUAL(std::string("available"), availability(member, "crm"));
        made(post(member, "/api/installs", R"({"service_id":"crm"})"));
        CPPUNIT_ASSERT_EQUAL(std::string("installed"), availability(member, "crm"));
        CPPUNIT_ASSERT_EQUAL(204, del(member, "/api/installs/crm").status);
        CPPUNIT_ASSERT_EQUAL(std::string("installed"), availability(guest, "crm"));
        CPPUNIT_ASSERT_EQUAL(204, del(admin, "/api/installs/crm").status);
        for (const auto* caller : {&member, &guest}) CPPUNIT_ASSERT_EQUAL(std::string("request_required"), availability(*caller, "crm"));
        made(post(admin, "/api/installs", R"({"service_id":"crm","scope":"organization"})"));
        CPPUNIT_ASSERT_EQUAL(std::string("installed"), availability(member, "crm"));
        assign("crm", R"({"type":"user","id":")" + member.principalId + "\"}", "required");
        assertProblem(del(member, "/api/installs/crm"), 409, "required_by_assignment");
    }

    void refusesInstalls()
    {
        assertProblem(post(member, "/api/installs", R"({"service_id":"remote"})"), 403, "permission_denied");
        assertProblem(post(guest, "/api/installs", R"({"service_id":"remote"})"), 403, "permission_denied");
        assertProblem(post(personal(admin), "/api/installs", R"({"service_id":"remote","scope":"organization"})"), 403,
                      "permission_denied");
        assertProblem(post(admin, "/api/installs", R"({"service_id":"nothing"})"), 404, "not_found");
        assertProblem(post(personal(admin), "/api/installs", R"({"service_id":"crm"})"), 404, "not_in_context");
        assertProblem(post(admin, "/api/installs", R"({"service_id":"crm"})"), 409, "already_installed");
        assertProblem(post(admin, "/api/installs", R"({"scope":"me"})"), 400, "validation_failed");
        assertProblem(post(admin, "/api/installs", R"({"service_id":"crm","plan":"five"})"), 400, "unknown_field");
        registry.close("remote", "no_service_access");
        const auto refused = post(admin, "/api/installs", R"({"service_id":"remote"})");
        assertProblem(refused, 402, "plan_required");
        CPPUNIT_ASSERT_EQUAL(std::string("/pricing"), refused.at("/details/checkoutUrl"));
        assign("social", R"({"type":"everyone"})", "blocked");
        assertProblem(post(admin, "/api/installs", R"({"service_id":"social"})"), 403, "blocked_by_assignment");
    }

    void requestsOnce()
    {
        const auto action = request(member);
        const auto answer = post(member, "/api/install-requests", R"({"service_id":"remote"})");
        assertProblem(answer, 409, "already_requested");
        assertProblem(post(member, "/api/install-requests", R"({"service_id":"crm"})"), 409, "already_installed");
        assertProblem(post(guest, "/api/install-requests", R"({"service_id":"remote"})"), 403, "permission_denied");
        const auto shown = get(admin, "/api/actions/" + action);
        CPPUNIT_ASSERT_EQUAL(std::string("install_request"), shown.at("/kind"));
        CPPUNIT_ASSERT_EQUAL(std::string("For the fair"), shown.at("/body"));
        CPPUNIT_ASSERT_EQUAL("install:remote:" + member.principalId, shown.at("/dedupeKey"));
        CPPUNIT_ASSERT_EQUAL("/actions/" + action, shown.at("/href"));
        CPPUNIT_ASSERT_EQUAL(std::string("opened"), shown.at("/history/0/what"));
    }

    void approvalInstallsForTheRequester()
    {
        const auto action = request(member);
        assertProblem(decide(member, action, R"({"decision":"approve"})"), 403, "permission_denied");
        const auto decided = made(decide(admin, action, R"({"decision":"approve"})"));
        CPPUNIT_ASSERT_EQUAL(std::string("resolved"), decided.at("/status"));
        CPPUNIT_ASSERT_EQUAL(std::string("applied"), decided.at("/resolution/outcome"));
        CPPUNIT_ASSERT_EQUAL(admin.principalId, decided.at("/resolution/by"));
        CPPUNIT_ASSERT_EQUAL(std::string("installed"), availability(member, "remote"));
        CPPUNIT_ASSERT_EQUAL(std::string("request_required"), availability(guest, "remote"));
        const auto again = decide(owner, action, R"({"decision":"reject","reason":"No"})");
        assertProblem(again, 409, "already_resolved");
        CPPUNIT_ASSERT_EQUAL(std::string("approve"), again.at("/details/resolution/decision"));
        const auto news = get(member, "/api/notifications");
        CPPUNIT_ASSERT_EQUAL(std::string("remote is installed"), news.at("/items/0/title"));
        CPPUNIT_ASSERT_EQUAL(std::string("1"), news.at("/unread"));
    }

    void rejectionNeedsAReason()
    {
        const auto action = request(member);
        assertProblem(decide(admin, action, R"({"decision":"reject"})"), 400, "reason_required");
        assertProblem(decide(admin, action, R"({"decision":"postpone"})"), 400, "validation_failed");
        made(decide(admin, action, R"({"decision":"reject","reason":"Too expensive"})"));
        CPPUNIT_ASSERT_EQUAL(std::string("request_required"), availability(member, "remote"));
        CPPUNIT_ASSERT_EQUAL(std::string("Too expensive"), get(member, "/api/notifications").at("/items/0/body"));
        request(member);
        assertProblem(post(admin, "/api/actions/" + action + "/dismiss", R"({"reason":"x"})"), 409, "already_resolved");
    }

    void requestsExpire()
    {
        const auto action = request(member);
        advance(std::chrono::days(29));
        host->context().jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(std::string("requested"), availability(member, "remote"));
        advance(std::chrono::days(2));
        host->context().jobs().runDue();
        CPPUNIT_ASSERT_EQUAL(std::string("expired"), get(admin, "/api/actions/" + action).at("/status"));
        CPPUNIT_ASSERT_EQUAL(std::string("request_required"), availability(member, "remote"));
        request(member);
    }

    void installingForAllAnswersRequests()
    {
        const auto action = request(member);
        made(post(admin, "/api/installs", R"({"service_id":"remote","scope":"organization"})"));
        const auto shown = get(admin, "/api/actions/" + action);
        CPPUNIT_ASSERT_EQUAL(std::string("resolved"), shown.at("/status"));
        CPPUNIT_ASSERT_EQUAL(std::string("system"), shown.at("/resolution/by"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, get(admin, "/api/actions").count("/items"));
    }

    void hidesBlockedApps()
    {
        assign("social", R"({"type":"role","id":"member"})", "blocked");
        assign("social", R"({"type":"user","id":")" + member.principalId + "\"}", "required");
        CPPUNIT_ASSERT_EQUAL(std::string("not_found"), availability(member, "social"));
        CPPUNIT_ASSERT(!ids(get(member, "/api/catalog")).contains("social"));
        CPPUNIT_ASSERT_EQUAL(std::string("installed"), availability(admin, "social"));
        assertProblem(post(member, "/api/launch", R"({"service_id":"social"})"), 403, "blocked_by_assignment");
        assertProblem(post(member, "/api/install-requests", R"({"service_id":"social"})"), 403, "blocked_by_assignment");
    }

    void installsByDefaultOnlyPlugins()
    {
        settings.config["launchpad.defaultInstalls"] = "crm, remote";
        LaunchpadCatalogTest::setUp();
        CPPUNIT_ASSERT_EQUAL(std::string("installed"), availability(member, "crm"));
        CPPUNIT_ASSERT_EQUAL(std::string("request_required"), availability(member, "social"));
        CPPUNIT_ASSERT_EQUAL(std::string("request_required"), availability(member, "remote"));
        registry.close("crm", "no_service_access");
        CPPUNIT_ASSERT_EQUAL(std::string("requires_plan"), availability(member, "crm"));
    }

    void separatesOrganizations()
    {
        const auto action = request(member);
        assertProblem(get(stranger, "/api/actions/" + action), 404, "not_found");
        assertProblem(decide(stranger, action, R"({"decision":"approve"})"), 404, "not_found");
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, get(stranger, "/api/actions").count("/items"));
        assertProblem(get(personal(member), "/api/actions/" + action), 404, "not_found");
        assertProblem(post(personal(member), "/api/install-requests", R"({"service_id":"remote"})"), 403, "service_access_denied");
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(LaunchpadCatalogTest);

} // namespace portico::tests
