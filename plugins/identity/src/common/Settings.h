#pragma once

#include "common/AccountSettings.h"
#include "common/HumanSettings.h"
#include "common/Lifetimes.h"

#include "portico/Config.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

/// Identity's settings, read once per generation. The manifest has defaults and bounds.
struct Settings
{
    explicit Settings(const Config& config)
        : defaultServiceAccess(config.list("identity.defaultServiceAccess")),
          accessTokenLife(config.seconds("identity.accessTokenSeconds")),
          refreshIdle(config.seconds("identity.refresh.idleSeconds")),
          refreshAbsolute(config.seconds("identity.refresh.absoluteSeconds")),
          nativeIdle(config.seconds("identity.refresh.nativeIdleSeconds")),
          nativeAbsolute(config.seconds("identity.refresh.nativeAbsoluteSeconds")),
          browserSession(config.seconds("identity.refresh.browserSessionSeconds")),
          elevation(config.seconds("identity.stepUpSeconds")),
          factorIssuer(config.text("identity.mfa.issuer")),
          addressAttemptsPerMinute(config.integer("identity.login.addressAttemptsPerMinute")),
          freeAttempts(config.integer("identity.login.freeAttempts")),
          keysPerOwner(config.integer("identity.apiKeys.maxPerOwner")),
          keyLife(std::chrono::hours(24) * config.integer("identity.apiKeys.defaultDays")),
          openRegistrationOwner(config.text("identity.oauth.openRegistrationOwner")),
          adminAppUrl(config.url("identity.adminAppUrl")),
          consoleServices(config.list("identity.consoleServices")),
          developerService(config.text("identity.developerService")),
          lifetimes(config),
          human(config),
          accounts(config)
    {
        if (config.find("limits.requestsPerMinute")) requestsPerMinute = config.integer("limits.requestsPerMinute");
        // Load tests switch the rates of the host off, these too. The delay after wrong passwords is no rate: it stays.
        if (config.find("limits.rates") == "off") addressAttemptsPerMinute = newKeysPerHour = formsPerHour = 0;
    }

    bool isConsole(std::string_view serviceId) const { return std::ranges::find(consoleServices, serviceId) != consoleServices.end(); }

    /// Service ids; `*` means all.
    std::vector<std::string> defaultServiceAccess;
    std::chrono::seconds accessTokenLife;
    std::chrono::seconds refreshIdle;
    std::chrono::seconds refreshAbsolute;
    std::chrono::seconds nativeIdle;
    std::chrono::seconds nativeAbsolute;
    std::chrono::seconds browserSession;
    std::chrono::seconds elevation;
    /// Issuer that authenticator apps show.
    std::string factorIssuer;
    /// 0: no limit.
    std::int64_t addressAttemptsPerMinute;
    std::int64_t freeAttempts;
    /// 0: no limit.
    std::int64_t newKeysPerHour = 20;
    /// From one network, of those that need no account; 0: no limit.
    std::int64_t formsPerHour = 5;
    std::int64_t keysPerOwner;
    std::chrono::hours keyLife;
    /// Slug of the organization that owns clients from open registration; empty: registration requires a token.
    std::string openRegistrationOwner;
    /// Target of `/settings`; empty: the origin `admin` beside identity's.
    std::string adminAppUrl;
    /// Services whose origins may manage the platform.
    std::vector<std::string> consoleServices;
    /// The developer application, which registers approved clients.
    std::string developerService;
    Lifetimes lifetimes;
    HumanSettings human;
    AccountSettings accounts;
    /// The host's limit for keys without one.
    std::int64_t requestsPerMinute = 600;
};

} // namespace portico::identity
