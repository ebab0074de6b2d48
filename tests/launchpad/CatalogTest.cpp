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
class LaunchpadCatalogTest : public Suite<LaunchpadCatalogTest, LaunchpadFixture>
{
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
        return made(post(caller, "/api/install-requests", jsonWith(R"({"service_id":"$","reason":"For the fair"})", service)))
            .at("/actionId");
    }
    testing::TestAnswer decide(const Caller& caller, const std::string& action, const std::string& body) const
    {
        return post(caller, "/api/actions/" + action + "/resolve", body);
    }
    void assign(const std::string& service, const std::string& subject, const std::string& mode) const
    {
        made(post(admin, "/api/assignments", jsonWith(R"({"service_id":"$","subject":$,"mode":"$"})", service, subject, mode)));
    }

    /// A list of applications that checks each one takes seconds with many of them (goauthentik/authentik #20829).
    TEST(checksTheAccessToManyAppsOnce)
    {
        for (int i = 0; i < 500; ++i) registry.add("app-" + std::to_string(i));
        CountedCatalog counted(registry);
        host->context().services().offer<interfaces::ServiceCatalog>(counted);
        equal(200, made(get(member, "/api/catalog?limit=200")).count("/items"));
        equal(1, counted.reads);
        equal(200, made(get(member, "/api/catalog?limit=200")).count("/items"));
        equal(1, counted.reads, "the registry is read again after a change only");
        equal(2, counted.checks, "one look at the caller's access for each list");
        equal(0, counted.single);
    }

    TEST(listsAppsOfBothContextsForEveryRole)
    {
        const std::set<std::string> inOrganization = {"admin", "calendar", "crm", "remote", "social"}, atHome = {"admin", "remote"};
        for (const auto* caller : {&owner, &superAdmin, &admin, &member, &guest})
        {
            CHECK(ids(get(*caller, "/api/catalog")) == inOrganization);
            CHECK(ids(get(personal(*caller), "/api/catalog")) == atHome);
            equal("not_in_context", availability(personal(*caller), "crm"));
            equal("not_found", availability(*caller, "launchpad"));
            equal("not_found", availability(*caller, "nothing"));
            equal("installed", availability(*caller, "crm"));
            equal("available", availability(personal(*caller), "remote"));
        }
        for (const auto* caller : {&owner, &superAdmin, &admin}) equal("available", availability(*caller, "remote"));
        for (const auto* caller : {&member, &guest}) equal("request_required", availability(*caller, "remote"));
        const auto key = newKey({"apps.read"});
        CHECK(ids(get(key, "/api/catalog")) == inOrganization);
        refused(get(newKey({"widgets.read"}), "/api/catalog"), 403, "insufficient_scope");
        CHECK(ids(get(member, "/api/catalog?availability=installed&q=cal")) == std::set<std::string>{"calendar"});
        CHECK(ids(get(member, "/api/catalog?surface_group=community")) == std::set<std::string>{"remote"});
        const auto first = get(member, "/api/catalog?limit=3&include=total");
        equal("5", first.at("/total"));
        CHECK(ids(get(member, "/api/catalog?limit=3&cursor=" + first.at("/nextCursor"))) == (std::set<std::string>{"remote", "social"}));
    }

    TEST(followsTheOrderOfAvailabilities)
    {
        equal("request_required", availability(member, "remote"));
        request(member);
        equal("requested", availability(member, "remote"));
        equal("available", availability(admin, "remote"));
        registry.close("remote", "no_service_access");
        equal("requires_plan", availability(member, "remote"));
        registry.entries.find("remote")->second.manifest = R"({"store":{"comingSoon":true}})";
        ++registry.changes;
        equal("coming_soon", availability(member, "remote"));
        assign("remote", R"({"type":"everyone"})", "required");
        equal("installed", availability(member, "remote"));
        equal("coming_soon", availability(guest, "remote"));
        equal("required", get(member, "/api/catalog/remote").at("/install/mode"));
        assign("remote", R"({"type":"role","id":"admin"})", "blocked");
        equal("unavailable", availability(admin, "remote"));
    }

    TEST(installsForOnePersonAndForAll)
    {
        const auto answer = post(admin, "/api/installs", R"({"service_id":"remote","scope":"me"})");
        equal(201, answer.status);
        equal("installed", answer.at("/state"));
        equal("request_required", availability(member, "remote"));
        refused(post(admin, "/api/installs", R"({"service_id":"remote"})"), 409, "already_installed");
        made(post(admin, "/api/installs", R"({"service_id":"remote","scope":"organization"})"));
        for (const auto* caller : {&owner, &member, &guest}) equal("installed", availability(*caller, "remote"));
        const auto shown = get(member, "/api/catalog/remote");
        equal(admin.principalId, shown.at("/install/installedBy"));
        equal("2026-11-23T08:00:00.000Z", shown.at("/install/installedAt"));
        equal("available", availability(stranger, "remote"));
        made(post(personal(guest), "/api/installs", R"({"service_id":"remote"})"));
        equal("installed", availability(personal(guest), "remote"));
        equal("available", availability(personal(member), "remote"));
    }

    TEST(removesWhatInstallsTheApp)
    {
        made(post(admin, "/api/installs", R"({"service_id":"remote","scope":"organization"})"));
        refused(del(member, "/api/installs/remote"), 403, "permission_denied");
        equal(204, del(admin, "/api/installs/remote").status);
        refused(del(admin, "/api/installs/remote"), 404, "not_found");
        // A person hides what is installed by default for themselves, an administrator for everybody.
        equal(204, del(member, "/api/installs/crm").status);
        equal("available", availability(member, "crm"));
        made(post(member, "/api/installs", R"({"service_id":"crm"})"));
        equal("installed", availability(member, "crm"));
        equal(204, del(member, "/api/installs/crm").status);
        equal("installed", availability(guest, "crm"));
        equal(204, del(admin, "/api/installs/crm").status);
        for (const auto* caller : {&member, &guest}) equal("request_required", availability(*caller, "crm"));
        made(post(admin, "/api/installs", R"({"service_id":"crm","scope":"organization"})"));
        equal("installed", availability(member, "crm"));
        assign("crm", jsonWith(R"({"type":"user","id":"$"})", member.principalId), "required");
        refused(del(member, "/api/installs/crm"), 409, "required_by_assignment");
    }

    TEST(refusesInstalls)
    {
        refused(post(member, "/api/installs", R"({"service_id":"remote"})"), 403, "permission_denied");
        refused(post(guest, "/api/installs", R"({"service_id":"remote"})"), 403, "permission_denied");
        refused(post(personal(admin), "/api/installs", R"({"service_id":"remote","scope":"organization"})"), 403, "permission_denied");
        refused(post(admin, "/api/installs", R"({"service_id":"nothing"})"), 404, "not_found");
        refused(post(personal(admin), "/api/installs", R"({"service_id":"crm"})"), 404, "not_in_context");
        refused(post(admin, "/api/installs", R"({"service_id":"crm"})"), 409, "already_installed");
        refused(post(admin, "/api/installs", R"({"scope":"me"})"), 400, "validation_failed");
        refused(post(admin, "/api/installs", R"({"service_id":"crm","plan":"five"})"), 400, "unknown_field");
        registry.close("remote", "no_service_access");
        const auto answer = post(admin, "/api/installs", R"({"service_id":"remote"})");
        refused(answer, 402, "plan_required");
        equal("/pricing", answer.at("/details/checkoutUrl"));
        assign("social", R"({"type":"everyone"})", "blocked");
        refused(post(admin, "/api/installs", R"({"service_id":"social"})"), 403, "blocked_by_assignment");
    }

    TEST(requestsOnce)
    {
        const auto action = request(member);
        const auto answer = post(member, "/api/install-requests", R"({"service_id":"remote"})");
        refused(answer, 409, "already_requested");
        refused(post(member, "/api/install-requests", R"({"service_id":"crm"})"), 409, "already_installed");
        refused(post(guest, "/api/install-requests", R"({"service_id":"remote"})"), 403, "permission_denied");
        const auto shown = get(admin, "/api/actions/" + action);
        equal("install_request", shown.at("/kind"));
        equal("For the fair", shown.at("/body"));
        equal("install:remote:" + member.principalId, shown.at("/dedupeKey"));
        equal("/actions/" + action, shown.at("/href"));
        equal("opened", shown.at("/history/0/what"));
    }

    TEST(approvalInstallsForTheRequester)
    {
        const auto action = request(member);
        refused(decide(member, action, R"({"decision":"approve"})"), 403, "permission_denied");
        const auto decided = made(decide(admin, action, R"({"decision":"approve"})"));
        equal("resolved", decided.at("/status"));
        equal("applied", decided.at("/resolution/outcome"));
        equal(admin.principalId, decided.at("/resolution/by"));
        equal("installed", availability(member, "remote"));
        equal("request_required", availability(guest, "remote"));
        const auto again = decide(owner, action, R"({"decision":"reject","reason":"No"})");
        refused(again, 409, "already_resolved");
        equal("approve", again.at("/details/resolution/decision"));
        const auto news = get(member, "/api/notifications");
        equal("remote is installed", news.at("/items/0/title"));
        equal("1", news.at("/unread"));
    }

    TEST(rejectionNeedsAReason)
    {
        const auto action = request(member);
        refused(decide(admin, action, R"({"decision":"reject"})"), 400, "reason_required");
        refused(decide(admin, action, R"({"decision":"postpone"})"), 400, "validation_failed");
        made(decide(admin, action, R"({"decision":"reject","reason":"Too expensive"})"));
        equal("request_required", availability(member, "remote"));
        equal("Too expensive", get(member, "/api/notifications").at("/items/0/body"));
        request(member);
        refused(post(admin, "/api/actions/" + action + "/dismiss", R"({"reason":"x"})"), 409, "already_resolved");
    }

    TEST(requestsExpire)
    {
        const auto action = request(member);
        advance(std::chrono::days(29));
        host->context().jobs().runDue();
        equal("requested", availability(member, "remote"));
        advance(std::chrono::days(2));
        host->context().jobs().runDue();
        equal("expired", get(admin, "/api/actions/" + action).at("/status"));
        equal("request_required", availability(member, "remote"));
        request(member);
    }

    TEST(installingForAllAnswersRequests)
    {
        const auto action = request(member);
        made(post(admin, "/api/installs", R"({"service_id":"remote","scope":"organization"})"));
        const auto shown = get(admin, "/api/actions/" + action);
        equal("resolved", shown.at("/status"));
        equal("system", shown.at("/resolution/by"));
        equal(0, get(admin, "/api/actions").count("/items"));
    }

    TEST(hidesBlockedApps)
    {
        assign("social", R"({"type":"role","id":"member"})", "blocked");
        assign("social", jsonWith(R"({"type":"user","id":"$"})", member.principalId), "required");
        equal("not_found", availability(member, "social"));
        CHECK(!ids(get(member, "/api/catalog")).contains("social"));
        equal("installed", availability(admin, "social"));
        refused(post(member, "/api/launch", R"({"service_id":"social"})"), 403, "blocked_by_assignment");
        refused(post(member, "/api/install-requests", R"({"service_id":"social"})"), 403, "blocked_by_assignment");
    }

    TEST(installsByDefaultOnlyPlugins)
    {
        settings.config["launchpad.defaultInstalls"] = "crm, remote";
        LaunchpadCatalogTest::setUp();
        equal("installed", availability(member, "crm"));
        equal("request_required", availability(member, "social"));
        equal("request_required", availability(member, "remote"));
        registry.close("crm", "no_service_access");
        equal("requires_plan", availability(member, "crm"));
    }

    TEST(separatesOrganizations)
    {
        const auto action = request(member);
        refused(get(stranger, "/api/actions/" + action), 404, "not_found");
        refused(decide(stranger, action, R"({"decision":"approve"})"), 404, "not_found");
        equal(0, get(stranger, "/api/actions").count("/items"));
        refused(get(personal(member), "/api/actions/" + action), 404, "not_found");
        refused(post(personal(member), "/api/install-requests", R"({"service_id":"remote"})"), 403, "service_access_denied");
    }
};

} // namespace portico::tests
