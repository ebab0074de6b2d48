#pragma once

#include "networks/Network.h"

#include "portico/Config.h"

namespace portico::social
{

/// A network that publishes for approved applications only: its limits are known, and it names the settings that an operator needs. This
/// version does not publish there, so it is `setup-required` whatever is set. Thread-safe.
class ListedNetwork final : public Network
{
public:
    ListedNetwork(Platform platform, const Config& config) : _platform(platform), _config(config) {}

    Platform platform() const noexcept override { return _platform; }
    ConnectKind connectKind() const noexcept override { return ConnectKind::CodeFlow; }
    NetworkLimits limits(const Credentials* account) const override;
    std::vector<ReadinessReason> missing() const override;
    AccountProfile check(const NetworkAccount& account) override;
    std::vector<FixedStep> prepare(const Publication& publication, const NetworkAccount& account, Instant now) override;
    StepOutcome perform(const StepCall& call) override;
    Repetition repetition() const noexcept override { return Repetition::Never; }

private:
    const Platform _platform;
    const Config& _config;
};

} // namespace portico::social
