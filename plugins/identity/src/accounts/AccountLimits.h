#pragma once

#include "common/Settings.h"

#include "portico/Clock.h"
#include "portico/RateLimit.h"
#include "portico/StateStore.h"

#include <string_view>

namespace portico::identity
{

/// Rate limits of unauthenticated account requests and the mails that they cause. Counts by entered address and by client, regardless of
/// whether the account exists. Thread-safe.
class AccountLimits
{
public:
    AccountLimits(StateStore& state, const Clock& clock, const AccountSettings& settings);

    /// @throws Problem 429 `rate_limited`
    void countRegistration(std::string_view clientAddress) const;
    void countMail(std::string_view email, std::string_view clientAddress) const;
    void countCode(std::string_view clientAddress) const;

    // Limits per address, over all clients. Return false above the limit; the answer does not reveal it.
    bool mayRegister(std::string_view email) const;
    bool mayTryCode(std::string_view email) const;

private:
    RateLimit _registrations;
    RateLimit _mailsToAddress;
    RateLimit _mailsFromClient;
    RateLimit _codes;
    RateLimit _registrationsOfAddress;
    RateLimit _codesOfAddress;
};

} // namespace portico::identity
