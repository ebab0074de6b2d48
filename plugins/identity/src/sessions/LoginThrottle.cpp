#include "sessions/LoginThrottle.h"

#include "common/Networks.h"

#include "portico/Problem.h"

#include <algorithm>
#include <charconv>
#include <chrono>

namespace portico::identity
{

namespace
{

constexpr std::string_view problemCode = "too_many_attempts";
constexpr std::int64_t longestDelaySeconds = 300;
constexpr auto memory = std::chrono::hours(24);

/// Value of an account's entry: `<tries> <millisecond from which the next is allowed>`.
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
std::int64_t delaySeconds(std::int64_t tries, std::int64_t freeTries)
{
    if (tries < freeTries) return 0;
    const auto doublings = std::min<std::int64_t>(tries - freeTries, 16);
    return std::min(longestDelaySeconds, std::int64_t{1} << doublings);
}

} // namespace

std::string LoginThrottle::accountKey(std::string_view account) const { return "login:" + _sha256.hex(account); }

void LoginThrottle::admitNetwork(std::string_view address)
{
    constexpr auto window = std::chrono::minutes(1);
    if (_settings.addressAttemptsPerMinute <= 0) return;
    if (_state.add("login-network:" + networkPrefix(address), 1, window) > _settings.addressAttemptsPerMinute)
        throw Problem::rateLimited(std::chrono::seconds(window).count(), problemCode);
}

void LoginThrottle::admit(std::string_view account, std::string_view address)
{
    admitNetwork(address);
    const auto entry = _state.get(accountKey(account));
    if (!entry) return;
    const auto wait = Tries::parse(entry->value).openFrom - toMillis(_clock.now());
    if (wait > 0) throw Problem::rateLimited((wait + 999) / 1000, problemCode);
}

void LoginThrottle::blame(std::string_view account)
{
    if (_settings.freeAttempts <= 0) return;
    const auto key = accountKey(account);
    while (true)
    {
        const auto entry = _state.get(key);
        Tries tries = entry ? Tries::parse(entry->value) : Tries{};
        ++tries.count;
        const auto delay = delaySeconds(tries.count, _settings.freeAttempts);
        tries.openFrom = delay > 0 ? toMillis(_clock.now()) + delay * 1000 : 0;
        if (_state.compareAndSet(key, entry ? entry->version : 0, tries.text(), memory)) return;
    }
}

void LoginThrottle::forgive(std::string_view account) { _state.remove(accountKey(account)); }

} // namespace portico::identity
