#include "launchpad/LaunchpadFixture.h"

#include <set>
#include <stdexcept>
#include <string>

namespace portico::tests
{

/// The public store: lists, search, one app, prices.
class StoreTest : public LaunchpadFixture
{
    CPPUNIT_TEST_SUITE(StoreTest);
    CPPUNIT_TEST(listsWhatTheRegistryOffers);
    CPPUNIT_TEST(filtersAndSorts);
    CPPUNIT_TEST(pagesWithoutRepeats);
    CPPUNIT_TEST(everyListHasPages);
    CPPUNIT_TEST(revalidatesByTag);
    CPPUNIT_TEST(findsWordsPrefixesAndTypos);
    CPPUNIT_TEST(ignoresAccentsAndCase);
    CPPUNIT_TEST(refusesShortQueries);
    CPPUNIT_TEST(groupsAppsByCategory);
    CPPUNIT_TEST(showsOneApp);
    CPPUNIT_TEST(limitsAnAddress);
    CPPUNIT_TEST(answersWithoutIdentityFromWhatItRead);
    CPPUNIT_TEST(readsPricesOfManifests);
    CPPUNIT_TEST(readsPricesOfPackages);
    CPPUNIT_TEST(rejectsPricesThatCannotBeRead);
    CPPUNIT_TEST_SUITE_END();

public:
    testing::TestAnswer anonymous(std::string_view target) const { return host->call(Method::Get, target); }
    interfaces::CatalogEntry& app(std::string_view id, std::string_view name, std::string_view manifestText = "{}")
    {
        auto& entry = registry.add(id);
        entry.name = name;
        entry.surfaceGroup = "community";
        entry.manifest = manifestText;
        return entry;
    }
    static std::set<std::string> ids(const testing::TestAnswer& answer)
    {
        std::set<std::string> found;
        for (std::size_t i = 0; i < answer.count("/items"); ++i) found.insert(answer.at("/items/" + std::to_string(i) + "/service_id"));
        return found;
    }

    void listsWhatTheRegistryOffers()
    {
        registry.add("identity").surfaceKind = "internal";
        registry.add("sleeping").active = false;
        auto& announced = app("later", "Later", R"({"store":{"comingSoon":true}})");
        announced.active = false;
        announced.status = "ready";
        auto& draft = app("secret", "Secret", R"({"store":{"comingSoon":true}})");
        draft.active = false;
        draft.status = "draft";
        const auto all = anonymous("/api/store/catalog");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(all.body, 200, all.status);
        CPPUNIT_ASSERT(ids(all) == (std::set<std::string>{"admin", "calendar", "crm", "later", "social"}));
        for (const auto* hidden : {"/items/0/user", "/items/0/install", "/items/0/commerce/entitled"}) CPPUNIT_ASSERT(!all.has(hidden));
        CPPUNIT_ASSERT_EQUAL(std::string("https://launchpad.example/launch/admin"), all.at("/items/0/launch/universalLink"));
        CPPUNIT_ASSERT_EQUAL(std::string("true"), all.at("/items/0/publisher/verified"));
    }

    void filtersAndSorts()
    {
        app("zeta", "Äther", R"({"commerce":{"pricing":"paid"}})").categories = {"sales"};
        app("beta", "Beta").collections = {"essentials"};
        registry.entries.find("beta")->second.createdAt = *parseInstant("2026-11-01T00:00:00Z");
        CPPUNIT_ASSERT(ids(anonymous("/api/store/catalog?category=sales")) == std::set<std::string>{"zeta"});
        CPPUNIT_ASSERT(ids(anonymous("/api/store/catalog?collection=essentials")) == std::set<std::string>{"beta"});
        for (const auto* none : {"store/catalog?category=", "store/catalog?collection=", "store/catalog?surface_group=",
                                 "store/search?q=beta&category=", "commerce/apps?service_id="})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(none, std::size_t{0}, made(anonymous(std::string("/api/") + none)).count("/items"));
        CPPUNIT_ASSERT(ids(anonymous("/api/store/catalog?pricing=paid")) == std::set<std::string>{"zeta"});
        CPPUNIT_ASSERT(ids(anonymous("/api/store/catalog?surface_group=community")) == (std::set<std::string>{"beta", "zeta"}));
        CPPUNIT_ASSERT_EQUAL(std::string("beta"), anonymous("/api/store/catalog?sort=new").at("/items/0/service_id"));
        CPPUNIT_ASSERT_EQUAL(std::string("zeta"), anonymous("/api/store/catalog?surface_group=community").at("/items/0/service_id"));
        made(post(member, "/api/launch", R"({"service_id":"social"})"));
        CPPUNIT_ASSERT_EQUAL(std::string("social"), anonymous("/api/store/catalog?sort=popular").at("/items/0/service_id"));
        assertProblem(anonymous("/api/store/catalog?price=paid"), 400, "unknown_parameter");
        assertProblem(anonymous("/api/store/catalog?sort=size"), 400, "validation_failed");
    }

    void pagesWithoutRepeats()
    {
        for (const auto* name : {"a1", "b1", "c1", "d1", "e1"}) app(name, name);
        auto page = anonymous("/api/store/catalog?surface_group=community&limit=2");
        std::string order;
        for (int i = 0;; ++i)
        {
            for (std::size_t j = 0; j < page.count("/items"); ++j) order += page.at("/items/" + std::to_string(j) + "/service_id") + ' ';
            if (page.at("/nextCursor") == "null") break;
            // An app added before the cursor does not appear, one added behind it does.
            if (i == 0) app("a2", "a2"), app("d2", "d2");
            page = anonymous("/api/store/catalog?surface_group=community&limit=2&cursor=" + page.at("/nextCursor"));
            CPPUNIT_ASSERT_EQUAL_MESSAGE(page.body, 200, page.status);
        }
        CPPUNIT_ASSERT_EQUAL(std::string("a1 b1 c1 d1 d2 e1 "), order);
        const auto cursor = anonymous("/api/store/catalog?limit=1").at("/nextCursor");
        assertProblem(anonymous("/api/store/catalog?limit=1&sort=new&cursor=" + cursor), 400, "invalid_cursor");
    }

    void everyListHasPages()
    {
        for (const auto* name : {"a1", "b1", "c1"})
        {
            auto& entry = app(name, name);
            entry.categories = {std::string("kind-") + name, "all"};
            entry.collections = {std::string("group-") + name};
        }
        for (const auto* list : {"store/catalog", "store/categories", "store/collections", "commerce/apps", "commerce/bundles"})
            assertPages("/api/" + std::string(list), [&](const std::string& target) { return visitor(Method::Get, target); });
    }

    void revalidatesByTag()
    {
        const auto first = anonymous("/api/store/catalog");
        CPPUNIT_ASSERT(!first.etag.empty());
        CPPUNIT_ASSERT_EQUAL(first.etag, anonymous("/api/store/catalog").etag);
        registry.add("new-one");
        CPPUNIT_ASSERT(first.etag != anonymous("/api/store/catalog").etag);
    }

    void findsWordsPrefixesAndTypos()
    {
        app("invoices", "Invoice Builder").description = "Bills for customers";
        app("planner", "Shift planner").description = "Rosters";
        const auto best = [&](const std::string& query)
        {
            const auto found = anonymous("/api/store/search?q=" + query);
            return found.count("/items") == 0 ? std::string() : found.at("/items/0/service_id");
        };
        for (const auto* query : {"invoice", "inv", "INVOICE%20build", "invoce", "invioce", "bills", "builder"})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(query, std::string("invoices"), best(query));
        for (const auto* query : {"planner", "palnner", "plannner", "shft"})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(query, std::string("planner"), best(query));
        CPPUNIT_ASSERT_EQUAL(std::string(), best("zzzz"));
        CPPUNIT_ASSERT_EQUAL(std::string(), best("invoice%20rosters"));
        const auto found = anonymous("/api/store/search?q=inv");
        CPPUNIT_ASSERT_EQUAL(std::string("name"), found.at("/items/0/highlights/0/field"));
        CPPUNIT_ASSERT_EQUAL(std::string("Invoice"), found.at("/items/0/highlights/0/word"));
        CPPUNIT_ASSERT_EQUAL(std::string("inv"), found.at("/query"));
        // A whole word is better than a beginning, a name better than a description.
        app("bills", "Bills");
        CPPUNIT_ASSERT_EQUAL(std::string("bills"), best("bills"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, anonymous("/api/store/search?q=bills&limit=1").count("/items"));
    }

    void ignoresAccentsAndCase()
    {
        app("cafe", "Café Straße");
        CPPUNIT_ASSERT(ids(anonymous("/api/store/search?q=CAFE")) == std::set<std::string>{"cafe"});
        CPPUNIT_ASSERT(ids(anonymous("/api/store/search?q=strasse")) == std::set<std::string>{"cafe"});
    }

    void refusesShortQueries()
    {
        assertProblem(anonymous("/api/store/search?q=a"), 400, "query_too_short");
        assertProblem(anonymous("/api/store/search"), 400, "query_too_short");
        assertProblem(anonymous("/api/store/search?q=" + std::string(81, 'a')), 400, "validation_failed");
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, anonymous("/api/store/search?q=%25%25").count("/items"));
    }

    void groupsAppsByCategory()
    {
        app("one", "One").categories = {"sales", "finance"};
        auto& second = app("two", "Two");
        second.categories = {"finance"};
        second.contexts = {"organization"};
        registry.entries.find("one")->second.contexts = {"organization", "personal"};
        auto& third = app("three", "Three");
        third.categories = {"back-office"};
        third.contexts = {"organization"};
        const auto categories = anonymous("/api/store/categories");
        CPPUNIT_ASSERT_EQUAL(std::size_t{3}, categories.count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"id":"back-office","title":"Back office","count":1,"orgFirst":true})"),
                             categories.at("/items/0"));
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"id":"finance","title":"Finance","count":2,"orgFirst":false})"), categories.at("/items/1"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, anonymous("/api/store/collections").count("/items"));
    }

    void showsOneApp()
    {
        app("invoices", "Invoices",
            R"({"store":{"slug":"bills","longDescription":"Long","related":["crm","gone"],"changelog":[{"version":"1.0","date":"2026-11-01","text":"First"}]},
                "apiKeyScopes":[{"scope":"invoices.read","title":"Read invoices","permissions":[],"bindable":[]}],"somethingElse":[1]})");
        const auto shown = anonymous("/api/store/apps/bills");
        CPPUNIT_ASSERT_EQUAL(std::string("Long"), shown.at("/longDescription"));
        CPPUNIT_ASSERT_EQUAL(std::string("First"), shown.at("/changelog/0/text"));
        CPPUNIT_ASSERT_EQUAL(std::string("invoices.read"), shown.at("/permissions/0/scope"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, shown.count("/related"));
        CPPUNIT_ASSERT_EQUAL(std::string("crm"), shown.at("/related/0/service_id"));
        assertProblem(anonymous("/api/store/apps/invoices"), 404, "not_found");
        assertProblem(anonymous("/api/store/apps/launchpad"), 404, "not_found");
    }

    void limitsAnAddress()
    {
        for (int i = 0; i < 60; ++i) CPPUNIT_ASSERT_EQUAL(200, anonymous("/api/store/categories").status);
        assertProblem(anonymous("/api/store/catalog"), 429, "rate_limited");
        testing::TestRequest other{Method::Get, "/api/store/catalog"};
        other.clientAddress = "192.0.2.2";
        CPPUNIT_ASSERT_EQUAL(200, host->call(other).status);
    }

    void answersWithoutIdentityFromWhatItRead()
    {
        host->context().services().withdraw(interfaces::ServiceCatalog::interfaceName);
        assertProblem(anonymous("/api/store/catalog"), 503, "registry_unavailable");
        host->context().services().offer<interfaces::ServiceCatalog>(registry);
        const auto before = ids(anonymous("/api/store/catalog"));
        host->context().services().withdraw(interfaces::ServiceCatalog::interfaceName);
        CPPUNIT_ASSERT(before == ids(anonymous("/api/store/catalog")));
    }

    void readsPricesOfManifests()
    {
        app("paid", "Paid", R"({"commerce":{"pricing":"paid","bundleEligible":true,"countsTowardBundle":true,
            "minimumPrice":{"amount":900,"currency":"USD","interval":"month"},"trialDays":14}})");
        app("foreign", "Foreign", R"({"commerce":{"pricing":"paid","bundleEligible":true,"countsTowardBundle":true}})").publisher = {
            "organization", "org_x", "Somebody", false};
        const auto paid = anonymous("/api/commerce/apps?service_id=paid");
        CPPUNIT_ASSERT_EQUAL(std::string("900"), paid.at("/items/0/minimumPrice/amount"));
        CPPUNIT_ASSERT_EQUAL(std::string(R"(["three","five","ten","everything"])"), paid.at("/items/0/bundles"));
        CPPUNIT_ASSERT_EQUAL(std::string("false"), anonymous("/api/commerce/apps?service_id=foreign").at("/items/0/countsTowardBundle"));
        CPPUNIT_ASSERT_EQUAL(std::string("included"), anonymous("/api/commerce/apps?service_id=crm").at("/items/0/pricing"));
        CPPUNIT_ASSERT_EQUAL(std::string("false"), anonymous("/api/commerce/apps?service_id=crm").at("/items/0/bundleEligible"));
        const auto bundles = anonymous("/api/commerce/bundles");
        CPPUNIT_ASSERT_EQUAL(std::size_t{5}, bundles.count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::string("3"), bundles.at("/items/0/appCount"));
        CPPUNIT_ASSERT_EQUAL(std::string("true"), bundles.at("/items/4/salesContact"));
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"amount":4900,"currency":"USD","interval":"month"})"), bundles.at("/items/1/minimumPrice"));
        CPPUNIT_ASSERT_EQUAL(std::string("null"), bundles.at("/items/4/minimumPrice"));
    }

    void readsPricesOfPackages()
    {
        using launchpad::BillingInterval;
        using launchpad::Package;
        const launchpad::PriceList prices({"five/month/EUR=4500", "five/month/USD=4900", "ten/year/USD=1"});
        CPPUNIT_ASSERT(prices.minimum(Package::Five, BillingInterval::Month, "USD") == 4900);
        CPPUNIT_ASSERT_EQUAL(std::string("EUR"), prices.shown(Package::Five, BillingInterval::Month)->currency);
        CPPUNIT_ASSERT(!prices.minimum(Package::Five, BillingInterval::Year, "USD"));
        CPPUNIT_ASSERT(!prices.shown(Package::Three, BillingInterval::Month));
        CPPUNIT_ASSERT(prices.sellsIn("EUR") && !prices.sellsIn("eur"));
    }

    void rejectsPricesThatCannotBeRead()
    {
        for (const std::string item :
             {"five", "five/month", "five/month/USD", "five/month=USD/1", "six/month/USD=1", "enterprise/month/USD=1", "five/week/USD=1",
              "five/month/usd=1", "five/month/US=1", "five/month/USD=", "five/month/USD=0", "five/month/USD=-1", "five/month/USD=4.9",
              "five/month/USD=1x", "five/month/USD=100000000"})
        {
            CPPUNIT_ASSERT_THROW_MESSAGE(item, launchpad::PriceList({item}), std::invalid_argument);
        }
        CPPUNIT_ASSERT_THROW(launchpad::PriceList({"five/month/USD=1", "five/month/USD=2"}), std::invalid_argument);
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(StoreTest);

} // namespace portico::tests
