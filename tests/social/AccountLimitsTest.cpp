#include "social/IntegrationFixture.h"

namespace portico::tests
{

/// A post is checked against the limits of its account's own server.
class AccountLimitsTest : public Suite<AccountLimitsTest, IntegrationFixture>
{
    TEST(takesTheLimitsOfTheServer)
    {
        bluesky.connect = [](const social::ConnectRequest& request)
        {
            social::ConnectStart start;
            start.account = profileOf(request.identifier, "session");
            start.account->credentials.maxText = request.identifier == "wide" ? 1000 : 0;
            return start;
        };
        const auto run = [this](const std::string& account)
        {
            return post(admin, "/api/posts?dryRun=true",
                        jsonWith(R"({"text":"$","targets":[{"integrationId":"$"}]})", std::string(600, 'x'), account));
        };
        const auto usual = run(connected("usual")), wide = run(connected("wide"));
        equal("text_too_long 500", usual.at("/targets/0/errors/0/code") + ' ' + usual.at("/targets/0/limit"));
        equal("true 1000", wide.at("/valid") + ' ' + wide.at("/targets/0/limit"));
    }
};

} // namespace portico::tests
