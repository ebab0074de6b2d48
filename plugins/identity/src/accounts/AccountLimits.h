#pragma once

#include "common/Settings.h"

#include "portico/Clock.h"
#include "portico/RateLimit.h"
#include "portico/StateStore.h"

#include <string_view>

namespace portico::identity
{

/// How often somebody without an account may make us work or write to people. Counted by what was typed and by where it comes from, never
/// by whether there is such an account. Thread-safe.
class AccountLimits
{
public:
    AccountLimits(StateStore& state, const Clock& clock, const AccountSettings& settings);

    /// Each @throws Problem 429 `rate_limited`
    void countRegistration(std::string_view clientAddress) const;
    void countMail(std::string_view email, std::string_view clientAddress) const;
    void countCode(std::string_view clientAddress) const;

    // Of one address, whoever asks: false when it is over, which nobody is told.
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
