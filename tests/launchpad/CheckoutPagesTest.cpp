#include "launchpad/BillingFixture.h"

#include "plans/Money.h"

#include <string>
#include <string_view>
#include <vector>

namespace portico::tests
{

/// Pages that sell: the form of a package, the return from the payment, the claim, and the operators' list.
class CheckoutPagesTest : public Suite<CheckoutPagesTest, BillingFixture>
{
    static constexpr std::string_view threeApps = "apps=crm&apps=calendar&apps=social";

    testing::TestAnswer look(std::string_view path, const std::string& cookies = {}) const
    {
        return visitor(Method::Get, path, {}, "192.0.2.1", {{"Cookie", cookies}});
    }
    testing::TestAnswer buy(const std::string& fields, const std::string& cookies = {}) const
    {
        return sendForm("/checkout", "package=three&seats=2&offer=month%2FUSD&" + fields, cookies, "/checkout?package=three");
    }
    /// The cookie with the checkouts of a browser, after an answer.
    std::string checkoutsAfter(const testing::TestAnswer& answer) const
    {
        return cookieName("checkouts") + '=' + answer.cookie(cookieName("checkouts"));
    }
    std::string newestCheckout() const
    {
        auto session = host->context().database().session();
        return session.value<std::string>("SELECT id FROM checkout ORDER BY id DESC LIMIT 1").value();
    }
    static void assertShows(const testing::TestAnswer& page, const std::string& text)
    {
        CPPUNIT_ASSERT_MESSAGE(text + " in " + page.body, page.body.find(text) != std::string::npos);
    }
    static void assertLeadsTo(const testing::TestAnswer& answer, const std::string& path)
    {
        equal(303, answer.status, answer.body);
        equal(path, locationOf(answer));
    }

    TEST(readsAndShowsAmounts)
    {
        using launchpad::parseAmount, launchpad::shownAmount;
        equal("$49.05", shownAmount(4905, "USD", "en"));
        equal("$1,490", shownAmount(149'000, "USD", "en-GB"));
        equal("$1,234,567.50", shownAmount(123'456'750, "USD", "en"));
        equal("1.490,50\xc2\xa0\xe2\x82\xac", shownAmount(149'050, "EUR", "de"));
        equal("CHF\xc2\xa0"
              "999",
              shownAmount(99'900, "CHF", "en"));
        equal("\xc2\xa5"
              "4,900",
              shownAmount(4900, "JPY", "en"));
        for (const auto* text : {"49", "49.0", "49.00", "49,00"}) equal(4900, parseAmount(text, "USD").value(), text);
        equal(4950, parseAmount("49,5", "USD").value());
        equal(4900, parseAmount("4900", "JPY").value());
        for (const auto* text : {"", ".", "49.", ".5", "49.005", "-1", "+1", "1e3", "49 ", "1.000,00", "9999999999", "49.-1"})
            CPPUNIT_ASSERT_MESSAGE(text, !parseAmount(text, "USD"));
        CHECK(!parseAmount("49.5", "JPY"));
    }

    TEST(showsPackagesOnSale)
    {
        const auto prices = look("/pricing");
        assertShows(prices, "href=\"/checkout?package=five\"");
        assertShows(prices, "href=\"/checkout?package=everything\"");
        CPPUNIT_ASSERT_MESSAGE("eight apps are too few for ten", prices.body.find("package=ten") == std::string::npos);
        const auto page = look("/checkout?package=five");
        assertShows(page, "Choose 5 apps");
        assertShows(page, "$49 per seat per month");
        CPPUNIT_ASSERT_MESSAGE("an app of another publisher", page.body.find("value=\"foreign\"") == std::string::npos);
        CHECK(page.body.find("<script") == std::string::npos);
        CHECK(look("/checkout?package=everything").body.find("type=\"checkbox\"") == std::string::npos);
        assertShows(look("/checkout?package=three&canceled=1"), "Nothing was charged.");
        assertLeadsTo(look("/checkout?package=enterprise"), "/sales");
        for (const auto* path : {"/checkout", "/checkout?package=ten", "/checkout?package=mystery"}) assertLeadsTo(look(path), "/pricing");
        tearDown();
        begin("none");
        CHECK(look("/pricing").body.find("/checkout") == std::string::npos);
        assertLeadsTo(look("/checkout?package=five"), "/pricing");
    }

    TEST(sellsToAVisitorByForms)
    {
        const auto bought = buy(std::string(threeApps) + "&amount=35,50&email=ada%40visitor.example");
        const auto id = newestCheckout();
        assertLeadsTo(bought, host->context().host().origin + "/checkout/return?checkout=" + id);
        const auto browser = checkoutsAfter(bought);
        CHECK(browser.find(id + '.') != std::string::npos);
        assertShows(look("/checkout/return", browser), "We will confirm your payment as soon as it arrives.");
        made(markPaid(id));
        const auto paid = look("/checkout/return", browser);
        assertShows(paid, "Your payment was received.");
        assertShows(paid, "href=\"/claim\"");
        assertShows(look("/checkout/return"), "No checkout was started in this browser.");

        assertLeadsTo(look("/checkout/claim", browser), "/claim");
        equal(401, look("/checkout/claim?signedIn=1", browser).status, "no circle after a sign-in");
        const auto cookies = signInCookie(owner) + "; " + browser;
        assertShows(look("/checkout/claim", cookies), "value=\"organization/" + organization + "\" required checked");
        const auto claimed = sendForm("/checkout/claim", "owner=organization%2F" + organization, cookies);
        assertLeadsTo(claimed, "/dashboard");
        CPPUNIT_ASSERT_MESSAGE("the token is forgotten", claimed.cookie(cookieName("checkouts")).empty());
        const auto plan = made(get(owner, "/api/billing/subscriptions"));
        equal("active", plan.at("/paid/0/status"));
        equal("3550", plan.at("/paid/0/unitPrice/amount"));
        equal("2", plan.at("/paid/0/seats/purchased"));
        assertShows(look("/checkout/claim", signInCookie(owner)), "There is no subscription to claim in this browser.");
    }

    TEST(leadsToTheProcessorAndBack)
    {
        tearDown();
        begin("stripe");
        assertShows(look("/checkout?package=three"), "Test mode: nothing is charged.");
        const auto bought = buy(std::string(threeApps));
        equal(200, bought.status, bought.body);
        assertShows(bought, "href=\"https://pay.example/cs_1\"");
        CHECK(bought.headerBlock().find("Refresh: 0; url=https://pay.example/cs_1\r") != std::string::npos);
        const auto form = fake->writes.back().second;
        equal(host->context().host().origin + "/checkout/return", form.at("success_url"));
        equal(host->context().host().origin + "/checkout?package=three&canceled=1", form.at("cancel_url"));
        const auto browser = checkoutsAfter(bought);
        const auto waiting = look("/checkout/return", browser);
        assertShows(waiting, "We are waiting for your payment to be confirmed");
        CHECK(waiting.headerBlock().find("Refresh: 2; url=/checkout/return?look=1\r") != std::string::npos);
        const auto late = look("/checkout/return?look=15", browser);
        assertShows(late, "is taking longer than usual");
        CHECK(late.headerBlock().find("Refresh:") == std::string::npos);
        auto session = fake->sessions.at("cs_1");
        made(deliver(event("evt_1", "checkout.session.expired", now(), session)));
        host->context().jobs().runDue();
        assertShows(look("/checkout/return", browser), "has expired or was canceled. Nothing was charged.");
    }

    TEST(explainsWrongChoices)
    {
        const auto shows = [&](const std::string& fields, int status, const std::string& text)
        {
            const auto page = buy(fields);
            equal(status, page.status, page.body);
            assertShows(page, text);
            // The choice stays.
            if (fields.find("apps=crm") != std::string::npos) assertShows(page, "value=\"crm\" checked");
        };
        shows("apps=crm", 400, "Choose exactly as many apps as the package includes.");
        shows("apps=crm&apps=calendar&apps=foreign", 400, "One of the apps is no longer available in packages.");
        shows(std::string(threeApps) + "&amount=28.99", 400, "The amount is below the minimum price per seat.");
        shows(std::string(threeApps) + "&amount=much", 400, "Enter an amount such as 49 or 49.50.");
        shows(std::string(threeApps) + "&email=nobody", 400, "Enter a complete email address.");
        const auto wrong = [&](const std::string& fields) { return sendForm("/checkout", fields, {}, "/checkout?package=three"); };
        assertShows(wrong("package=three&offer=month%2FEUR&seats=1&" + std::string(threeApps)), "Choose one of the options.");
        assertShows(wrong("package=three&offer=month%2FUSD&seats=0&" + std::string(threeApps)), "Enter a number from 1 to 10,000.");
        equal(400, wrong("package=enterprise&offer=month%2FUSD&seats=1").status);
        equal(403,
              visitor(Method::Post, "/checkout", "package=three&form_token=x", "192.0.2.1",
                      {{"Content-Type", "application/x-www-form-urlencoded"}})
                  .status,
              "a form of another site");
        equal(0, count("SELECT count(*) FROM checkout"));
    }

    TEST(showsAProcessorThatDoesNotRespond)
    {
        tearDown();
        begin("stripe");
        fake->mood = FakeProcessor::Mood::Away;
        const auto page = buy(std::string(threeApps));
        equal(502, page.status);
        assertShows(page, "The payment service is not responding.");
        assertShows(page, "value=\"crm\" checked");
    }

    TEST(buysForTheActiveOwner)
    {
        owner.organizationName = "Engines";
        const auto cookies = signInCookie(owner);
        assertShows(look("/checkout?package=three", cookies), "You are buying for Engines.");
        const auto bought = buy(std::string(threeApps) + "&owner=organization%2F" + organization, cookies);
        equal(303, bought.status, bought.body);
        equal(1, count("SELECT count(*) FROM checkout WHERE owner_id = '" + organization + "'"));
        const auto browser = checkoutsAfter(bought);
        made(markPaid(newestCheckout()));
        assertLeadsTo(look("/checkout/return", cookies + "; " + browser), "/settings/billing");
        assertShows(look("/checkout?package=five", cookies), "This workspace already has a plan.");

        // Another person with the same browser learns nothing.
        assertShows(look("/checkout/return", browser), "We are waiting");
        const auto without = signInCookie(admin);
        assertShows(look("/checkout?package=three", without), "Only members who manage billing can buy a plan.");
        CHECK(look("/checkout?package=three", without).body.find("<form") == std::string::npos);
        auto acting = owner;
        acting.impersonatorId = admin.principalId;
        CPPUNIT_ASSERT_MESSAGE("an operator who acts as a person is a visitor",
                               look("/checkout?package=three", signInCookie(acting)).body.find("You are buying for") == std::string::npos);
    }

    TEST(buysOnlyForTheOwnerThatThePageNamed)
    {
        owner.organizationName = "Engines";
        const auto cookies = signInCookie(owner);
        const auto own = "&owner=organization%2F" + organization;
        for (const auto& named : {"&owner=user%2F" + owner.principalId, std::string("&owner="), std::string()})
        {
            const auto page = buy(std::string(threeApps) + named, cookies);
            equal(409, page.status, named);
            assertShows(page, "You have switched the workspace, signed in or signed out");
            assertShows(page, "You are buying for Engines.");
            assertShows(page, "name=\"owner\" value=\"organization/" + organization + '"');
            assertShows(page, "value=\"crm\" checked");
        }
        equal(409, buy(std::string(threeApps) + own).status, "signed out");
        equal(0, count("SELECT count(*) FROM checkout"));
        equal(303, buy(std::string(threeApps) + own, cookies).status);
    }

    TEST(claimsNothingOfOthers)
    {
        const auto browser = checkoutsAfter(buy(std::string(threeApps)));
        const auto id = newestCheckout();
        made(markPaid(id));
        for (const auto& stolen : std::vector<std::string>{id + ".", id + ".wrong", id, "~~.~", "chk_01jd0000000000000000000000.x"})
            assertShows(look("/checkout/claim", signInCookie(stranger) + "; " + cookieName("checkouts") + '=' + stolen),
                        "There is no subscription to claim in this browser.");
        const auto cookies = signInCookie(admin) + "; " + browser;
        for (const auto& [fields, status] :
             std::vector<std::pair<std::string, int>>{{"owner=organization%2F" + organization, 403},
                                                      {"owner=organization%2F" + stranger.organizationId, 403},
                                                      {"owner=user%2F" + owner.principalId, 403},
                                                      {"owner=mystery", 400},
                                                      {"", 400}})
            equal(status, sendForm("/checkout/claim", fields, cookies).status, fields);
        equal(0, count("SELECT count(*) FROM checkout WHERE owner_id <> ''"));
        assertLeadsTo(sendForm("/checkout/claim", "owner=user%2F" + admin.principalId, cookies), "/dashboard");
    }

    TEST(keepsSeveralCheckoutsOfABrowser)
    {
        const auto first = buy(std::string(threeApps));
        const auto paid = newestCheckout();
        const auto browser = checkoutsAfter(buy(std::string(threeApps), checkoutsAfter(first)));
        CHECK(paid != newestCheckout());
        made(markPaid(paid));
        assertShows(look("/checkout/return", browser), "Your payment was received.");
        const auto claimed = sendForm("/checkout/claim", "owner=organization%2F" + organization, signInCookie(owner) + "; " + browser);
        assertLeadsTo(claimed, "/dashboard");
        equal(1, count("SELECT count(*) FROM checkout WHERE owner_id <> '' AND id = '" + paid + "'"));
        CPPUNIT_ASSERT_MESSAGE("the other one stays", checkoutsAfter(claimed).find(newestCheckout()) != std::string::npos);
    }

    TEST(limitsCheckoutsPerAddress)
    {
        for (int i = 0; i < 20; ++i) equal(303, buy(std::string(threeApps)).status);
        const auto refused = buy(std::string(threeApps));
        equal(429, refused.status);
        assertShows(refused, "Too many requests from your network.");
    }

    TEST(marksCheckoutsByTheAdminPage)
    {
        const auto browser = checkoutsAfter(buy(std::string(threeApps) + "&email=ada%40visitor.example"));
        const auto id = newestCheckout();
        const auto person = signInCookie(operatorCaller);
        const auto session = cookieName("marketing_admin");
        const auto cookies = person + "; " + session + '=' + look("/admin/marketing", person).cookie(session);
        const auto list = look("/admin/marketing", cookies);
        for (const auto* text : {"ada@visitor.example", "$29 / month", "3 apps", "Not claimed", "Mark as paid", ">Open"})
            assertShows(list, text);
        assertLeadsTo(sendForm("/admin/marketing", "id=" + id + "&status=paid", cookies), "/admin/marketing");
        assertShows(look("/checkout/return", browser), "Your payment was received.");
        CHECK(look("/admin/marketing", cookies).body.find("Mark as paid") == std::string::npos);
        equal(303, buy(std::string(threeApps)).status);
        equal(409, sendForm("/admin/marketing", "id=" + id + "&status=canceled", cookies).status);
        equal(404, sendForm("/admin/marketing", "id=chk_01jd0000000000000000000000&status=paid", cookies).status);
        const auto file = look("/api/admin/checkouts.csv", cookies);
        equal("text/csv; charset=utf-8", file.contentType, file.body);
        assertShows(file,
                    '"' + id + R"(","ada@visitor.example","three","crm calendar social","2","2900","USD","month","","","manual","paid",)");
        equal(401, look("/api/admin/checkouts.csv").status);
    }

    TEST(namesTheSubscriptionThatOpensAnApp)
    {
        const auto subscription = subscribe();
        for (const auto* app : {"crm", "social"})
        {
            const auto entry = made(get(owner, std::string("/api/catalog/") + app));
            equal(subscription, entry.at("/commerce/entitledBy/subscriptionId"), app);
            equal("three", entry.at("/commerce/entitledBy/bundle"));
        }
        for (const auto* app : {"mail", "foreign"})
            CPPUNIT_ASSERT_MESSAGE(app, made(get(owner, std::string("/api/catalog/") + app)).body.find("entitledBy") == std::string::npos);
    }
};

} // namespace portico::tests
