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

    /// Stores an account that a network has confirmed. If the brand already has the account, it is reconnected and keeps its id.
    /// @throws Problem 404 if the brand no longer belongs to the tenant; 409 `conflict` for the 51st account
    Integration store(const Doer& doer, Tenant tenant, const BrandId& brand, Platform platform, const AccountProfile& profile) const;
    /// Reads the account from the network and stores the result. A rejection by the network changes the account's state, and is not an
    /// error.
    /// @throws Problem 404
    Integration check(const Doer& doer, Tenant tenant, const BrandId& brand, const IntegrationId& id) const;
    /// Removes an account, and ends its grant at the network where that is possible. @throws Problem 404, 412
    void remove(const Doer& doer, Tenant tenant, const BrandId& brand, const IntegrationId& id, const IfMatch& ifMatch) const;

    /// Reseals all tokens that are not sealed with the first key.
    /// @return accounts that another writer changed at the same time: call again
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
