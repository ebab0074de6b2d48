#include "common/Settings.h"

namespace portico::identity
{

Settings::Settings(const Config& config)
    : defaultServiceAccess(config.text("identity.defaultServiceAccess")),
      accessTokenLife(config.seconds("identity.accessTokenSeconds")),
      refreshIdle(config.seconds("identity.refresh.idleSeconds")),
      refreshAbsolute(config.seconds("identity.refresh.absoluteSeconds")),
      browserSession(config.seconds("identity.refresh.browserSessionSeconds")),
      elevation(config.seconds("identity.stepUpSeconds")),
      addressAttemptsPerMinute(config.integer("identity.login.addressAttemptsPerMinute")),
      freeAttempts(config.integer("identity.login.freeAttempts")),
      keysPerOwner(config.integer("identity.apiKeys.maxPerOwner")),
      keyLife(std::chrono::hours(24) * config.integer("identity.apiKeys.defaultDays"))
{
    if (config.find("limits.requestsPerMinute")) requestsPerMinute = config.integer("limits.requestsPerMinute");
    // Load tests switch the rates of the host off, these too. The delay after wrong passwords is no rate: it stays.
    if (config.find("limits.rates") == "off") addressAttemptsPerMinute = newKeysPerHour = 0;
}

} // namespace portico::identity
