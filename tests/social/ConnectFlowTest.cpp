#include "social/IntegrationFixture.h"

#include <string>
#include <utility>

namespace portico::tests
{

using namespace social;

/// The way to a network and back, by which a person allows the access.
class ConnectFlowTest : public IntegrationFixture
{
    CPPUNIT_TEST_SUITE(ConnectFlowTest);
    CPPUNIT_TEST(leadsToTheNetworkAndBack);
    CPPUNIT_TEST(acceptsAStateOnce);
    CPPUNIT_TEST(refusesStatesOfOthers);
    CPPUNIT_TEST(endsAfterTenMinutes);
    CPPUNIT_TEST(tellsWhyItFailed);
    CPPUNIT_TEST(asksForThePermissionAgain);
    CPPUNIT_TEST(keepsTheReturnUrlWhole);
    CPPUNIT_TEST(refusesABrandThatHasMoved);
    CPPUNIT_TEST_SUITE_END();

public:
    void leadsToTheNetworkAndBack()
    {
        const auto answer = begin();
        CPPUNIT_ASSERT(answer.at("/authorizationUrl").starts_with("https://social.acme.io/oauth/authorize?state=" + answer.at("/state")));
        CPPUNIT_ASSERT_EQUAL(std::string("2026-11-23T08:10:00.000Z"), answer.at("/expiresAt"));
        CPPUNIT_ASSERT(!answer.has("/integration"));
        CPPUNIT_ASSERT_EQUAL(std::string::npos, answer.body.find("verifier"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, eventsOf("integration.connect_started"));
        CPPUNIT_ASSERT_EQUAL(std::string("302 /accounts?connected=1"), back(answer, "code=good"));
        const auto list = get(admin, "/api/integrations");
        CPPUNIT_ASSERT_EQUAL(std::string("mastodon"), list.at("/items/0/platform"));
        CPPUNIT_ASSERT_EQUAL(std::string("https://social.acme.io"), list.at("/items/0/instanceUrl"));
        CPPUNIT_ASSERT_EQUAL(std::string::npos, list.body.find("token-1"));
        const auto event = get(admin, "/api/content-ops/events?kind=integration.connected");
        CPPUNIT_ASSERT_EQUAL(admin.principalId, event.at("/items/0/actor/id"));
        CPPUNIT_ASSERT_EQUAL(list.at("/items/0/integrationId"), event.at("/items/0/integrationId"));
    }

    void acceptsAStateOnce()
    {
        const auto answer = begin();
        back(answer, "code=good");
        CPPUNIT_ASSERT_EQUAL(std::string("400 invalid_state"), back(answer, "code=good"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, get(admin, "/api/integrations").count("/items"));
    }

    void refusesStatesOfOthers()
    {
        const auto answer = begin(), other = begin();
        const auto state = answer.at("/state");
        CPPUNIT_ASSERT_EQUAL(std::string("400 invalid_state"), call(state, "", "code=good"));
        CPPUNIT_ASSERT_EQUAL(std::string("400 invalid_state"), call(state, "forged", "code=good"));
        // Each answer began in a browser of its own.
        CPPUNIT_ASSERT_EQUAL(std::string("400 invalid_state"), call(state, other.cookie("social_connect"), "code=good"));
        for (const auto& forged : {std::string(), std::string("forged"), state + "x"})
            CPPUNIT_ASSERT_EQUAL(std::string("400 invalid_state"), call(forged, answer.cookie("social_connect"), "code=good"));
        CPPUNIT_ASSERT_EQUAL(std::string("400 invalid_state"), call(state, answer.cookie("social_connect"), "code=good", "bluesky"));
        CPPUNIT_ASSERT_EQUAL(std::string("302 /accounts?connected=1"), back(answer, "code=good"));
    }

    void endsAfterTenMinutes()
    {
        const auto answer = begin();
        advance(std::chrono::minutes(10) + std::chrono::seconds(1));
        CPPUNIT_ASSERT_EQUAL(std::string("400 invalid_state"), back(answer, "code=good"));
    }

    void tellsWhyItFailed()
    {
        CPPUNIT_ASSERT_EQUAL(std::string("302 /accounts?error=access_denied"), back(begin(), "error=access_denied"));
        CPPUNIT_ASSERT_EQUAL(std::string("302 /accounts?error=failed"), back(begin(), "error=%3Cscript%3E"));
        CPPUNIT_ASSERT_EQUAL(std::string("302 /accounts?error=failed"), back(begin(), "unknown=1"));
        CPPUNIT_ASSERT_EQUAL(std::string("302 /accounts?error=invalid_grant"), back(begin(), "code=bad"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, get(admin, "/api/integrations").count("/items"));
    }

    void asksForThePermissionAgain()
    {
        const auto answer = begin();
        directory.written.clear();
        CPPUNIT_ASSERT_EQUAL(std::string("302 /accounts?error=permission_denied"), back(answer, "code=good"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, get(admin, "/api/integrations").count("/items"));
    }

    void keepsTheReturnUrlWhole()
    {
        CPPUNIT_ASSERT_EQUAL(std::string("302 /a?b=c&connected=1#top"), back(begin("/a?b=c#top"), "code=good"));
        const auto own = host->context().host().origin + "/accounts";
        CPPUNIT_ASSERT_EQUAL("302 " + own + "?connected=1", back(begin(own), "code=good"));
    }

    void refusesABrandThatHasMoved()
    {
        const auto answer = begin();
        directory.add(stranger.organizationId, admin.principalId, {"social.brands:transfer"});
        made(post(admin, "/api/brands/" + brand + "/transfer-organization", R"({"organizationId":")" + stranger.organizationId + "\"}"));
        CPPUNIT_ASSERT_EQUAL(std::string("302 /accounts?error=not_found"), back(answer, "code=good"));
    }

private:
    testing::TestAnswer begin(const std::string& returnUrl = "/accounts") const
    {
        return made(connect("mastodon", R"(,"instanceUrl":"https://social.acme.io","returnUrl":")" + returnUrl + "\""));
    }
    std::string call(const std::string& state, const std::string& cookie, const std::string& query,
                     const std::string& platform = "mastodon") const
    {
        testing::TestRequest request{
            Method::Get, "/api/integrations/" + platform + "/callback?" + query + "&state=" + state, {}, {}, Caller::nobody()};
        if (!cookie.empty()) request.headers.emplace_back("Cookie", "social_connect=" + cookie);
        const auto answer = host->call(request);
        if (answer.status == 400) return "400 " + answer.at("/errors/0/code");
        const auto& headers = answer.headerBlock();
        const auto at = headers.find("Location: ");
        if (at == std::string::npos) return std::to_string(answer.status) + answer.body;
        return std::to_string(answer.status) + " " + headers.substr(at + 10, headers.find('\r', at) - at - 10);
    }
    std::string back(const testing::TestAnswer& begun, const std::string& query) const
    {
        return call(begun.at("/state"), begun.cookie("social_connect"), query);
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(ConnectFlowTest);

} // namespace portico::tests
