#include "integrations/ReadinessService.h"

#include <algorithm>
#include <array>
#include <string>

namespace portico::social
{

namespace
{
constexpr std::array allPlatforms = {Platform::Bluesky,   Platform::Mastodon, Platform::LinkedIn, Platform::FacebookPage,
                                     Platform::Instagram, Platform::Threads,  Platform::X,        Platform::Webhook,
                                     Platform::Pinterest, Platform::YouTube,  Platform::TikTok};

SelfTest selfTestOf(Session& session, Platform platform)
{
    auto rows = session.query("SELECT passed_at, restricted FROM platform_self_test WHERE platform = $1", toString(platform));
    const auto row = rows.next();
    if (!row) return {};
    return {row->get<std::optional<Instant>>(0), row->get<bool>(1)};
}

Connection connectionOf(const std::vector<Integration>& accounts, Platform platform)
{
    auto connection = Connection::None;
    for (const auto& account : accounts)
    {
        if (account.platform != platform || account.connectionState == ConnectionState::Disconnected) continue;
        if (account.connectionState == ConnectionState::Connected) return Connection::Connected;
        connection = Connection::ReconnectRequired;
    }
    return connection;
}
} // namespace

std::vector<Integration> accountsOf(Session& session, Tenant tenant, const BrandId& brand)
{
    return integrationTable.select(tenant).where(&Integration::brandId, brand).orderBy(&Integration::integrationId).all(session);
}

Judgement ReadinessService::of(Session& session, Platform platform, const std::vector<Integration>& accounts) const
{
    ReadinessInput input;
    input.network = _networks.find(platform);
    input.hasSealingKeys = _vault.isReady();
    input.sandboxMode = _context.config().find("social." + std::string(toString(platform)) + ".mode") == "sandbox";
    const auto isAt = [&](bool testHost)
    {
        return std::ranges::any_of(accounts, [&](const Integration& account)
                                   { return account.platform == platform && isTestHost(account.instanceUrl) == testHost; });
    };
    input.atTestHost = isAt(true);
    const bool elsewhere = isAt(false);
    input.hasAccounts = input.atTestHost || elsewhere;
    input.onlyAtTestHosts = input.atTestHost && !elsewhere;
    input.selfTest = selfTestOf(session, platform);
    input.now = _context.clock().now();
    return judge(platform, input);
}

BrandReadiness ReadinessService::ofBrand(Session& session, Tenant tenant, const BrandId& brand) const
{
    const auto accounts = accountsOf(session, tenant, brand);
    BrandReadiness answer{brand, _context.clock().now(), {}};
    for (const auto platform : allPlatforms)
    {
        auto judgement = of(session, platform, accounts);
        PlatformReadiness entry;
        entry.platform = platform;
        entry.readiness = judgement.readiness;
        entry.reasons = std::move(judgement.reasons);
        entry.connection = connectionOf(accounts, platform);
        const bool connectable = entry.readiness == Readiness::SandboxOnly || entry.readiness == Readiness::ProductionReady;
        entry.canPublish = connectable && entry.connection == Connection::Connected;
        std::optional<Credentials> credentials;
        for (const auto& account : accounts)
        {
            if (account.platform != platform) continue;
            entry.integrations.push_back(account.integrationId);
            if (!credentials && account.connectionState == ConnectionState::Connected)
                credentials = _vault.open(account.integrationId, account.secrets);
        }
        entry.limits = _networks.limits(platform, credentials ? &*credentials : nullptr);
        answer.platforms.push_back(std::move(entry));
    }
    return answer;
}

std::vector<Provider> ReadinessService::providers(Session& session, const std::vector<Integration>& accounts) const
{
    std::vector<Provider> providers;
    for (const auto platform : allPlatforms)
    {
        auto judgement = of(session, platform, accounts);
        providers.push_back({platform, judgement.readiness, judgement.isConnectable(), std::move(judgement.reasons)});
    }
    return providers;
}

void ReadinessService::notePassed(Session& session, const Integration& account) const
{
    if (isTestHost(account.instanceUrl)) return;
    session.execute("INSERT INTO platform_self_test (platform, passed_at, restricted) VALUES ($1, $2, FALSE) ON CONFLICT (platform) DO "
                    "UPDATE SET passed_at = excluded.passed_at, restricted = FALSE",
                    toString(account.platform), _context.clock().now());
}

void ReadinessService::noteRestricted(Session& session, Platform platform) const
{
    session.execute("INSERT INTO platform_self_test (platform, passed_at, restricted) VALUES ($1, NULL, TRUE) ON CONFLICT (platform) DO "
                    "UPDATE SET restricted = TRUE",
                    toString(platform));
}

} // namespace portico::social
