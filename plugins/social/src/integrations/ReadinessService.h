#pragma once

#include "integrations/Integration.h"
#include "integrations/Vault.h"

#include "portico/Plugin.h"

#include <string_view>
#include <vector>

namespace portico::social
{

/// Computes the readiness of networks on read, and stores results of self-tests. Thread-safe.
class ReadinessService
{
public:
    ReadinessService(PluginContext& context, const Networks& networks, const Vault& vault)
        : _context(context), _networks(networks), _vault(vault)
    {
    }

    /// Returns the readiness of one network for a brand. @param accounts all accounts of the brand
    Judgement of(Session& session, Platform platform, const std::vector<Integration>& accounts) const;
    /// Returns the readiness of all networks, in the order of `Platform`.
    BrandReadiness ofBrand(Session& session, Tenant tenant, const BrandId& brand) const;
    std::vector<Provider> providers(Session& session, const std::vector<Integration>& accounts) const;

    /// Records that a network has answered for an account. Ignores accounts at a test host, which prove nothing.
    void notePassed(Session& session, const Integration& account) const;
    /// Records a rejection because of a development tier.
    void noteRestricted(Session& session, Platform platform) const;

private:
    PluginContext& _context;
    const Networks& _networks;
    const Vault& _vault;
};

/// Returns the accounts of a brand, by id.
std::vector<Integration> accountsOf(Session& session, Tenant tenant, const BrandId& brand);

} // namespace portico::social
