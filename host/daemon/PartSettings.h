#pragma once

#include "host/config/Configuration.h"
#include "host/config/InstallLayout.h"
#include "host/data/DatabaseSettings.h"
#include "host/http/ServerSettings.h"
#include "host/platform/context/PlatformSettings.h"
#include "host/platform/context/ServiceConfig.h"
#include "host/plugins/lifecycle/HealthMonitor.h"
#include "host/routing/idempotency/IdempotencyStore.h"
#include "host/routing/pipeline/Settings.h"

#include <filesystem>
#include <string>
#include <vector>

namespace portico::host::daemon
{

// What the parts of the host take, made of the configuration. Each throws std::runtime_error for a secret that cannot be read; everything
// else has been checked before.

data::DatabaseSettings databaseSettings(const config::Configuration& configuration, const std::filesystem::path& state);
/// `logDescriptor` is where log lines go.
platform::PlatformSettings platformSettings(const config::Configuration& configuration, const std::filesystem::path& state,
                                            const config::InstallLayout& layout, int logDescriptor);
/// Makes the secret that signs cursors, if none is named and none was made before.
routing::Settings routingSettings(const config::Configuration& configuration, const std::filesystem::path& state);
routing::IdempotencyTimes idempotencyTimes(const config::Configuration& configuration);
plugins::HealthTimes healthTimes(const config::Configuration& configuration);
http::ServerSettings serverSettings(const config::Configuration& configuration, const std::filesystem::path& state);
/// Everything that is set, for the plugins to take their own from.
platform::Settings pluginSettings(const config::Configuration& configuration);

} // namespace portico::host::daemon
