#pragma once

#include "portico/Config.h"

#include <chrono>

namespace portico::identity
{

/// `identity.lifetimes.*`: how long what is handed out is good. The manifest holds defaults, and bounds that no installation passes.
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

    /// Access tokens of clients that speak for themselves, and exchanged ones.
    std::chrono::seconds serviceToken;
    std::chrono::seconds ssoCode;
    std::chrono::seconds mobileHandoff;
    std::chrono::seconds authorizationCode;
    std::chrono::seconds pushedRequest;
    std::chrono::seconds deviceCode;
    /// How long a device waits between two questions.
    std::chrono::seconds devicePoll;
    /// A sign-in that waits for its second factor, and challenges of passkeys and for somebody human.
    std::chrono::seconds challenge;
    // Where a request does not say.
    std::chrono::seconds invitation;
    std::chrono::seconds appHandoff;
    std::chrono::seconds keyOverlap;
};

} // namespace portico::identity
