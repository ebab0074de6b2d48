#include "tokens/RemoteKeys.h"

#include "common/GrowingPause.h"

#include "portico/Problem.h"

#include <algorithm>

namespace portico::identity
{

namespace
{

constexpr auto freshFor = std::chrono::minutes(5);
constexpr auto pause = std::chrono::seconds(10);
constexpr auto answerTime = std::chrono::seconds(3);
/// Maximum concurrent reads: each blocks a worker of the ordinary lane.
constexpr int maxReading = 2;
constexpr std::uint64_t longestSetBytes = 256 * 1024;
/// Maximum cached addresses. Above it the cache is cleared.
constexpr std::size_t maxAddresses = 1000;

bool holds(const std::vector<JsonWebKey>& keys, std::string_view kid)
{
    return kid.empty() || std::ranges::any_of(keys, [&](const JsonWebKey& key) { return key.kid() == kid; });
}

JsonWebKeys orNone(const JsonWebKeys& keys) { return keys ? keys : std::make_shared<const std::vector<JsonWebKey>>(); }

} // namespace

JsonWebKeys RemoteKeys::read(const std::string& url) const
{
    try
    {
        HttpClient::Request wanted;
        wanted.url = url;
        wanted.headers = {{"Accept", "application/jwk-set+json, application/json"}};
        wanted.maxResponseBytes = longestSetBytes;
        wanted.timeout = answerTime;
        const auto answer = _http.send(wanted);
        return answer.status == 200 ? std::make_shared<const std::vector<JsonWebKey>>(keysOf(answer.body)) : nullptr;
    }
    catch (const Problem&)
    {
        return nullptr;
    }
}

JsonWebKeys RemoteKeys::at(const std::string& url, std::string_view kid)
{
    const auto now = _clock.now();
    {
        const std::scoped_lock lock(_mutex);
        if (_entries.size() > maxAddresses) _entries.clear();
        auto& entry = _entries[url];
        const auto age = now - entry.triedAt;
        if (entry.keys && age < freshFor && holds(*entry.keys, kid)) return entry.keys;
        // Only one of several concurrent callers reads; the others do not wait.
        const bool busy = entry.reading || _reading == maxReading;
        if (busy || age < std::max(pause, growingPause(entry.failures))) return busy && !entry.keys ? nullptr : orNone(entry.keys);
        entry.triedAt = now;
        entry.reading = true;
        ++_reading;
    }
    auto fresh = read(url);
    const std::scoped_lock lock(_mutex);
    --_reading;
    auto& entry = _entries[url];
    entry.triedAt = now;
    entry.reading = false;
    entry.failures = fresh ? 0 : entry.failures + 1;
    if (fresh) entry.keys = std::move(fresh);
    return orNone(entry.keys);
}

} // namespace portico::identity
