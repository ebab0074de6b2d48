#pragma once

#include "common/Core.h"
#include "tokens/KeyRing.h"

#include "portico/Routes.h"

namespace portico::identity
{

/// Changing the keys that tokens are signed with. Thread-safe.
class SigningKeyRoutes
{
public:
    explicit SigningKeyRoutes(Core& core) : _core(core) {}
    void declare(Routes& routes);
    /// Returns the published keys after the rotation.
    JwkSet rotate(const Caller& caller, const Request& request);

private:
    Core& _core;
};

} // namespace portico::identity
