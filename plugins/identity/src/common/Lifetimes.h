#pragma once

#include "portico/Config.h"

#include <chrono>

namespace portico::identity
{

/// Settings `identity.lifetimes.*`: lifetimes of tokens and codes. The manifest has their defaults and bounds.
struct Lifetimes
{
    explicit Lifetimes(const Config& config)
        : serviceToken(config.seconds("identity.lifetimes.serviceTokenSeconds")),
          ssoCode(config.seconds("identity.lifetimes.ssoCodeSeconds")),
          mobileHandoff(config.seconds("identity.lifetimes.mobileHandoffSeconds")),
          authorizationCode(config.seconds("identity.lifetimes.authorizationCodeSeconds")),
          pushedRequest(config.seconds("identity.lifetimes.pushedRequestSeconds")),
          deviceCode(config.seconds("identity.lifetimes.deviceCodeSeconds")),
          devicePoll(config.seconds("identity.lifetimes.devicePollSeconds")),
          challenge(config.seconds("identity.lifetimes.challengeSeconds")),
          invitation(config.seconds("identity.lifetimes.invitationSeconds")),
          appHandoff(config.seconds("identity.lifetimes.appHandoffSeconds")),
          keyOverlap(config.seconds("identity.lifetimes.keyOverlapSeconds"))
    {
    }

    /// Lifetime of access tokens by client credentials, and of exchanged ones.
    std::chrono::seconds serviceToken;
    std::chrono::seconds ssoCode;
    std::chrono::seconds mobileHandoff;
    std::chrono::seconds authorizationCode;
    std::chrono::seconds pushedRequest;
    std::chrono::seconds deviceCode;
    /// Minimum interval between two polls of a device.
    std::chrono::seconds devicePoll;
    /// Lifetime of a sign-in that waits for its second factor, and of challenges for passkeys and human verification.
    std::chrono::seconds challenge;
    // Defaults for requests without a lifetime.
    std::chrono::seconds invitation;
    std::chrono::seconds appHandoff;
    std::chrono::seconds keyOverlap;
};

} // namespace portico::identity
