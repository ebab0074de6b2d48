#pragma once

#include "providers/Connectors.h"
#include "upstream/LinkedAccount.h"

#include "portico/Routes.h"

#include <optional>
#include <vector>

namespace portico::identity
{

struct IdentityProvidersQuery
{
    std::optional<OrganizationId> organizationId;
};

constexpr auto schemaOf(const IdentityProvidersQuery*) { return describe(field<&IdentityProvidersQuery::organizationId>()); }

struct ProviderTest
{
    bool ok = false;
    std::vector<ProviderTestStep> steps;
};

constexpr auto schemaOf(const ProviderTest*) { return describe(members<&ProviderTest::ok, &ProviderTest::steps>()); }

/// Manages identity providers: operators those of the installation and of any organization, others those of their organization.
/// Thread-safe.
class IdentityProviderRoutes
{
public:
    IdentityProviderRoutes(Core& core, Connectors& connectors) : _core(core), _connectors(connectors) {}
    void declare(Routes& routes);

    Page<IdentityProvider> list(const Caller& caller, const Query<IdentityProvidersQuery>& query, const Paging& paging) const;
    Created<IdentityProvider> create(const Caller& caller, const Request& request, const Body<IdentityProvider>& input);
    IdentityProvider show(const Caller& caller, const Path<IdentityProviderId>& id) const;
    IdentityProvider update(const Caller& caller, const Request& request, const Path<IdentityProviderId>& id,
                            const Body<Patch<IdentityProvider>>& patch, const IfMatch& match);
    NoContent remove(const Caller& caller, const Request& request, const Path<IdentityProviderId>& id, const IfMatch& match);
    ProviderTest test(const Caller& caller, const Path<IdentityProviderId>& id);

private:
    /// Returns a provider that the caller manages. @throws Problem 404
    IdentityProvider require(Session& session, const Caller& caller, const IdentityProviderId& id) const;
    /// Checks that the caller may configure it so, and that its values are valid. @throws Problem 400, 403, 404
    void check(Session& session, const Caller& caller, const IdentityProvider& provider) const;
    /// Verifies the provider's issuer if it answers. @throws Problem 400 `issuer_mismatch`, `address_not_allowed`
    void requireSetUp(const IdentityProvider& provider);

    Core& _core;
    Connectors& _connectors;
};

} // namespace portico::identity
