#include "networks/ListedNetwork.h"

#include "networks/ListedLimits.h"

#include "portico/Schema.h"

namespace portico::social
{

namespace
{
constexpr std::string_view notBuilt = "This version of the server does not publish to this network yet.";
}

NetworkLimits ListedNetwork::limits(const Credentials*) const { return listedLimits(_platform); }

std::vector<ReadinessReason> ListedNetwork::missing() const
{
    std::vector<ReadinessReason> reasons;
    const std::string prefix = "social." + std::string(toString(_platform)) + ".";
    for (const std::string_view name : {"clientId", "clientSecretFile"})
        if (const auto key = prefix + std::string(name); _config.find(key).value_or("").empty())
            reasons.push_back({"setting_missing", "The operator has not set " + key + ".", key});
    reasons.push_back({"connector_incomplete", std::string(notBuilt), {}});
    return reasons;
}

AccountProfile ListedNetwork::check(const NetworkAccount&)
{
    throw ConnectFault(ConnectFault::Kind::Unreachable, "", "platform_not_ready", notBuilt);
}

std::vector<FixedStep> ListedNetwork::prepare(const Publication&, const NetworkAccount&, Instant) { return {}; }

StepOutcome ListedNetwork::perform(const StepCall&) { return StepOutcome::failed(FailureCode::PlatformNotReady, notBuilt); }

} // namespace portico::social
