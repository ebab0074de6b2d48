#pragma once

#include "providers/GitHubConnector.h"
#include "providers/OidcConnector.h"

namespace portico::identity
{

/// The kinds of providers, one of each. Thread-safe.
class Connectors
{
public:
    explicit Connectors(Core& core) : _oidc(core.context.http(), core.clock, core.context.host().plainHttp), _gitHub(core.context.http()) {}
    ProviderConnector& of(const IdentityProvider& provider) noexcept
    {
        if (provider.kind == ProviderKind::GitHub) return _gitHub;
        return _oidc;
    }

private:
    OidcConnector _oidc;
    GitHubConnector _gitHub;
};

} // namespace portico::identity
