#pragma once

#include "common/Ids.h"
#include "common/Platform.h"
#include "networks/Networks.h"

#include "portico/Schema.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::social
{

/// Availability of a network on this server (2.A.7).
enum class Readiness : std::uint8_t
{
    /// The connector is not built into this server.
    Planned,
    /// A setting of the operator is missing.
    SetupRequired,
    /// For trials: the reasons say why.
    SandboxOnly,
    ProductionReady
};

constexpr auto schemaOf(const Readiness*)
{
    using enum Readiness;
    return portico::choices<Readiness>(
        {{"production-ready", ProductionReady}, {"sandbox-only", SandboxOnly}, {"setup-required", SetupRequired}, {"planned", Planned}});
}

constexpr auto schemaOf(const ReadinessReason*)
{
    return describe(members<&ReadinessReason::code, &ReadinessReason::message>(), field<&ReadinessReason::setting>().omitEmpty());
}

/// Code of a `ConnectFault` for a call that a development tier does not allow.
inline constexpr std::string_view tierRestricted = "tier_restricted";

/// Result of a network's last self-test. A self-test reads an account from the network.
struct SelfTest
{
    std::optional<Instant> passedAt;
    /// The last one met a restriction of a development tier.
    bool restricted = false;
};

/// Everything that decides about a network, for `judge`.
struct ReadinessInput
{
    /// Null: planned.
    const Network* network = nullptr;
    bool hasSealingKeys = false;
    /// `social.<platform>.mode` is `sandbox`.
    bool sandboxMode = false;
    /// The brand has an account of the network.
    bool hasAccounts = false;
    /// An account of the brand is at a loopback or test host.
    bool atTestHost = false;
    /// The brand has no other account of the network. Checks of such accounts are no self-tests.
    bool onlyAtTestHosts = false;
    SelfTest selfTest = {};
    Instant now{};
};

struct Judgement
{
    Readiness readiness = Readiness::Planned;
    std::vector<ReadinessReason> reasons;

    bool isConnectable() const noexcept { return readiness == Readiness::SandboxOnly || readiness == Readiness::ProductionReady; }
};

/// Applies the rules of 2.A.7. @param platform for the names of settings
Judgement judge(Platform platform, const ReadinessInput& input);

/// Returns whether a URL leads to this machine, a private network or a name that is reserved for tests (RFC 2606, RFC 6761).
bool isTestHost(std::string_view url);

enum class Connection : std::uint8_t
{
    None,
    Connected,
    ReconnectRequired
};

constexpr auto schemaOf(const Connection*)
{
    using enum Connection;
    return portico::choices<Connection>({{"none", None}, {"connected", Connected}, {"reconnect_required", ReconnectRequired}});
}

/// A network as a brand can use it.
struct PlatformReadiness
{
    Platform platform = Platform::Webhook;
    Readiness readiness = Readiness::Planned;
    Connection connection = Connection::None;
    bool canPublish = false;
    std::vector<ReadinessReason> reasons;
    NetworkLimits limits;
    std::vector<IntegrationId> integrations;
};

constexpr auto schemaOf(const PlatformReadiness*)
{
    return describe(
        members<&PlatformReadiness::platform, &PlatformReadiness::readiness, &PlatformReadiness::connection, &PlatformReadiness::canPublish,
                &PlatformReadiness::reasons, &PlatformReadiness::limits, &PlatformReadiness::integrations>());
}

/// Answer of GET /api/brands/{brandId}/publishing-readiness.
struct BrandReadiness
{
    BrandId brandId;
    Instant checkedAt{};
    std::vector<PlatformReadiness> platforms;
};

constexpr auto schemaOf(const BrandReadiness*)
{
    return describe(members<&BrandReadiness::brandId, &BrandReadiness::checkedAt, &BrandReadiness::platforms>());
}

/// A network in the list of accounts.
struct Provider
{
    Platform platform = Platform::Webhook;
    Readiness readiness = Readiness::Planned;
    bool connectable = false;
    std::vector<ReadinessReason> reasons;
};

constexpr auto schemaOf(const Provider*)
{
    return describe(members<&Provider::platform, &Provider::readiness, &Provider::connectable, &Provider::reasons>());
}

} // namespace portico::social
