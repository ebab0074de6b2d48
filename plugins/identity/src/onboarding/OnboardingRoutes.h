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
    return describe(field("id", &OnboardingStepView::id), field("title", &OnboardingStepView::title),
                    field("required", &OnboardingStepView::required), field("done", &OnboardingStepView::done));
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
    return describe(field("service_id", &OnboardingView::serviceId), field("organizationId", &OnboardingView::organizationId),
                    field("status", &OnboardingView::status), field("currentStep", &OnboardingView::currentStep),
                    field("steps", &OnboardingView::steps), field("data", &OnboardingView::data),
                    field("completedAt", &OnboardingView::completedAt), field("version", &OnboardingView::version))
        .named("ServiceOnboardingView");
}

struct StepInput
{
    std::string step;
    Json data;
};

constexpr auto schemaOf(const StepInput*)
{
    return describe(field("step", &StepInput::step).required().maxLength(80), field("data", &StepInput::data)).named("OnboardingStepInput");
}

/// The first steps in a service: of an organization for who manages them, at home for oneself. Thread-safe.
class OnboardingRoutes
{
public:
    explicit OnboardingRoutes(Core& core) : _core(core) {}
    void declare(Routes& routes);

    OnboardingView show(const Caller& caller, const Path<std::string>& serviceId) const;
    OnboardingView update(const Request& request, const Path<std::string>& serviceId, const Body<StepInput>& input, const IfMatch& match);
    OnboardingView complete(const Request& request, const Path<std::string>& serviceId, const IfMatch& match);

private:
    template <class F>
    OnboardingView change(const Request& request, const std::string& serviceId, const IfMatch& match, F edit);
    Core& _core;
};

} // namespace portico::identity
