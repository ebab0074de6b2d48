#pragma once

#include "social/FakeNetwork.h"
#include "social/SocialFixture.h"

#include "networks/Networks.h"
#include "networks/webhook/WebhookNetwork.h"

#include "portico/Crypto.h"
#include "portico/testing/TemporaryDirectory.h"

#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace portico::tests
{

/// The service with sealing keys, the real webhook connector, and fakes in the place of Mastodon (code flow) and Bluesky (password).
class IntegrationFixture : public SocialFixture
{
public:
    void setUp() override
    {
        keyLine = Sealer::makeKey("first");
        std::ofstream(keyFile()) << keyLine << '\n';
        settings.config = {{"social.sealingKeys", keyFile()}};
        mastodon = {};
        mastodon.connect = [](const social::ConnectRequest& request)
        {
            social::ConnectStart start;
            start.authorizationUrl = request.instanceUrl + "/oauth/authorize?state=" + request.state;
            start.keep = "verifier of " + request.instanceUrl;
            return start;
        };
        mastodon.finish = [this](std::string_view, std::string_view code)
        {
            if (code != "good") throw social::ConnectFault(social::ConnectFault::Kind::Refused, "", "invalid_grant", "The code is wrong.");
            return profileOf("ada", "token-1");
        };
        mastodon.check = [](const social::NetworkAccount& account) { return profileOf(account.handle, account.credentials.accessToken); };
        bluesky = {};
        bluesky.kind = social::ConnectKind::AppPassword;
        bluesky.connect = [](const social::ConnectRequest& request)
        {
            if (request.appPassword != "right")
                throw social::ConnectFault(social::ConnectFault::Kind::Refused, "appPassword", "invalid_credentials",
                                           "The password is wrong.");
            social::ConnectStart start;
            start.account = profileOf(request.identifier, "session");
            return start;
        };
        bluesky.check = mastodon.check;
        SocialFixture::setUp();
        brand = newBrand(admin);
        directory.add(admin.organizationId, admin.principalId, {"social.accounts:write"});
    }

protected:
    std::unique_ptr<social::SocialPlugin> makePlugin(PluginContext& context) override
    {
        return std::make_unique<social::SocialPlugin>(context, networks(context));
    }
    social::Networks networks(PluginContext& context)
    {
        std::vector<std::unique_ptr<social::Network>> made;
        made.push_back(std::make_unique<FakeNetwork>(social::Platform::Mastodon, mastodon));
        made.push_back(std::make_unique<FakeNetwork>(social::Platform::Bluesky, bluesky));
        made.push_back(std::make_unique<social::WebhookNetwork>(context.http(), context.clock()));
        for (auto& network : social::makeApprovedNetworks(context)) made.push_back(std::move(network));
        return social::Networks(std::move(made));
    }
    std::string keyFile() const { return (folder.path() / "keys").string(); }

    static social::AccountProfile profileOf(const std::string& handle, const std::string& token)
    {
        social::AccountProfile profile;
        profile.externalId = "id-of-" + handle;
        profile.displayName = "Ada";
        profile.handle = handle;
        profile.serverUrl = "https://social.acme.io";
        profile.scopes = {"write"};
        profile.credentials.accessToken = token;
        return profile;
    }
    testing::TestAnswer connect(const std::string& platform, const std::string& members, const Caller& caller) const
    {
        return post(caller, "/api/integrations/" + platform + "/connect", jsonWith(R"({"brandId":"$"$})", brand, members));
    }
    testing::TestAnswer connect(const std::string& platform, const std::string& members) const { return connect(platform, members, admin); }
    /// Returns the id of a new account.
    std::string connected(const std::string& handle = "ada") const
    {
        return made(connect("bluesky", jsonWith(R"(,"identifier":"$","appPassword":"right")", handle))).at("/integration/integrationId");
    }
    testing::TestAnswer check(const std::string& id) const { return post(admin, "/api/integrations/" + id + "/check"); }
    /// Returns what readiness says of a platform, in the order of the specification's table.
    std::string readiness(int place) const
    {
        return get(admin, "/api/brands/" + brand + "/publishing-readiness").at("/platforms/" + std::to_string(place) + "/readiness");
    }
    std::int64_t eventsOf(const std::string& kind) const
    {
        auto session = host->context().database().session();
        return *session.value<std::int64_t>("SELECT count(*) FROM audit_event WHERE kind = $1", kind);
    }

    testing::TemporaryDirectory folder;
    std::string keyLine;
    FakeNetworkScript mastodon, bluesky;
    std::string brand;
};

} // namespace portico::tests
