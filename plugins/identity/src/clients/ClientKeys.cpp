#include "clients/ClientKeys.h"

namespace portico::identity
{

namespace
{
/// More clients with keys than an installation has; one more empties the memory.
constexpr std::size_t maxClients = 1000;
} // namespace

JsonWebKeys ClientKeys::of(const OAuthClient& client, std::string_view kid)
{
    auto keys = registered(client);
    return client.jwksUri && keys->empty() ? _remote.at(*client.jwksUri, kid) : keys;
}

JsonWebKeys ClientKeys::registered(const OAuthClient& client)
{
    {
        const std::scoped_lock lock(_mutex);
        const auto known = _entries.find(client.clientId);
        if (known != _entries.end() && known->second.version == client.version) return known->second.keys;
    }
    auto keys = std::make_shared<const std::vector<JsonWebKey>>(keysOf(client.jwks.text));
    const std::scoped_lock lock(_mutex);
    if (_entries.size() >= maxClients && !_entries.contains(client.clientId)) _entries.clear();
    auto& entry = _entries[client.clientId];
    // A thread with an older row must not replace newer keys.
    if (entry.keys && entry.version > client.version) return keys;
    entry = {client.version, keys};
    return keys;
}

} // namespace portico::identity
