#include "providers/Discovery.h"

#include "portico/Text.h"

namespace portico::identity
{

namespace
{
constexpr auto metadataLife = std::chrono::hours(1);
constexpr auto failureLife = std::chrono::seconds(10);
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
    try
    {
        auto found = read(issuer);
        const std::lock_guard lock(_mutex);
        place(issuer) = Entry{found, nullptr, now, {}, {}};
        return found;
    }
    catch (const UpstreamFailure& failure)
    {
        const std::lock_guard lock(_mutex);
        place(issuer) = Entry{{}, nullptr, now, failure.what(), failure.kind};
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
    auto found = std::make_shared<const std::vector<JsonWebKey>>(keysOf(_calls.get(metadata.jwksUri)));
    const std::lock_guard lock(_mutex);
    const auto known = _entries.find(metadata.issuer);
    if (known != _entries.end()) known->second.keys = found;
    return found;
}

void Discovery::forget(const std::string& issuer)
{
    const std::lock_guard lock(_mutex);
    _entries.erase(issuer);
}

} // namespace portico::identity
