#pragma once

#include "portico/Plugin.h"
#include "portico/Routes.h"
#include "portico/interfaces/Onboarding.h"

#include <string>
#include <vector>

namespace portico::launchpad
{

/// Next step of a caller.
enum class OnboardingStep
{
    RecoveryEmail,
    Organization,
    Done
};

constexpr auto schemaOf(const OnboardingStep*)
{
    using enum OnboardingStep;
    return portico::choices<OnboardingStep>({{"recovery_email", RecoveryEmail}, {"organization", Organization}, {"done", Done}});
}

struct RecoveryEmailView
{
    std::string status;
    std::string maskedEmail;
    std::string pendingMaskedEmail;
    bool verified = false;
};

constexpr auto schemaOf(const RecoveryEmailView*)
{
    return describe(members<&RecoveryEmailView::status, &RecoveryEmailView::maskedEmail, &RecoveryEmailView::pendingMaskedEmail,
                            &RecoveryEmailView::verified>());
}

struct OnboardingStepView
{
    std::string id;
    std::string title;
    bool required = false;
    bool done = false;
};

constexpr auto schemaOf(const OnboardingStepView*)
{
    return describe(
        members<&OnboardingStepView::id, &OnboardingStepView::title, &OnboardingStepView::required, &OnboardingStepView::done>());
}

struct ServiceOnboardingView
{
    std::string status;
    std::vector<OnboardingStepView> steps;
    /// False for a member who waits for an administrator.
    bool manageable = false;
};

constexpr auto schemaOf(const ServiceOnboardingView*)
{
    return describe(
        members<&ServiceOnboardingView::status, &ServiceOnboardingView::steps>(),
        field<&ServiceOnboardingView::manageable>().description("Whether the caller may complete the onboarding of the organization"));
}

struct OnboardingView
{
    OnboardingStep step = OnboardingStep::Done;
    RecoveryEmailView recoveryEmail;
    ServiceOnboardingView service;
    std::string next;
};

constexpr auto schemaOf(const OnboardingView*)
{
    return describe(members<&OnboardingView::step, &OnboardingView::recoveryEmail, &OnboardingView::service>(),
                    field<&OnboardingView::next>().description("/onboarding or /dashboard"));
}

struct CompleteInput
{
    Json data;
};

constexpr auto schemaOf(const CompleteInput*)
{
    return describe(field<&CompleteInput::data>().description("Object that identity stores with the step"));
}

struct CompleteAnswer
{
    std::string next;
};

constexpr auto schemaOf(const CompleteAnswer*) { return describe(members<&CompleteAnswer::next>()); }

/// The first steps: the recovery address of the person, then the organization. Identity keeps both. Thread-safe.
class OnboardingRoutes
{
public:
    explicit OnboardingRoutes(PluginContext& context) : _context(context) {}
    void declare(Routes& routes);

    OnboardingView show(const Caller& caller) const;
    CompleteAnswer complete(const Caller& caller, const Request& request, const Body<CompleteInput>& input) const;

    /// Returns the next step of a caller. @throws Problem 503 `onboarding_unavailable` while identity is unavailable
    OnboardingView viewOf(const Caller& caller) const;

private:
    Leased<interfaces::Onboarding> require() const;

    PluginContext& _context;
};

} // namespace portico::launchpad
