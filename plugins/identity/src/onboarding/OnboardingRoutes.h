#pragma once

#include "common/Core.h"
#include "onboarding/OnboardingStore.h"

#include "portico/Routes.h"

namespace portico::identity
{

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

struct OnboardingView
{
    std::string serviceId;
    std::optional<OrganizationId> organizationId;
    OnboardingStatus status = OnboardingStatus::NotStarted;
    std::optional<std::string> currentStep;
    std::vector<OnboardingStepView> steps;
    std::map<std::string, Json> data;
    std::optional<Instant> completedAt;
    std::int64_t version = 0;
};

constexpr auto schemaOf(const OnboardingView*)
{
    return describe(field<&OnboardingView::serviceId>("service_id"),
                    members<&OnboardingView::organizationId, &OnboardingView::status, &OnboardingView::currentStep, &OnboardingView::steps,
                            &OnboardingView::data, &OnboardingView::completedAt, &OnboardingView::version>())
        .named("ServiceOnboardingView");
}

struct StepInput
{
    std::string step;
    Json data;
};

constexpr auto schemaOf(const StepInput*)
{
    return describe(field<&StepInput::step>().required().maxLength(80), field<&StepInput::data>()).named("OnboardingStepInput");
}

/// Tracks the first steps in a service: of an organization for its managers, in personal context of the user. Thread-safe.
class OnboardingRoutes
{
public:
    explicit OnboardingRoutes(Core& core) : _core(core) {}
    void declare(Routes& routes);

    OnboardingView show(const Caller& caller, const Path<std::string>& serviceId) const;
    OnboardingView update(const Caller& caller, const Path<std::string>& serviceId, const Body<StepInput>& input, const IfMatch& match);
    OnboardingView complete(const Caller& caller, const Request& request, const Path<std::string>& serviceId, const IfMatch& match);

private:
    template <class F>
    OnboardingView change(const Caller& caller, const std::string& serviceId, const IfMatch& match, F edit);
    Core& _core;
};

} // namespace portico::identity
