#pragma once

#include "common/Settings.h"

#include "portico/Clock.h"
#include "portico/RateLimit.h"
#include "portico/StateStore.h"

#include <functional>
#include <string>
#include <string_view>

namespace portico::identity
{

/// Slows down password guessing. After some free attempts, every wrong password increases the delay of the account. Attempts of a network
/// are limited per minute. Counts by entered name, so that unknown accounts behave the same. Counters are in the StateStore. Those of
/// unknown names are separate, so that they cannot evict an account's delay. Thread-safe.
class LoginThrottle
{
public:
    struct Account
    {
        std::string_view name;
        /// Only selects where the account is counted.
        bool exists = false;
    };
    LoginThrottle(StateStore& state, const Settings& settings, const Clock& clock);

    /// Counts a sign-in of a network. @throws Problem 429 `too_many_attempts` with Retry-After
    void countNetwork(std::string_view address) const;
    /// Returns true if an account's free attempts are used up and no delay is active.
    /// @throws Problem 429 `too_many_attempts` during a delay
    bool isSuspicious(const Account& account) const;
    /// Checks a password by `matches`, unless the account has to wait. Counts it as wrong before the check, and runs the attempts of an
    /// account one at a time, so that concurrent requests cannot exceed the limit.
    /// @return the result of `matches`
    /// @throws Problem 429 `too_many_attempts` with Retry-After
    bool attempt(const Account& account, const std::function<bool()>& matches);
    /// Ends the delay after the account was authenticated by other means.
    void forgive(std::string_view accountName) const { _state.remove(keyOf({accountName, true})); }

private:
    std::string keyOf(const Account& account) const;
    void requireOpen(std::int64_t openFrom) const;
    void count(std::string_view key);

    StateStore& _state;
    const Settings& _settings;
    const Clock& _clock;
    RateLimit _ofNetwork;
};

} // namespace portico::identity
