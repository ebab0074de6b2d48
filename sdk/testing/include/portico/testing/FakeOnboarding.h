#pragma once

#include "portico/Problem.h"
#include "portico/interfaces/Onboarding.h"

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace portico::testing
{

/// Onboarding without identity, for `FakeServices::offer<interfaces::Onboarding>`. Used by one thread while it is changed.
class FakeOnboarding final : public interfaces::Onboarding
{
public:
    interfaces::OnboardingState state(const Caller& caller, std::string_view) override
    {
        auto found = states[ownerOf(caller)];
        found.manageable = caller.organizationId.empty() || !restricted.contains(caller.principalId);
        return found;
    }
    interfaces::OnboardingState finishStep(const Caller& caller, std::string_view serviceId, std::string_view step,
                                           std::string_view data) override
    {
        requireManager(caller, serviceId);
        auto& found = states[ownerOf(caller)];
        bool known = false;
        for (auto& each : found.steps)
            if (each.id == step) each.done = known = true;
        if (!known) throw Problem::invalid("step", "unknown_step", "The service has no such step.");
        stepData[std::string(step)] = data;
        return state(caller, serviceId);
    }
    interfaces::OnboardingState complete(const Caller& caller, std::string_view serviceId, std::string_view) override
    {
        requireManager(caller, serviceId);
        if (!recoveryEmails[caller.principalId].verified)
            throw Problem::conflict("recovery_email_unverified", "Verify a recovery address.");
        for (const auto& step : states[ownerOf(caller)].steps)
            if (step.required && !step.done) throw Problem::conflict("onboarding_steps_missing", "Steps are left.");
        states[ownerOf(caller)].status = "completed";
        return state(caller, serviceId);
    }
    interfaces::RecoveryEmailState recoveryEmail(const Caller& caller) override { return recoveryEmails[caller.principalId]; }

    /// By organization, or person in personal context.
    std::map<std::string, interfaces::OnboardingState> states;
    std::map<std::string, interfaces::RecoveryEmailState> recoveryEmails;
    /// Data of finished steps.
    std::map<std::string, std::string> stepData;
    /// Users without permission to complete steps of an organization.
    std::set<std::string> restricted;

private:
    static std::string ownerOf(const Caller& caller) { return caller.organizationId.empty() ? caller.principalId : caller.organizationId; }
    void requireManager(const Caller& caller, std::string_view serviceId)
    {
        if (!state(caller, serviceId).manageable) throw Problem::forbidden("permission_denied", "Only administrators finish steps.");
    }
};

} // namespace portico::testing
