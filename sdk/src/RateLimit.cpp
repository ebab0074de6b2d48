#include "portico/RateLimit.h"

#include "portico/Crypto.h"
#include "portico/Problem.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <stdexcept>

namespace portico
{

/// Counter of the current window of a key, and the window's remaining time.
struct RateLimit::Place
{
    std::string stateKey;
    std::chrono::milliseconds rest;
};

RateLimit::RateLimit(StateStore& state, const Clock& clock, const Budget& budget)
    : _state(state), _clock(clock), _use(budget.use), _limit(budget.limit), _window(budget.window)
{
    if (_use.empty() || _use.find(':') != std::string::npos)
        throw std::invalid_argument("rate limit: expected a name of what is counted, without a colon, found \"" + _use + '"');
    if (_window < std::chrono::seconds(1)) throw std::invalid_argument("rate limit " + _use + ": expected a window of at least a second");
}

RateLimit::Place RateLimit::placeOf(std::string_view key) const
{
    const auto hash = sha256(key);
    const auto window = std::chrono::milliseconds(_window).count();
    std::uint32_t own = 0;
    std::memcpy(&own, hash.value.data(), sizeof own);
    const auto shifted = toMillis(_clock.now()) + own % window;
    return {_use + ':' + toBase64Url(hash.bytes().substr(0, 18)) + '.' + std::to_string(shifted / window),
            std::chrono::milliseconds(window - shifted % window)};
}

RateLimit::Result RateLimit::result(std::int64_t used, const Place& place) const
{
    return {used <= _limit, std::max<std::int64_t>(_limit - used, 0), std::chrono::ceil<std::chrono::seconds>(place.rest)};
}

RateLimit::Result RateLimit::count(std::string_view key, std::int64_t amount) const
{
    if (_limit <= 0) return {};
    const auto place = placeOf(key);
    return result(_state.add(place.stateKey, amount, place.rest), place);
}

void RateLimit::require(std::string_view key, std::string_view code) const
{
    const auto result = count(key);
    if (!result.allowed) throw Problem::rateLimited(result.retryAfter.count(), code);
}

RateLimit::Result RateLimit::look(std::string_view key) const
{
    if (_limit <= 0) return {};
    const auto place = placeOf(key);
    std::int64_t used = 0;
    if (const auto entry = _state.get(place.stateKey))
        std::from_chars(entry->value.data(), entry->value.data() + entry->value.size(), used);
    return result(used + 1, place);
}

} // namespace portico
