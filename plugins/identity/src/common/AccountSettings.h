#pragma once

#include "portico/Config.h"

#include <chrono>
#include <cstdint>
#include <string>

namespace portico::identity
{

/// Settings `identity.accounts.*` for registration and accounts.
struct AccountSettings
{
    explicit AccountSettings(const Config& config)
        : registrationOpen(config.boolean("identity.accounts.registrationOpen")),
          verificationLife(config.seconds("identity.accounts.verificationSeconds")),
          resetLife(config.seconds("identity.accounts.passwordResetSeconds")),
          deletionGrace(config.seconds("identity.accounts.deletionGraceSeconds")),
          codeLife(config.seconds("identity.lifetimes.emailCodeSeconds")),
          termsUrl(config.url("identity.accounts.termsUrl")),
          privacyUrl(config.url("identity.accounts.privacyUrl"))
    {
        if (config.find("limits.rates") == "off")
            registrationsPerHour = mailsPerAddress = mailsPerNetwork = codesPerMinute = codesPerAddress = 0;
    }

    bool registrationOpen;
    std::chrono::seconds verificationLife;
    std::chrono::seconds resetLife;
    /// Time in which a deletion can be cancelled.
    std::chrono::seconds deletionGrace;
    /// Lifetime of six-digit codes.
    std::chrono::seconds codeLife;
    /// Empty: there are none.
    std::string termsUrl;
    std::string privacyUrl;

    // Limits per client; 0: no limit.
    std::int64_t registrationsPerHour = 5;
    std::int64_t mailsPerAddress = 3;
    std::int64_t mailsPerNetwork = 10;
    std::int64_t codesPerMinute = 30;
    /// Limit per address and hour, over all clients.
    std::int64_t codesPerAddress = 10;
};

} // namespace portico::identity
