#include "providers/Discovery.h"

#include "portico/Text.h"

namespace portico::identity
{

namespace
{
constexpr auto metadataLife = std::chrono::hours(1);
constexpr auto failureLife = std::chrono::seconds(10);
/// Between two looks at the keys of one provider: made-up ones cost it nothing.
constexpr auto keysPause = std::chrono::seconds(10);
constexpr std::size_t mostProviders = 1000;
constexpr std::string_view discoveryPath = "/.well-known/openid-configuration";
} // namespace

Discovery::Entry& Discovery::place(const std::string& issuer)
{
    if (_entries.size() >= mostProviders && !_entries.contains(issuer)) _entries.clear();
    return _entries[issuer];
}

UpstreamMetadata Discovery::read(const std::string& issuer) const
{
    const auto base = issuer.ends_with('/') ? issuer.substr(0, issuer.size() - 1) : issuer;
    auto metadata = readUpstream<UpstreamMetadata>(_calls.get(base + std::string(discoveryPath)));
    if (metadata.issuer != issuer)
        throw UpstreamFailure(UpstreamFailure::Kind::OtherIssuer, "The discovery document names another issuer.");
    // Where browsers are sent and secrets go.
    for (const auto* url : {&metadata.authorizationEndpoint, &metadata.tokenEndpoint, &metadata.jwksUri})
        if (!isWebUrl(*url) || (!_plainHttp && !url->starts_with("https://")))
            throw UpstreamFailure(UpstreamFailure::Kind::Unreachable, "The discovery document lacks an endpoint that can be used.");
    return metadata;
}

UpstreamMetadata Discovery::metadata(const std::string& issuer)
{
    const auto now = _clock.now();
    {
        const std::lock_guard lock(_mutex);
        const auto known = _entries.find(issuer);
        if (known != _entries.end() && known->second.failure.empty() && now - known->second.readAt < metadataLife)
            return known->second.metadata;
        if (known != _entries.end() && !known->second.failure.empty() && now - known->second.readAt < failureLife)
            throw UpstreamFailure(known->second.failureKind, known->second.failure);
    }
    Entry entry;
    entry.readAt = now;
    try
    {
        entry.metadata = read(issuer);
        const std::lock_guard lock(_mutex);
        return (place(issuer) = entry).metadata;
    }
    catch (const UpstreamFailure& failure)
    {
        entry.failure = failure.what();
        entry.failureKind = failure.kind;
        const std::lock_guard lock(_mutex);
        place(issuer) = entry;
        throw;
    }
}

Discovery::Keys Discovery::keys(const UpstreamMetadata& metadata)
{
    {
        const std::lock_guard lock(_mutex);
        const auto known = _entries.find(metadata.issuer);
        if (known != _entries.end() && known->second.keys) return known->second.keys;
    }
    return freshKeys(metadata);
}

Discovery::Keys Discovery::freshKeys(const UpstreamMetadata& metadata)
{
    const auto& issuer = metadata.issuer;
    {
        std::unique_lock lock(_mutex);
        // Who comes while somebody reads goes on with the same answer.
        _keysRead.wait(lock, [&] { return !place(issuer).readsKeys; });
        auto& entry = place(issuer);
        const auto now = _clock.now();
        if (now - entry.keysTriedAt < keysPause)
        {
            if (entry.keys) return entry.keys;
            throw UpstreamFailure(UpstreamFailure::Kind::Unreachable, "The provider's keys could not be read a moment ago.");
        }
        entry.keysTriedAt = now;
        entry.readsKeys = true;
    }
    const auto done = [&](Keys found)
    {
        const std::lock_guard lock(_mutex);
        auto& entry = place(issuer);
        entry.readsKeys = false;
        if (found) entry.keys = std::move(found);
        _keysRead.notify_all();
    };
    try
    {
        auto found = std::make_shared<const std::vector<JsonWebKey>>(keysOf(_calls.get(metadata.jwksUri)));
        done(found);
        return found;
    }
    catch (...)
    {
        done(nullptr);
        throw;
    }
}

void Discovery::forget(const std::string& issuer)
{
    const std::lock_guard lock(_mutex);
    _entries.erase(issuer);
}

} // namespace portico::identity
