#include "networks/Networks.h"

#include "networks/ListedLimits.h"
#include "networks/ListedNetwork.h"
#include "networks/bluesky/BlueskyNetwork.h"
#include "networks/mastodon/MastodonNetwork.h"
#include "networks/webhook/WebhookNetwork.h"

#include "portico/Plugin.h"

#include <algorithm>
#include <array>
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

Networks makeNetworks(PluginContext& context)
{
    std::vector<std::unique_ptr<Network>> networks;
    for (const auto platform : std::array{Platform::LinkedIn, Platform::FacebookPage, Platform::Instagram, Platform::Threads, Platform::X})
        networks.push_back(std::make_unique<ListedNetwork>(platform, context.config()));
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
