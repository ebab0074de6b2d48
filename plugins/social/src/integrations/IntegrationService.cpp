#include "integrations/IntegrationService.h"

#include "audit/EventChanges.h"
#include "common/ChangeNews.h"

#include "portico/Problem.h"
#include "portico/Text.h"

#include <chrono>

namespace portico::social
{

namespace
{
constexpr std::string_view checkAllJob = "social.integrations.check_due";
constexpr std::string_view checkOneJob = "social.integrations.check";
constexpr std::string_view sealAgainJob = "social.integrations.seal_again";
constexpr auto checkEvery = std::chrono::hours(24);
constexpr std::int64_t batchSize = 200;

struct AccountName
{
    std::string organizationId;
    BrandId brandId;
    IntegrationId integrationId;
};

constexpr auto schemaOf(const AccountName*)
{
    return describe(members<&AccountName::organizationId, &AccountName::brandId, &AccountName::integrationId>());
}

/// Copies the members of an account that the network returned; all others stay.
void applyProfile(Integration& integration, const AccountProfile& profile)
{
    const auto set = [](std::string& member, const std::string& value, std::size_t most)
    {
        if (!value.empty()) member = cleanText(value, most);
    };
    set(integration.accountType, profile.accountType, 40);
    set(integration.displayName, profile.displayName, 200);
    set(integration.handle, profile.handle, 320);
    if (isWebUrl(profile.avatarUrl)) integration.avatarUrl = profile.avatarUrl;
    if (!profile.scopes.empty()) integration.scopes = profile.scopes;
}
} // namespace

void IntegrationService::start()
{
    auto& jobs = _context.jobs();
    jobs.handle(checkAllJob, [this](const Job&) { checkDue(); });
    jobs.every(checkAllJob, std::chrono::hours(1));
    jobs.handle<AccountName>(checkOneJob,
                             [this](const AccountName& name, const Job&)
                             {
                                 const auto tenant = Tenant::fromStored(name.organizationId);
                                 {
                                     auto session = _context.database().session();
                                     if (!integrationTable.exists(session, tenant, name.brandId, name.integrationId)) return;
                                 }
                                 check(Doer::system(), tenant, name.brandId, name.integrationId);
                             });
    jobs.handle(sealAgainJob,
                [this](const Job& job)
                {
                    if (sealAgain(job.stop) > 0) throw JobRetry::after(std::chrono::seconds(1), "accounts have changed").uncounted();
                });
    if (_vault.isReady())
        _context.database().transact([&](Transaction& transaction)
                                     { jobs.enqueue(transaction, sealAgainJob, {.dedupeKey = std::string(sealAgainJob)}); });
}

Integration IntegrationService::store(const Doer& doer, Tenant tenant, const BrandId& brand, Platform platform,
                                      const AccountProfile& profile) const
{
    const Stamp stamp{_context.clock().now(), doer.actor.id};
    return _context.database().transact(
        [&](Transaction& transaction)
        {
            audit::lock(transaction, tenant, brand);
            const auto known = integrationTable.select(tenant)
                                   .where(&Integration::brandId, brand)
                                   .where(&Integration::platform, platform)
                                   .where(&Integration::instanceUrl, profile.serverUrl)
                                   .where(&Integration::externalId, profile.externalId)
                                   .first(transaction);
            const auto connect = [&](Integration& integration)
            {
                const auto old = _vault.open(integration.integrationId, integration.secrets).value_or(Credentials{});
                const auto merged = mergedCredentials(profile.credentials, old);
                applyProfile(integration, profile);
                integration.secrets = _vault.seal(integration.integrationId, merged);
                integration.tokenExpiresAt = merged.expiresAt;
                integration.connectionState = ConnectionState::Connected;
                integration.lastError.reset();
                // A webhook is not asked until its first check.
                if (platform != Platform::Webhook) integration.lastCheckedAt = stamp.now;
            };
            Integration stored;
            if (known)
                stored = integrationTable.change(transaction, tenant, brand, known->integrationId, IfMatch(""), stamp, connect);
            else
            {
                if (integrationTable.select(tenant).where(&Integration::brandId, brand).count(transaction) >= maxAccounts)
                    throw Problem::conflict("conflict", "A brand has at most " + std::to_string(maxAccounts) + " accounts.");
                stored.brandId = brand;
                stored.platform = platform;
                stored.externalId = profile.externalId;
                stored.instanceUrl = profile.serverUrl;
                stored = integrationTable.stamped(std::move(stored), stamp);
                connect(stored);
                integrationTable.insert(transaction, tenant, stored);
            }
            if (platform != Platform::Webhook) _readiness.notePassed(transaction, stored);
            if (_listeners.connected) _listeners.connected(transaction, tenant, brand, stored.integrationId);
            audit::record(transaction, tenant, doer,
                          {.kind = AuditKind::IntegrationConnected,
                           .brandId = brand,
                           .integrationId = stored.integrationId,
                           .data = {R"({"platform":")" + std::string(toString(platform)) + "\"}"}},
                          stamp.now);
            tellAccount(_context, transaction, tenant, brand, stored.integrationId);
            return stored;
        });
}

Integration IntegrationService::check(const Doer& doer, Tenant tenant, const BrandId& brand, const IntegrationId& id) const
{
    Integration integration;
    {
        auto session = _context.database().session();
        integration = integrationTable.require(session, tenant, brand, id);
    }
    if (integration.connectionState != ConnectionState::Connected) return integration;
    auto opened = _accounts.fresh(tenant, brand, id);
    for (bool again = false;; again = true)
    {
        if (opened.state == OpenedAccount::State::Unreachable) return noteError(tenant, integration, "The network could not be reached.");
        auto* network = _networks.find(integration.platform);
        if (opened.state != OpenedAccount::State::Ready || network == nullptr)
        {
            if (!_vault.open(id, integration.secrets))
                return noteError(tenant, integration, "No sealing key of this server can decrypt the tokens.");
            auto session = _context.database().session();
            return integrationTable.require(session, tenant, brand, id);
        }
        try
        {
            return noteProfile(tenant, opened.integration, network->check(opened.account));
        }
        catch (const ConnectFault& fault)
        {
            if (fault.code == tierRestricted)
                _context.database().transact([&](Transaction& transaction)
                                             { _readiness.noteRestricted(transaction, integration.platform); });
            if (fault.kind != ConnectFault::Kind::Refused) return noteError(tenant, opened.integration, fault.what());
            if (again)
            {
                _accounts.markDead(tenant, brand, id, doer, fault.what());
                auto session = _context.database().session();
                return integrationTable.require(session, tenant, brand, id);
            }
            // Refused once: new tokens may do.
            opened = _accounts.refreshed(tenant, brand, id, opened.integration);
        }
    }
}

Integration IntegrationService::noteProfile(Tenant tenant, const Integration& checked, const AccountProfile& profile) const
{
    const auto now = _context.clock().now();
    return _context.database().transact(
        [&](Transaction& transaction)
        {
            const Integration stored =
                integrationTable.change(transaction, tenant, checked.brandId, checked.integrationId, IfMatch(""), {now},
                                        [&](Integration& integration)
                                        {
                                            applyProfile(integration, profile);
                                            integration.lastCheckedAt = now;
                                            integration.lastError.reset();
                                        });
            _readiness.notePassed(transaction, stored);
            tellAccount(_context, transaction, tenant, checked.brandId, checked.integrationId);
            return stored;
        });
}

Integration IntegrationService::noteError(Tenant tenant, const Integration& checked, std::string_view message) const
{
    const auto now = _context.clock().now();
    return _context.database().transact(
        [&](Transaction& transaction)
        {
            tellAccount(_context, transaction, tenant, checked.brandId, checked.integrationId);
            return integrationTable.change(transaction, tenant, checked.brandId, checked.integrationId, IfMatch(""), {now},
                                           [&](Integration& integration)
                                           {
                                               integration.lastCheckedAt = now;
                                               integration.lastError = cleanText(message, 500);
                                           });
        });
}

void IntegrationService::remove(const Doer& doer, Tenant tenant, const BrandId& brand, const IntegrationId& id,
                                const IfMatch& ifMatch) const
{
    const auto now = _context.clock().now();
    const auto removed = _context.database().transact(
        [&](Transaction& transaction)
        {
            audit::lock(transaction, tenant, brand);
            auto integration = integrationTable.remove(transaction, tenant, brand, id, ifMatch);
            tellAccount(_context, transaction, tenant, brand, id);
            if (_listeners.removed) _listeners.removed(transaction, tenant, brand, id, doer);
            audit::record(transaction, tenant, doer,
                          {.kind = AuditKind::IntegrationDisconnected,
                           .brandId = brand,
                           .integrationId = id,
                           .data = {R"({"platform":")" + std::string(toString(integration.platform)) + "\"}"}},
                          now);
            return integration;
        });
    auto* network = _networks.find(removed.platform);
    const auto opened = _accounts.open(removed);
    if (network != nullptr && opened.state == OpenedAccount::State::Ready) network->revoke(opened.account);
}

void IntegrationService::checkDue() const
{
    const auto before = _context.clock().now() - checkEvery;
    _context.database().transact(
        [&](Transaction& transaction)
        {
            std::vector<AccountName> due;
            for (const auto& row : transaction.query("SELECT organization_id, brand_id, id FROM integration WHERE connection_state = "
                                                     "'connected' AND (last_checked_at IS NULL "
                                                     "OR last_checked_at <= $1) ORDER BY last_checked_at, id LIMIT $2",
                                                     before, batchSize))
                due.push_back({row.get<std::string>(0), row.get<BrandId>(1), row.get<IntegrationId>(2)});
            for (const auto& name : due)
                _context.jobs().enqueue(transaction, checkOneJob, name,
                                        {.maxAttempts = 1, .dedupeKey = "check:" + name.integrationId.text()});
        });
}

std::int64_t IntegrationService::sealAgain(const std::stop_token& stop) const
{
    struct Sealed
    {
        std::string organizationId;
        BrandId brandId;
        IntegrationId id;
        std::string secrets;
    };
    std::string after;
    std::int64_t done = 0, missed = 0;
    while (!stop.stop_requested())
    {
        std::vector<Sealed> batch;
        {
            auto session = _context.database().session();
            for (const auto& row : session.query(
                     "SELECT organization_id, brand_id, id, secrets FROM integration WHERE id > $1 ORDER BY id LIMIT $2", after, batchSize))
                batch.push_back({row.get<std::string>(0), row.get<BrandId>(1), row.get<IntegrationId>(2), row.get<std::string>(3)});
        }
        if (batch.empty()) break;
        after = batch.back().id.text();
        for (const auto& old : batch)
        {
            const auto anew = _vault.sealAgain(old.id, old.secrets);
            if (!anew) continue;
            // A faster writer has resealed or moved the row. The next run checks it.
            const auto changed = _context.database().transact(
                [&](Transaction& transaction)
                {
                    return transaction.execute(
                        "UPDATE integration SET secrets = $4 WHERE organization_id = $1 AND brand_id = $2 AND id = $3 AND "
                        "secrets = $5",
                        old.organizationId, old.brandId, old.id, *anew, old.secrets);
                });
            ++(changed == 1 ? done : missed);
        }
    }
    if (done > 0) _context.logger().information("Resealed tokens of accounts with the first key", {{"count", std::to_string(done)}});
    return missed;
}

} // namespace portico::social
