#include "social/IntegrationFixture.h"

#include <string>
#include <utility>

namespace portico::tests
{

using namespace social;

/// The way to a network and back, by which a person allows the access.
class ConnectFlowTest : public Suite<ConnectFlowTest, IntegrationFixture>
{
    TEST(leadsToTheNetworkAndBack)
    {
        const auto answer = begin();
        CHECK(answer.at("/authorizationUrl").starts_with("https://social.acme.io/oauth/authorize?state=" + answer.at("/state")));
        equal("2026-11-23T08:10:00.000Z", answer.at("/expiresAt"));
        CHECK(!answer.has("/integration"));
        equal(std::string::npos, answer.body.find("verifier"));
        equal(1, eventsOf("integration.connect_started"));
        equal("302 /accounts?connected=1", back(answer, "code=good"));
        const auto list = get(admin, "/api/integrations");
        equal("mastodon", list.at("/items/0/platform"));
        equal("https://social.acme.io", list.at("/items/0/instanceUrl"));
        equal(std::string::npos, list.body.find("token-1"));
        const auto event = get(admin, "/api/content-ops/events?kind=integration.connected");
        equal(admin.principalId, event.at("/items/0/actor/id"));
        equal(list.at("/items/0/integrationId"), event.at("/items/0/integrationId"));
    }

    TEST(acceptsAStateOnce)
    {
        const auto answer = begin();
        back(answer, "code=good");
        equal("400 invalid_state", back(answer, "code=good"));
        equal(1, get(admin, "/api/integrations").count("/items"));
    }

    TEST(refusesStatesOfOthers)
    {
        const auto answer = begin(), other = begin();
        const auto state = answer.at("/state");
        equal("400 invalid_state", call(state, "", "code=good"));
        equal("400 invalid_state", call(state, "forged", "code=good"));
        // The cookie of another flow is rejected.
        equal("400 invalid_state", call(state, other.cookie("social_connect"), "code=good"));
        for (const auto& forged : {std::string(), std::string("forged"), state + "x"})
            equal("400 invalid_state", call(forged, answer.cookie("social_connect"), "code=good"));
        equal("400 invalid_state", call(state, answer.cookie("social_connect"), "code=good", "bluesky"));
        equal("302 /accounts?connected=1", back(answer, "code=good"));
    }

    TEST(endsAfterTenMinutes)
    {
        const auto answer = begin();
        advance(std::chrono::minutes(10) + std::chrono::seconds(1));
        equal("400 invalid_state", back(answer, "code=good"));
    }

    TEST(reportsTheReasonOfAFailure)
    {
        equal("302 /accounts?error=access_denied", back(begin(), "error=access_denied"));
        equal("302 /accounts?error=failed", back(begin(), "error=%3Cscript%3E"));
        equal("302 /accounts?error=failed", back(begin(), "unknown=1"));
        equal("302 /accounts?error=invalid_grant", back(begin(), "code=bad"));
        equal(0, get(admin, "/api/integrations").count("/items"));
    }

    TEST(asksForThePermissionAgain)
    {
        const auto answer = begin();
        directory.written.clear();
        equal("302 /accounts?error=permission_denied", back(answer, "code=good"));
        equal(0, get(admin, "/api/integrations").count("/items"));
    }

    TEST(keepsTheReturnUrlWhole)
    {
        equal("302 /a?b=c&connected=1#top", back(begin("/a?b=c#top"), "code=good"));
        const auto own = host->context().host().origin + "/accounts";
        equal("302 " + own + "?connected=1", back(begin(own), "code=good"));
    }

    TEST(refusesABrandThatHasMoved)
    {
        const auto answer = begin();
        directory.add(stranger.organizationId, admin.principalId, {"social.brands:transfer"});
        made(
            post(admin, "/api/brands/" + brand + "/transfer-organization", jsonWith(R"({"organizationId":"$"})", stranger.organizationId)));
        equal("302 /accounts?error=not_found", back(answer, "code=good"));
    }

    testing::TestAnswer begin(const std::string& returnUrl = "/accounts") const
    {
        return made(connect("mastodon", jsonWith(R"(,"instanceUrl":"https://social.acme.io","returnUrl":"$")", returnUrl)));
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

} // namespace portico::tests
