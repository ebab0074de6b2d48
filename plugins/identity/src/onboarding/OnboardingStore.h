#pragma once

#include "catalog/Catalog.h"

#include "portico/Table.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

enum class OnboardingStatus : std::uint8_t
{
    NotStarted,
    InProgress,
    Completed
};

constexpr auto schemaOf(const OnboardingStatus*)
{
    using enum OnboardingStatus;
    return portico::choices<OnboardingStatus>({{"not_started", NotStarted}, {"in_progress", InProgress}, {"completed", Completed}});
}

/// Progress of an organization, or in personal context of a person, with the first steps in a service.
struct OnboardingProgress : Versioned
{
    std::string serviceId;
    OnboardingStatus status = OnboardingStatus::NotStarted;
    std::vector<std::string> done;
    /// Entered data by step.
    std::map<std::string, Json> data;
    std::optional<Instant> completedAt;

    bool isDone(std::string_view step) const;
};

constexpr auto schemaOf(const OnboardingProgress*)
{
    return describe(
        field<&OnboardingProgress::serviceId>("service_id"),
        members<&OnboardingProgress::status, &OnboardingProgress::done, &OnboardingProgress::data, &OnboardingProgress::completedAt>(),
        versioned<OnboardingProgress>());
}

inline constexpr Table onboardingTable{"service_onboarding", {.tenant = "owner_id"}, &OnboardingProgress::serviceId};

/// Returns the first open step, required or not; empty if all are done.
std::optional<std::string> currentStep(const CatalogService& service, const OnboardingProgress& progress);
/// Returns the open required steps.
std::vector<std::string> missingSteps(const CatalogService& service, const OnboardingProgress& progress);

/// Returns true if the user has a verified recovery address.
bool hasVerifiedRecoveryEmail(Session& session, const UserId& user);

} // namespace portico::identity
