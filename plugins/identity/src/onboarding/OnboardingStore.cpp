#include "onboarding/OnboardingStore.h"

#include "users/RecoveryEmail.h"

#include <algorithm>

namespace portico::identity
{

bool OnboardingProgress::isDone(std::string_view step) const { return std::ranges::find(done, step) != done.end(); }

std::optional<std::string> currentStep(const CatalogService& service, const OnboardingProgress& progress)
{
    for (const auto& step : service.onboardingSteps)
        if (!progress.isDone(step.id)) return step.id;
    return std::nullopt;
}

std::vector<std::string> missingSteps(const CatalogService& service, const OnboardingProgress& progress)
{
    std::vector<std::string> missing;
    for (const auto& step : service.onboardingSteps)
        if (step.required && !progress.isDone(step.id)) missing.push_back(step.id);
    return missing;
}

bool hasVerifiedRecoveryEmail(Session& session, const UserId& user)
{
    return recovery_emails::find(session, user.text()).verifiedAt.has_value();
}

} // namespace portico::identity
