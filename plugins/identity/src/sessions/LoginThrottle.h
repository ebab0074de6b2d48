#pragma once

#include "common/Crypto.h"
#include "common/Settings.h"

#include "portico/Clock.h"
#include "portico/StateStore.h"

#include <string>
#include <string_view>

namespace portico::identity
{

/// Slows down guessing: after some free tries every further wrong password for an account makes it wait longer, and one network has so many
/// tries a minute. Works on what was typed, so that accounts that do not exist behave the same. The counters live in the StateStore.
/// Thread-safe.
class LoginThrottle
{
public:
    LoginThrottle(StateStore& state, const Settings& settings, const Clock& clock) : _state(state), _settings(settings), _clock(clock) {}

    /// Whether a password may be looked at now. Several sign-ins of one account at the same time do not stand in each other's way; what
    /// slips through together is bounded by the pool that hashes. @throws Problem 429 `too_many_attempts` with Retry-After
    void admit(std::string_view account, std::string_view address);
    /// Counts a wrong password.
    void blame(std::string_view account);
    /// Forgets the wrong passwords.
    void forgive(std::string_view account);

private:
    std::string accountKey(std::string_view account) const;
    void admitNetwork(std::string_view address);

    StateStore& _state;
    const Settings& _settings;
    const Clock& _clock;
    Sha256 _sha256;
};

} // namespace portico::identity
