#include "integrations/Accounts.h"

#include "portico/Json.h"
#include "portico/Problem.h"
#include "portico/Text.h"

#include <chrono>

namespace portico::social
{

namespace
{
constexpr std::chrono::milliseconds refreshWait{60'000};
constexpr std::size_t maxErrorText = 500;

/// Payload of the outgoing event.
struct ReconnectNotice
{
    IntegrationId integrationId;
    BrandId brandId;
    Platform platform = Platform::Webhook;
};

constexpr auto schemaOf(const ReconnectNotice*)
{
    return describe(members<&ReconnectNotice::integrationId, &ReconnectNotice::brandId, &ReconnectNotice::platform>());
}

bool isDue(const Credentials& credentials, Instant now)
{
    if (!credentials.expiresAt) return false;
    if (!credentials.issuedAt) return now >= *credentials.expiresAt;
    const auto life = *credentials.expiresAt - *credentials.issuedAt;
    return now >= *credentials.issuedAt + life * 4 / 5;
}

/// Returns the owner of an account now: a transfer may have changed it during a call to the network.
std::optional<std::string> ownerOf(Transaction& transaction, const IntegrationId& id)
{
    return transaction.value<std::string>("SELECT organization_id FROM integration WHERE id = $1", id);
}
} // namespace

Credentials mergedCredentials(Credentials fresh, const Credentials& stored)
{
    if (fresh.refreshToken.empty()) fresh.refreshToken = stored.refreshToken;
    if (fresh.signingSecret.empty()) fresh.signingSecret = stored.signingSecret;
    if (fresh.clientId.empty())
    {
        fresh.clientId = stored.clientId;
        fresh.clientSecret = stored.clientSecret;
    }
    return fresh;
}

OpenedAccount Accounts::open(const Integration& integration) const
{
    OpenedAccount opened;
    opened.integration = integration;
    auto credentials = _vault.open(integration.integrationId, integration.secrets);
    if (!credentials || integration.connectionState != ConnectionState::Connected) return opened;
    opened.state = OpenedAccount::State::Ready;
    opened.account = {integration.externalId, integration.handle, integration.instanceUrl, *std::move(credentials)};
    return opened;
}

OpenedAccount Accounts::fresh(Tenant tenant, const BrandId& brand, const IntegrationId& id) const
{
    std::optional<Integration> integration;
    {
        auto session = _context.database().session();
        integration = integrationTable.find(session, tenant, brand, id);
    }
    if (!integration) return {};
    auto opened = open(*integration);
    if (opened.state != OpenedAccount::State::Ready || !isDue(opened.account.credentials, _context.clock().now())) return opened;
    return refreshLocked(tenant, brand, id, integration->secrets, false);
}

OpenedAccount Accounts::refreshed(Tenant tenant, const BrandId& brand, const IntegrationId& id, const Integration& used) const
{
    return refreshLocked(tenant, brand, id, used.secrets, true);
}

OpenedAccount Accounts::refreshLocked(Tenant tenant, const BrandId& brand, const IntegrationId& id, const std::string& usedSecrets,
                                      bool forced) const
{
    OpenedAccount result;
    _context.state().withLock("integration-refresh:" + id.text(), refreshWait,
                              [&]
                              {
                                  std::optional<Integration> integration;
                                  {
                                      auto session = _context.database().session();
                                      integration = integrationTable.find(session, tenant, brand, id);
                                  }
                                  if (!integration) return;
                                  result = open(*integration);
                                  const auto* network = _networks.find(integration->platform);
                                  if (result.state != OpenedAccount::State::Ready || network == nullptr) return;
                                  const auto now = _context.clock().now();
                                  // The holder of the lock before has refreshed them.
                                  if (integration->secrets != usedSecrets && !isDue(result.account.credentials, now)) return;
                                  auto answer = _networks.find(integration->platform)->refresh(result.account);
                                  switch (answer.kind)
                                  {
                                  case Refreshed::Kind::New:
                                      result = open(store(*integration, std::move(answer.credentials)));
                                      break;
                                  case Refreshed::Kind::NotNeeded:
                                      // Tokens that cannot be refreshed and are refused: the grant has ended.
                                      if (!forced) break;
                                      [[fallthrough]];
                                  case Refreshed::Kind::Dead:
                                      markDead(tenant, brand, id, Doer::system(), answer.message);
                                      result.state = OpenedAccount::State::NotConnected;
                                      break;
                                  case Refreshed::Kind::Unreachable:
                                      if (forced || (result.account.credentials.expiresAt && now >= *result.account.credentials.expiresAt))
                                          result.state = OpenedAccount::State::Unreachable;
                                      break;
                                  }
                              });
    return result;
}

Integration Accounts::store(const Integration& integration, Credentials credentials) const
{
    const auto now = _context.clock().now();
    return _context.database().transact(
        [&](Transaction& transaction)
        {
            const auto owner = ownerOf(transaction, integration.integrationId);
            if (!owner) throw Problem::notFound();
            const auto tenant = Tenant::fromStored(*owner);
            audit::lock(transaction, tenant, integration.brandId);
            Integration stored =
                integrationTable.change(transaction, tenant, integration.brandId, integration.integrationId, IfMatch(""), {now},
                                        [&](Integration& row)
                                        {
                                            const auto old = _vault.open(row.integrationId, row.secrets).value_or(Credentials{});
                                            const auto merged = mergedCredentials(credentials, old);
                                            row.secrets = _vault.seal(row.integrationId, merged);
                                            row.tokenExpiresAt = merged.expiresAt;
                                        });
            audit::record(
                transaction, tenant, Doer::system(),
                {.kind = AuditKind::IntegrationTokenRefreshed, .brandId = integration.brandId, .integrationId = integration.integrationId},
                now);
            return stored;
        });
}

bool Accounts::markDead(Tenant tenant, const BrandId& brand, const IntegrationId& id, const Doer& doer, std::string_view why) const
{
    const auto now = _context.clock().now();
    return _context.database().transact(
        [&](Transaction& transaction)
        {
            audit::lock(transaction, tenant, brand);
            const auto before = integrationTable.findForUpdate(transaction, tenant, brand, id);
            if (!before || before->connectionState != ConnectionState::Connected) return false;
            const Integration row = integrationTable.change(transaction, tenant, brand, id, IfMatch(""), {now},
                                                            [&](Integration& integration)
                                                            {
                                                                integration.connectionState = ConnectionState::ReconnectRequired;
                                                                integration.lastError = cleanText(why, maxErrorText);
                                                            });
            audit::record(transaction, tenant, doer,
                          {.kind = AuditKind::IntegrationReconnectRequired, .brandId = brand, .integrationId = id}, now);
            _context.events().publish(transaction, "social.integration.reconnect_required", tenant.text(),
                                      toJson(ReconnectNotice{id, brand, row.platform}));
            return true;
        });
}

} // namespace portico::social
