#include "networks/Networks.h"

#include "networks/ListedLimits.h"
#include "networks/bluesky/BlueskyNetwork.h"
#include "networks/linkedin/LinkedInNetwork.h"
#include "networks/mastodon/MastodonNetwork.h"
#include "networks/meta/ContainerNetwork.h"
#include "networks/meta/FacebookPageNetwork.h"
#include "networks/webhook/WebhookNetwork.h"
#include "networks/x/XNetwork.h"

#include "portico/Plugin.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

namespace portico::social
{

namespace
{
std::optional<Sealer> sealerOf(PluginContext& context)
{
    const auto& keys = context.config().secret("social.sealingKeys");
    return keys.empty() ? std::nullopt : std::optional(Sealer::parse(keys));
}
} // namespace

Networks::Networks(std::vector<std::unique_ptr<Network>> networks) : _networks(std::move(networks))
{
    std::ranges::sort(_networks, {}, [](const auto& network) { return network->platform(); });
}

Network* Networks::find(Platform platform) const noexcept
{
    const auto found = std::ranges::find(_networks, platform, [](const auto& network) { return network->platform(); });
    return found == _networks.end() ? nullptr : found->get();
}

Network& Networks::get(Platform platform) const
{
    if (auto* network = find(platform)) return *network;
    throw std::out_of_range("no connector is built for the platform");
}

NetworkLimits Networks::limits(Platform platform, const Credentials* account) const
{
    const auto* network = find(platform);
    return network == nullptr ? listedLimits(platform) : network->limits(account);
}

bluesky::Client makeBlueskyClient(PluginContext& context)
{
    return {context.database(), context.clock(), sealerOf(context), context.host().origin};
}

std::vector<std::unique_ptr<Network>> makeApprovedNetworks(PluginContext& context)
{
    const ApprovedParts parts{context.http(), context.blobs(), context.clock(), context.config(), context.host().plainHttp};
    std::vector<std::unique_ptr<Network>> networks;
    networks.push_back(std::make_unique<LinkedInNetwork>(parts));
    networks.push_back(std::make_unique<FacebookPageNetwork>(parts));
    networks.push_back(std::make_unique<ContainerNetwork>(instagramApi, parts));
    networks.push_back(std::make_unique<ContainerNetwork>(threadsApi, parts));
    networks.push_back(std::make_unique<XNetwork>(parts));
    return networks;
}

Networks makeNetworks(PluginContext& context)
{
    std::vector<std::unique_ptr<Network>> networks;
    for (auto& network : makeApprovedNetworks(context)) networks.push_back(std::move(network));
    networks.push_back(std::make_unique<WebhookNetwork>(context.http(), context.clock()));
    networks.push_back(std::make_unique<BlueskyNetwork>(
        context.http(), context.blobs(), context.clock(),
        bluesky::Directories{context.config().url("social.bluesky.resolverUrl"), context.config().url("social.bluesky.plcUrl")},
        makeBlueskyClient(context)));
    auto sealer = sealerOf(context);
    networks.push_back(std::make_unique<MastodonNetwork>(context.http(), context.blobs(), context.clock(),
                                                         mastodon::Applications(context.database(), context.clock(), std::move(sealer)),
                                                         context.host().plainHttp));
    return Networks(std::move(networks));
}

} // namespace portico::social
