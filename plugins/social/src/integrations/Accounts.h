#pragma once

#include "audit/AuditTrail.h"
#include "integrations/Integration.h"
#include "integrations/ReadinessService.h"
#include "integrations/Vault.h"
#include "networks/Networks.h"

#include "portico/Plugin.h"

#include <functional>
#include <string>
#include <string_view>

namespace portico::social
{

/// Callbacks of rooms above the accounts, in the transaction that connects or removes an account.
struct AccountListeners
{
    /// An account was connected, for the first time or again: queued items that wait for it become due.
    std::function<void(Transaction&, Tenant, const BrandId&, const IntegrationId&)> connected = {};
    /// An account was removed: its queued items fail with `reconnect_required`.
    std::function<void(Transaction&, Tenant, const BrandId&, const IntegrationId&, const Doer&)> removed = {};
};

/// An account that was opened to call its network, or why it cannot be.
struct OpenedAccount
{
    enum class State : std::uint8_t
    {
        Ready,
        /// There is no such account, or it is not connected, or its seal does not open.
        NotConnected,
        /// The network could not be asked for new tokens, and the old ones have expired. Try again later.
        Unreachable
    };
    State state = State::NotConnected;
    NetworkAccount account;
    /// The stored record.
    Integration integration;
};

/// Opens, refreshes and revokes the credentials of accounts. For the worker and for jobs. Thread-safe.
class Accounts
{
public:
    Accounts(PluginContext& context, const Networks& networks, const Vault& vault) : _context(context), _networks(networks), _vault(vault)
    {
    }

    /// Opens an account without a call to the network.
    OpenedAccount open(const Integration& integration) const;
    /// Opens an account for a call, and refreshes tokens after 80 % of their lifetime. Only one refresh of an account runs at a time across
    /// all hosts, and a rotated refresh token is stored before it is used. A revoked grant leads to `markDead`; a network error does not.
    /// May take `Network::longestCall`; call it outside of a transaction.
    OpenedAccount fresh(Tenant tenant, const BrandId& brand, const IntegrationId& id) const;
    /// The same after the network refused the tokens in `used`: refreshes unless another caller has done so since.
    OpenedAccount refreshed(Tenant tenant, const BrandId& brand, const IntegrationId& id, const Integration& used) const;

    /// Notes that the grant has ended: the account needs a person. Reported once: later calls change nothing.
    /// @return false when it was noted before
    bool markDead(Tenant tenant, const BrandId& brand, const IntegrationId& id, const Doer& doer, std::string_view why) const;

private:
    OpenedAccount refreshLocked(Tenant tenant, const BrandId& brand, const IntegrationId& id, const std::string& usedSecrets,
                                bool forced) const;
    Integration store(const Integration& integration, Credentials credentials) const;

    PluginContext& _context;
    const Networks& _networks;
    const Vault& _vault;
};

/// Merges new credentials into stored ones. Members that the network did not send again are kept, in particular the refresh token.
Credentials mergedCredentials(Credentials fresh, const Credentials& stored);

} // namespace portico::social
