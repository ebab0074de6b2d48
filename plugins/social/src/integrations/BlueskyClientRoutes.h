#pragma once

#include "networks/bluesky/BlueskyClient.h"

#include "portico/Routes.h"

namespace portico::social
{

/// GET /oauth/bluesky/client-metadata.json and /oauth/bluesky/jwks.json: the client metadata for Bluesky servers. Thread-safe.
class BlueskyClientRoutes
{
public:
    explicit BlueskyClientRoutes(bluesky::Client client) : _client(std::move(client)) {}
    void declare(Routes& routes);

    Reply<bluesky::ClientMetadata> metadata(const Request& request) const;
    /// Without a key for seals there are no keys.
    Reply<bluesky::PublicKeys> keys(const Request& request) const;

private:
    const bluesky::Client _client;
};

} // namespace portico::social
