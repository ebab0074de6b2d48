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

/// Slows down guessing: after some free tries every further wrong password for an account makes it wait longer, and one network has so many
/// tries a minute. Works on what was typed, so that accounts that do not exist behave the same. The counters live in the StateStore, those
/// of invented names apart: however many there are, they take no delay from an account. Thread-safe.
class LoginThrottle
{
public:
    struct Account
    {
        std::string_view name;
        /// Decides where it is counted, nothing else.
        bool exists = false;
    };
    LoginThrottle(StateStore& state, const Settings& settings, const Clock& clock);

    /// One more sign-in from a network. @throws Problem 429 `too_many_attempts` with Retry-After
    void countNetwork(std::string_view address) const;
    /// Whether all free tries of an account are used up, and no delay runs. @throws Problem 429 `too_many_attempts` while one runs
    bool isSuspicious(const Account& account) const;
    /// Looks at a password with `matches`, unless the account has to wait. It counts as wrong before it is looked at, so that no more are
    /// looked at than promised, however many come at once: those of one account go one by one. @return what `matches` says
    /// @throws Problem 429 `too_many_attempts` with Retry-After
    bool attempt(const Account& account, const std::function<bool()>& matches);
    /// The account has proved itself otherwise: no delay runs any more.
    void forgive(const Account& account) { _state.remove(keyOf(account)); }

    /// The account has proved otherwise who it is: no delay runs any more.
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
