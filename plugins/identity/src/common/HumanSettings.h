#pragma once

#include "portico/Config.h"

#include <cstdint>
#include <stdexcept>
#include <string>

namespace portico::identity
{

/// Settings `identity.humanVerification.*`.
struct HumanSettings
{
    /// @throws std::invalid_argument for a provider without its keys
    explicit HumanSettings(const Config& config)
        : provider(config.text("identity.humanVerification.provider")),
          cost(config.integer("identity.humanVerification.cost")),
          login(config.boolean("identity.humanVerification.login")),
          booking(config.boolean("identity.humanVerification.booking")),
          siteKey(config.text("identity.humanVerification.turnstile.siteKey")),
          secret(config.secret("identity.humanVerification.turnstile.secretFile")),
          verifyUrl(config.url("identity.humanVerification.turnstile.verifyUrl"))
    {
        if (usesTurnstile() && (siteKey.empty() || secret.empty()))
            throw std::invalid_argument("identity.humanVerification.provider: turnstile needs identity.humanVerification.turnstile.siteKey "
                                        "and identity.humanVerification.turnstile.secretFile; set both, or use pow");
    }
    bool usesTurnstile() const noexcept { return provider == "turnstile"; }

    std::string provider;
    /// Iterations of one attempt.
    std::int64_t cost;
    /// True if sign-in and booking require a proof, which is optional there.
    bool login;
    bool booking;
    std::string siteKey;
    std::string secret;
    std::string verifyUrl;
};

} // namespace portico::identity
