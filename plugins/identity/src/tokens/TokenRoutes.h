#pragma once

#include "tokens/KeyRing.h"

#include "portico/Routes.h"

namespace portico::identity
{

/// The public keys.
class TokenRoutes
{
public:
    explicit TokenRoutes(KeyRing& keys) : _keys(keys) {}
    void declare(Routes& routes);
    JwkSet jwks() { return _keys.jwks(); }

private:
    KeyRing& _keys;
};

} // namespace portico::identity
