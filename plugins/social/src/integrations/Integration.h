#pragma once

#include "common/Ids.h"
#include "common/Platform.h"
#include "integrations/Readiness.h"

#include "portico/Table.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace portico::social
{

/// Accounts of one brand, at most.
inline constexpr std::int64_t maxAccounts = 50;

enum class ConnectionState : std::uint8_t
{
    Connected,
    ReconnectRequired,
    Disconnected
};

constexpr auto schemaOf(const ConnectionState*)
{
    using enum ConnectionState;
    return portico::choices<ConnectionState>(
        {{"connected", Connected}, {"reconnect_required", ReconnectRequired}, {"disconnected", Disconnected}});
}

/// A page that the account manages.
struct IntegrationPage
{
    std::string externalId;
    std::string name;
    std::string role;
};

constexpr auto schemaOf(const IntegrationPage*)
{
    return describe(members<&IntegrationPage::externalId, &IntegrationPage::name, &IntegrationPage::role>());
}

/// A group that the account is a member of.
struct IntegrationGroup
{
    std::string externalId;
    std::string name;
    bool eligible = false;
    std::optional<std::string> ineligibleReason;
};

constexpr auto schemaOf(const IntegrationGroup*)
{
    return describe(members<&IntegrationGroup::externalId, &IntegrationGroup::name, &IntegrationGroup::eligible,
                            &IntegrationGroup::ineligibleReason>());
}

/// An account of a brand at a network.
struct Integration : Versioned
{
    IntegrationId integrationId;
    BrandId brandId;
    Platform platform = Platform::Webhook;
    std::string accountType;
    std::string externalId;
    std::string displayName;
    std::string handle;
    std::string avatarUrl;
    /// Server of the account: a Mastodon instance or a Bluesky PDS. For a webhook the whole URL, of which answers show only the origin.
    std::string instanceUrl;
    ConnectionState connectionState = ConnectionState::Connected;
    std::vector<std::string> scopes;
    std::optional<Instant> tokenExpiresAt;
    std::optional<Instant> lastCheckedAt;
    std::optional<std::string> lastError;
    std::vector<IntegrationPage> pages;
    std::vector<IntegrationGroup> groups;
    /// `Credentials` as JSON, sealed; never in an answer.
    std::string secrets;
    std::string createdBy;
    /// Readiness of the platform for the brand; only set in answers.
    Readiness readiness = Readiness::SetupRequired;
};

constexpr auto schemaOf(const Integration*)
{
    return describe(field<&Integration::integrationId>().column("id"),
                    members<&Integration::brandId, &Integration::platform, &Integration::accountType, &Integration::externalId,
                            &Integration::displayName, &Integration::handle, &Integration::avatarUrl, &Integration::instanceUrl,
                            &Integration::connectionState, &Integration::scopes, &Integration::tokenExpiresAt, &Integration::lastCheckedAt,
                            &Integration::lastError, &Integration::pages, &Integration::groups>(),
                    field<&Integration::secrets>().columnOnly(), field<&Integration::createdBy>(),
                    field<&Integration::readiness>().transient(), versioned<Integration>());
}

inline constexpr Table integrationTable{"integration", &Integration::brandId, &Integration::integrationId};

} // namespace portico::social
