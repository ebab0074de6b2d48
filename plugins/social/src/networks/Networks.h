#pragma once

#include "networks/Network.h"
#include "networks/bluesky/BlueskyClient.h"

#include <memory>
#include <vector>

namespace portico
{
class PluginContext;
}

namespace portico::social
{

/// The networks of this server, in the order of `Platform`. Immutable, thread-safe.
class Networks
{
public:
    explicit Networks(std::vector<std::unique_ptr<Network>> networks);

    /// Returns the connector of a platform; null while it is planned.
    Network* find(Platform platform) const noexcept;
    /// Returns the connector. @throws std::out_of_range for a planned platform
    Network& get(Platform platform) const;
    const std::vector<std::unique_ptr<Network>>& all() const noexcept { return _networks; }
    /// Limits of a platform, also of a planned one.
    NetworkLimits limits(Platform platform, const Credentials* account = nullptr) const;

private:
    std::vector<std::unique_ptr<Network>> _networks;
};

/// Returns this server as a client of Bluesky. The context outlives it.
bluesky::Client makeBlueskyClient(PluginContext& context);
/// Makes the connectors of networks that publish for applications that they have approved. The context outlives them.
std::vector<std::unique_ptr<Network>> makeApprovedNetworks(PluginContext& context);
/// Makes all connectors of this version. The context outlives them.
Networks makeNetworks(PluginContext& context);

} // namespace portico::social
