#pragma once

#include "networks/Network.h"

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace portico::tests
{

/// Configures a fake network and records its calls. Shared by the test and the network. The functions may be called on several threads.
struct FakeNetworkScript
{
    social::ConnectKind kind = social::ConnectKind::CodeFlow;
    std::vector<social::ReadinessReason> missing = {};
    std::vector<social::ReadinessReason> trialReasons = {};
    std::function<social::ConnectStart(const social::ConnectRequest&)> connect = {};
    std::function<social::AccountProfile(std::string_view keep, std::string_view code)> finish = {};
    std::function<social::AccountProfile(const social::NetworkAccount&)> check = {};
    std::function<social::Refreshed(const social::NetworkAccount&)> refresh = {};
    std::function<void(const social::NetworkAccount&)> revoke = {};
};

/// Network that follows a script.
class FakeNetwork final : public social::Network
{
public:
    FakeNetwork(social::Platform platform, FakeNetworkScript& script) : _platform(platform), _script(script) {}

    social::Platform platform() const noexcept override { return _platform; }
    social::ConnectKind connectKind() const noexcept override { return _script.kind; }
    social::NetworkLimits limits(const social::Credentials* account) const override
    {
        social::NetworkLimits limits;
        limits.maxText = account != nullptr && account->maxText > 0 ? account->maxText : 500;
        return limits;
    }
    std::vector<social::ReadinessReason> missing() const override { return _script.missing; }
    std::vector<social::ReadinessReason> trialReasons() const override { return _script.trialReasons; }
    social::ConnectStart connect(const social::ConnectRequest& request) override { return _script.connect(request); }
    social::AccountProfile finish(std::string_view keep, const social::ConnectReturn& back) override
    {
        return _script.finish(keep, back.code);
    }
    social::AccountProfile check(const social::NetworkAccount& account) override { return _script.check(account); }
    social::Refreshed refresh(const social::NetworkAccount& account) override
    {
        return _script.refresh ? _script.refresh(account) : social::Refreshed{};
    }
    void revoke(const social::NetworkAccount& account) noexcept override
    {
        if (_script.revoke) _script.revoke(account);
    }
    std::vector<social::FixedStep> prepare(const social::Publication&, const social::NetworkAccount&, Instant) override { return {}; }
    social::StepOutcome perform(const social::StepCall&) override { return {}; }
    social::Repetition repetition() const noexcept override { return social::Repetition::Never; }

private:
    const social::Platform _platform;
    FakeNetworkScript& _script;
};

} // namespace portico::tests
