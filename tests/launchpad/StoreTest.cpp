#include "launchpad/LaunchpadFixture.h"

#include <set>
#include <stdexcept>
#include <string>

namespace portico::tests
{

/// The public store: lists, search, one app, prices.
class StoreTest : public Suite<StoreTest, LaunchpadFixture>
{
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

    TEST(listsWhatTheRegistryOffers)
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
        equal(200, all.status, all.body);
        CHECK(ids(all) == (std::set<std::string>{"admin", "calendar", "crm", "later", "social"}));
        for (const auto* hidden : {"/items/0/user", "/items/0/install", "/items/0/commerce/entitled"}) CHECK(!all.has(hidden));
        equal("https://launchpad.example/launch/admin", all.at("/items/0/launch/universalLink"));
        equal("true", all.at("/items/0/publisher/verified"));
    }

    TEST(filtersAndSorts)
    {
        app("zeta", "Äther", R"({"commerce":{"pricing":"paid"}})").categories = {"sales"};
        app("beta", "Beta").collections = {"essentials"};
        registry.entries.find("beta")->second.createdAt = *parseInstant("2026-11-01T00:00:00Z");
        CHECK(ids(anonymous("/api/store/catalog?category=sales")) == std::set<std::string>{"zeta"});
        CHECK(ids(anonymous("/api/store/catalog?collection=essentials")) == std::set<std::string>{"beta"});
        for (const auto* none : {"store/catalog?category=", "store/catalog?collection=", "store/catalog?surface_group=",
                                 "store/search?q=beta&category=", "commerce/apps?service_id="})
            equal(0, made(anonymous(std::string("/api/") + none)).count("/items"), none);
        CHECK(ids(anonymous("/api/store/catalog?pricing=paid")) == std::set<std::string>{"zeta"});
        CHECK(ids(anonymous("/api/store/catalog?surface_group=community")) == (std::set<std::string>{"beta", "zeta"}));
        equal("beta", anonymous("/api/store/catalog?sort=new").at("/items/0/service_id"));
        equal("zeta", anonymous("/api/store/catalog?surface_group=community").at("/items/0/service_id"));
        made(post(member, "/api/launch", R"({"service_id":"social"})"));
        equal("social", anonymous("/api/store/catalog?sort=popular").at("/items/0/service_id"));
        refused(anonymous("/api/store/catalog?price=paid"), 400, "unknown_parameter");
        refused(anonymous("/api/store/catalog?sort=size"), 400, "validation_failed");
    }

    TEST(pagesWithoutRepeats)
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
            equal(200, page.status, page.body);
        }
        equal("a1 b1 c1 d1 d2 e1 ", order);
        const auto cursor = anonymous("/api/store/catalog?limit=1").at("/nextCursor");
        refused(anonymous("/api/store/catalog?limit=1&sort=new&cursor=" + cursor), 400, "invalid_cursor");
        refused(anonymous("/api/store/catalog?limit=1&cursor="), 400, "invalid_cursor");
    }

    TEST(everyListHasPages)
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

    TEST(revalidatesByTag)
    {
        const auto first = anonymous("/api/store/catalog");
        CHECK(!first.etag.empty());
        equal(first.etag, anonymous("/api/store/catalog").etag);
        registry.add("new-one");
        CHECK(first.etag != anonymous("/api/store/catalog").etag);
    }

    TEST(findsWordsPrefixesAndTypos)
    {
        app("invoices", "Invoice Builder").description = "Bills for customers";
        app("planner", "Shift planner").description = "Rosters";
        const auto best = [&](const std::string& query)
        {
            const auto found = anonymous("/api/store/search?q=" + query);
            return found.count("/items") == 0 ? std::string() : found.at("/items/0/service_id");
        };
        for (const auto* query : {"invoice", "inv", "INVOICE%20build", "invoce", "invioce", "bills", "builder"})
            equal("invoices", best(query), query);
        for (const auto* query : {"planner", "palnner", "plannner", "shft"}) equal("planner", best(query), query);
        equal("", best("zzzz"));
        equal("", best("invoice%20rosters"));
        const auto found = anonymous("/api/store/search?q=inv");
        equal("name", found.at("/items/0/highlights/0/field"));
        equal("Invoice", found.at("/items/0/highlights/0/word"));
        equal("inv", found.at("/query"));
        // A whole word is better than a beginning, a name better than a description.
        app("bills", "Bills");
        equal("bills", best("bills"));
        equal(1, anonymous("/api/store/search?q=bills&limit=1").count("/items"));
    }

    TEST(ignoresAccentsAndCase)
    {
        app("cafe", "Café Straße");
        CHECK(ids(anonymous("/api/store/search?q=CAFE")) == std::set<std::string>{"cafe"});
        CHECK(ids(anonymous("/api/store/search?q=strasse")) == std::set<std::string>{"cafe"});
    }

    TEST(refusesShortQueries)
    {
        refused(anonymous("/api/store/search?q=a"), 400, "query_too_short");
        refused(anonymous("/api/store/search"), 400, "query_too_short");
        refused(anonymous("/api/store/search?q=" + std::string(81, 'a')), 400, "validation_failed");
        equal(0, anonymous("/api/store/search?q=%25%25").count("/items"));
    }

    TEST(groupsAppsByCategory)
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
        equal(3, categories.count("/items"));
        equal(R"({"id":"back-office","title":"Back office","count":1,"orgFirst":true})", categories.at("/items/0"));
        equal(R"({"id":"finance","title":"Finance","count":2,"orgFirst":false})", categories.at("/items/1"));
        equal(0, anonymous("/api/store/collections").count("/items"));
    }

    TEST(showsOneApp)
    {
        app("invoices", "Invoices",
            R"({"store":{"slug":"bills","longDescription":"Long","related":["crm","gone"],"changelog":[{"version":"1.0","date":"2026-11-01","text":"First"}]},
                "apiKeyScopes":[{"scope":"invoices.read","title":"Read invoices","permissions":[],"bindable":[]}],"somethingElse":[1]})");
        const auto shown = anonymous("/api/store/apps/bills");
        equal("Long", shown.at("/longDescription"));
        equal("First", shown.at("/changelog/0/text"));
        equal("invoices.read", shown.at("/permissions/0/scope"));
        equal(1, shown.count("/related"));
        equal("crm", shown.at("/related/0/service_id"));
        refused(anonymous("/api/store/apps/invoices"), 404, "not_found");
        refused(anonymous("/api/store/apps/launchpad"), 404, "not_found");
    }

    TEST(limitsAnAddress)
    {
        for (int i = 0; i < 60; ++i) equal(200, anonymous("/api/store/categories").status);
        refused(anonymous("/api/store/catalog"), 429, "rate_limited");
        testing::TestRequest other{Method::Get, "/api/store/catalog"};
        other.clientAddress = "192.0.2.2";
        equal(200, host->call(other).status);
    }

    TEST(answersWithoutIdentityFromWhatItRead)
    {
        host->context().services().withdraw(interfaces::ServiceCatalog::interfaceName);
        refused(anonymous("/api/store/catalog"), 503, "registry_unavailable");
        host->context().services().offer<interfaces::ServiceCatalog>(registry);
        const auto before = ids(anonymous("/api/store/catalog"));
        host->context().services().withdraw(interfaces::ServiceCatalog::interfaceName);
        CHECK(before == ids(anonymous("/api/store/catalog")));
    }

    TEST(readsPricesOfManifests)
    {
        app("paid", "Paid", R"({"commerce":{"pricing":"paid","bundleEligible":true,"countsTowardBundle":true,
            "minimumPrice":{"amount":900,"currency":"USD","interval":"month"},"trialDays":14}})");
        app("foreign", "Foreign", R"({"commerce":{"pricing":"paid","bundleEligible":true,"countsTowardBundle":true}})").publisher = {
            "organization", "org_x", "Somebody", false};
        const auto paid = anonymous("/api/commerce/apps?service_id=paid");
        equal("900", paid.at("/items/0/minimumPrice/amount"));
        equal(R"(["three","five","ten","everything"])", paid.at("/items/0/bundles"));
        equal("false", anonymous("/api/commerce/apps?service_id=foreign").at("/items/0/countsTowardBundle"));
        equal("included", anonymous("/api/commerce/apps?service_id=crm").at("/items/0/pricing"));
        equal("false", anonymous("/api/commerce/apps?service_id=crm").at("/items/0/bundleEligible"));
        const auto bundles = anonymous("/api/commerce/bundles");
        equal(5, bundles.count("/items"));
        equal("3", bundles.at("/items/0/appCount"));
        equal("true", bundles.at("/items/4/salesContact"));
        equal(R"({"amount":4900,"currency":"USD","interval":"month"})", bundles.at("/items/1/minimumPrice"));
        equal("null", bundles.at("/items/4/minimumPrice"));
    }

    TEST(readsPricesOfPackages)
    {
        using launchpad::BillingInterval;
        using launchpad::Package;
        const launchpad::PriceList prices({"five/month/EUR=4500", "five/month/USD=4900", "ten/year/USD=1"});
        CHECK(prices.minimum(Package::Five, BillingInterval::Month, "USD") == 4900);
        equal("EUR", prices.shown(Package::Five, BillingInterval::Month)->currency);
        CHECK(!prices.minimum(Package::Five, BillingInterval::Year, "USD"));
        CHECK(!prices.shown(Package::Three, BillingInterval::Month));
        CHECK(prices.sellsIn("EUR") && !prices.sellsIn("eur"));
    }

    TEST(rejectsPricesThatCannotBeRead)
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

} // namespace portico::tests
