#include "sessions/LoginThrottle.h"

#include "common/Networks.h"

#include "portico/Crypto.h"
#include "portico/Problem.h"

#include <algorithm>
#include <charconv>
#include <chrono>

namespace portico::identity
{

namespace
{

constexpr std::string_view problemCode = "too_many_attempts";
/// Maximum delay, and how long attempts are kept after their delay. Bounds the entries in the store.
constexpr std::chrono::seconds longestDelay{300};
/// Maximum wait for other attempts of the same account, which take milliseconds each.
constexpr std::chrono::seconds patience{5};

/// Value of an account's entry: `<attempts> <millisecond from which the next is allowed>`.
struct Tries
{
    std::int64_t count = 0;
    std::int64_t openFrom = 0;

    static Tries parse(std::string_view text)
    {
        Tries tries;
        const auto* end = text.data() + text.size();
        const auto first = std::from_chars(text.data(), end, tries.count);
        if (first.ptr != end) std::from_chars(first.ptr + 1, end, tries.openFrom);
        return tries;
    }
    std::string text() const { return std::to_string(count) + ' ' + std::to_string(openFrom); }
};

/// 1, 2, 4, … seconds once the free tries are used up.
std::chrono::seconds delayAfter(std::int64_t tries, std::int64_t freeTries)
{
    if (tries < freeTries) return {};
    const auto doublings = std::min<std::int64_t>(tries - freeTries, 16);
    return std::min(longestDelay, std::chrono::seconds(std::int64_t{1} << doublings));
}

} // namespace

LoginThrottle::LoginThrottle(StateStore& state, const Settings& settings, const Clock& clock)
    : _state(state),
      _settings(settings),
      _clock(clock),
      _ofNetwork(state, clock, {.use = "login-network", .limit = settings.addressAttemptsPerMinute, .window = std::chrono::minutes(1)})
{
}

std::string LoginThrottle::keyOf(const Account& account) const
{
    return (account.exists ? "login:" : "login-unknown:") + sha256(account.name).hex();
}

void LoginThrottle::countNetwork(std::string_view address) const { _ofNetwork.require(networkPrefix(address), problemCode); }

void LoginThrottle::requireOpen(std::int64_t openFrom) const
{
    const auto wait = openFrom - toMillis(_clock.now());
    if (wait > 0) throw Problem::rateLimited((wait + 999) / 1000, problemCode);
}

void LoginThrottle::count(std::string_view key)
{
    while (true)
    {
        const auto entry = _state.get(key);
        Tries tries = entry ? Tries::parse(entry->value) : Tries{};
        requireOpen(tries.openFrom);
        const auto delay = delayAfter(++tries.count, _settings.freeAttempts);
        tries.openFrom = delay > delay.zero() ? toMillis(_clock.now() + delay) : 0;
        if (_state.compareAndSet(key, entry ? entry->version : 0, tries.text(), delay + longestDelay)) return;
    }
}

bool LoginThrottle::isSuspicious(const Account& account) const
{
    if (_settings.freeAttempts <= 0) return false;
    const auto entry = _state.get(keyOf(account));
    if (!entry) return false;
    const auto tries = Tries::parse(entry->value);
    requireOpen(tries.openFrom);
    return tries.count >= _settings.freeAttempts;
}

bool LoginThrottle::attempt(const Account& account, const std::function<bool()>& matches)
{
    if (_settings.freeAttempts <= 0) return matches();
    const auto key = keyOf(account);
    // Rejects before the lock if the account has to wait.
    if (const auto entry = _state.get(key)) requireOpen(Tries::parse(entry->value).openFrom);
    bool right = false;
    _state.withLock(key, patience,
                    [&]
                    {
                        count(key);
                        right = matches();
                        if (right) _state.remove(key);
                    });
    return right;
}

} // namespace portico::identity
