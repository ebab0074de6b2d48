#include "providers/UpstreamPauses.h"

#include "common/GrowingPause.h"
#include "upstream/Upstream.h"

namespace portico::identity
{

namespace
{
/// One lost packet closes no provider.
constexpr int failuresAtNoCost = 1;
/// More than fail at once; one more empties the memory.
constexpr std::size_t maxFailing = 1000;
} // namespace

void UpstreamPauses::require(const std::string& issuer)
{
    const std::lock_guard lock(_mutex);
    const auto known = _entries.find(issuer);
    if (known != _entries.end() && _clock.now() < known->second.nextTry)
        throw UpstreamFailure(UpstreamFailure::Kind::Unreachable,
                              "The provider did not answer a moment ago, and is left alone for a while.");
}

void UpstreamPauses::answered(const std::string& issuer)
{
    const std::lock_guard lock(_mutex);
    _entries.erase(issuer);
}

void UpstreamPauses::failed(const std::string& issuer)
{
    const std::lock_guard lock(_mutex);
    if (_entries.size() >= maxFailing && !_entries.contains(issuer)) _entries.clear();
    auto& entry = _entries[issuer];
    entry.nextTry = _clock.now() + growingPause(++entry.failures - failuresAtNoCost);
}

} // namespace portico::identity
