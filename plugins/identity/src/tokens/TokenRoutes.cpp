#include "tokens/TokenRoutes.h"

namespace portico::identity
{

void TokenRoutes::declare(Routes& routes)
{
    routes.get("/.well-known/jwks.json", access::open(), &TokenRoutes::jwks, this,
               {.summary = "Public keys of access tokens", .cacheControl = "public, max-age=300"});
}

} // namespace portico::identity
