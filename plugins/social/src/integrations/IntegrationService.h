#pragma once

#include "integrations/Accounts.h"

#include <cstdint>
#include <stop_token>

namespace portico::social
{

/// Stores, checks and removes accounts. Thread-safe.
class IntegrationService
{
public:
    IntegrationService(PluginContext& context, const Networks& networks, const Vault& vault, const ReadinessService& readiness,
                       const Accounts& accounts, AccountListeners listeners)
        : _context(context),
          _networks(networks),
          _vault(vault),
          _readiness(readiness),
          _accounts(accounts),
          _listeners(std::move(listeners))
    {
    }

    /// Handles the jobs of accounts: the daily check of each grant, and sealing again with a new first key.
    void start();

    /// Stores an account that a network has confirmed. The same account of the brand is connected again, and keeps its id.
    /// @throws Problem 404 when the brand is not the tenant's any more; 409 `conflict` for the 51st account
    Integration store(const Doer& doer, Tenant tenant, const BrandId& brand, Platform platform, const AccountProfile& profile) const;
    /// Asks the network who the account is and stores what it says. The network's refusal is in the account's state, not an error here.
    /// @throws Problem 404
    Integration check(const Doer& doer, Tenant tenant, const BrandId& brand, const IntegrationId& id) const;
    /// Removes an account, and ends its grant at the network where that is possible. @throws Problem 404, 412
    void remove(const Doer& doer, Tenant tenant, const BrandId& brand, const IntegrationId& id, const IfMatch& ifMatch) const;

    /// Seals with the first key all tokens that an earlier key has sealed.
    /// @return accounts that another writer changed at the same time: look again
    std::int64_t sealAgain(const std::stop_token& stop) const;

private:
    void checkDue() const;
    Integration noteProfile(Tenant tenant, const Integration& checked, const AccountProfile& profile) const;
    Integration noteError(Tenant tenant, const Integration& checked, std::string_view message) const;

    PluginContext& _context;
    const Networks& _networks;
    const Vault& _vault;
    const ReadinessService& _readiness;
    const Accounts& _accounts;
    const AccountListeners _listeners;
};

} // namespace portico::social
