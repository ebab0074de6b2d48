#pragma once

#include "common/Ids.h"

#include "portico/Table.h"

#include <optional>
#include <string>

namespace portico::launchpad
{

enum class LaunchMode
{
    /// With a code that signs in.
    Handoff,
    /// A plain URL.
    External
};

constexpr auto schemaOf(const LaunchMode*)
{
    return portico::choices<LaunchMode>({{"handoff", LaunchMode::Handoff}, {"external", LaunchMode::External}});
}

enum class LaunchTarget
{
    Web,
    Mobile
};

constexpr auto schemaOf(const LaunchTarget*)
{
    return portico::choices<LaunchTarget>({{"web", LaunchTarget::Web}, {"mobile", LaunchTarget::Mobile}});
}

enum class LaunchOutcome
{
    Pending,
    Exchanged,
    Expired
};

constexpr auto schemaOf(const LaunchOutcome*)
{
    using enum LaunchOutcome;
    return portico::choices<LaunchOutcome>({{"pending", Pending}, {"exchanged", Exchanged}, {"expired", Expired}});
}

/// A person opened an app.
struct Launch
{
    LaunchId id;
    std::string serviceId;
    std::string userId;
    LaunchMode mode = LaunchMode::Handoff;
    LaunchTarget target = LaunchTarget::Web;
    std::string handoffId;
    Instant at{};
    Instant expiresAt{};
    bool exchanged = false;
    /// Only set in answers; empty for an app without code exchange.
    std::optional<LaunchOutcome> outcome;
};

constexpr auto schemaOf(const Launch*)
{
    return describe(field<&Launch::id>(), field<&Launch::serviceId>("service_id"),
                    members<&Launch::userId, &Launch::mode, &Launch::target>(), field<&Launch::handoffId>().columnOnly(),
                    field<&Launch::at>(), field<&Launch::expiresAt>().columnOnly(), field<&Launch::exchanged>().columnOnly(),
                    field<&Launch::outcome>().transient().description("null for apps that do not use codes"));
}

inline constexpr Table launchTable{"launch", &Launch::id};

} // namespace portico::launchpad
