#include "integrations/BlueskyClientRoutes.h"

namespace portico::social
{

void BlueskyClientRoutes::declare(Routes& routes)
{
    routes
        .get("/oauth/bluesky/client-metadata.json", access::open(), &BlueskyClientRoutes::metadata, this,
             {.summary = "Read the client metadata for Bluesky servers"})
        .get("/oauth/bluesky/jwks.json", access::open(), &BlueskyClientRoutes::keys, this,
             {.summary = "Read the public keys for Bluesky servers"});
}

Reply<bluesky::ClientMetadata> BlueskyClientRoutes::metadata(const Request&) const { return {_client.metadata()}; }

Reply<bluesky::PublicKeys> BlueskyClientRoutes::keys(const Request&) const
{
    return {_client.isAvailable() ? _client.publicKeys() : bluesky::PublicKeys{}};
}

} // namespace portico::social
