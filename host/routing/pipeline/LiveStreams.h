#pragma once

#include "host/base/PlaceCounts.h"
#include "host/routing/pipeline/Authentication.h"
#include "host/routing/pipeline/RequestState.h"
#include "host/routing/pipeline/Settings.h"

#include "portico/Response.h"
#include "portico/detail/LiveBody.h"

#include <cstdint>
#include <memory>
#include <string>

namespace portico::host::routing
{

/// Wraps a plugin's body source, so that its pieces are made, and it is destroyed, inside the plugin: see PluginScope.
std::unique_ptr<BodySource> insidePlugin(std::unique_ptr<BodySource> source, const plugins::PluginTag& tag);

/// Guards streams that outlive their request. They end with their generation and with their credential, and each caller has a maximum
/// number of them. Thread-safe.
class LiveStreams
{
public:
    LiveStreams(const Settings& settings, const Authentication& authentication) noexcept
        : _settings(settings), _authentication(authentication)
    {
    }

    /// @param body from the handler, which still has the lease. @throws Problem 429
    std::unique_ptr<detail::LiveBody> guard(std::unique_ptr<detail::LiveBody> body, const Request& request, const RequestState& state);

private:
    using Counts = PlaceCounts<std::string>;
    Counts::Place enter(std::string key, std::int64_t limit);

    const Settings& _settings;
    const Authentication& _authentication;
    /// Open streams of each caller, address and web origin.
    Counts _counts;
};

} // namespace portico::host::routing
