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

/// How far an organization, or in personal context a person, has come with the first steps in a service.
struct OnboardingProgress : Versioned
{
    std::string serviceId;
    OnboardingStatus status = OnboardingStatus::NotStarted;
    std::vector<std::string> done;
    /// What was entered, by step.
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

/// The first step that is left, required or not; empty when all are done.
std::optional<std::string> currentStep(const CatalogService& service, const OnboardingProgress& progress);
/// Required ones that are left.
std::vector<std::string> missingSteps(const CatalogService& service, const OnboardingProgress& progress);

/// Whether the person has a recovery address that was verified.
bool hasVerifiedRecoveryEmail(Session& session, const UserId& user);

} // namespace portico::identity
