#pragma once

#include "onboarding/OnboardingRoutes.h"
#include "users/RecoveryEmail.h"

#include "portico/interfaces/Directory.h"
#include "portico/interfaces/Onboarding.h"

namespace portico::identity
{

/// `identity.onboarding`: the routes of onboarding for plugins on the same host. Thread-safe.
class InProcessOnboarding final : public interfaces::Onboarding
{
public:
    InProcessOnboarding(Core& core, interfaces::Directory& directory, OnboardingRoutes& routes)
        : _core(core), _directory(directory), _routes(routes)
    {
    }

    interfaces::OnboardingState state(const Caller& caller, std::string_view serviceId) override;
    interfaces::OnboardingState finishStep(const Caller& caller, std::string_view serviceId, std::string_view step,
                                           std::string_view data) override;
    interfaces::OnboardingState complete(const Caller& caller, std::string_view serviceId, std::string_view clientAddress) override;
    interfaces::RecoveryEmailState recoveryEmail(const Caller& caller) override;

private:
    /// In an organization finishing steps needs identity's permission for it; a person manages their own steps.
    bool mayManage(const Caller& caller);
    void requireManager(const Caller& caller);

    Core& _core;
    interfaces::Directory& _directory;
    OnboardingRoutes& _routes;
};

} // namespace portico::identity
