#pragma once

#include "common/Ids.h"
#include "common/TimeZoneName.h"

#include "portico/Table.h"

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace portico::social
{

/// Brands of one organization, at most.
inline constexpr std::int64_t maxBrands = 200;

/// Requirement and number of approvals for posts.
struct ApprovalPolicy
{
    bool required = false;
    /// Approvals in a row, each by another person.
    int steps = 1;
    bool allowSelfApproval = false;
    bool operator==(const ApprovalPolicy&) const = default;
};

constexpr auto schemaOf(const ApprovalPolicy*)
{
    return describe(field<&ApprovalPolicy::required>(),
                    field<&ApprovalPolicy::steps>().range(1, 3).description("Number of approvals, each by a different user"),
                    field<&ApprovalPolicy::allowSelfApproval>());
}

/// A time of the week at which posts are published.
struct PlannedSlot
{
    /// 1 is Monday.
    int weekday = 1;
    /// `HH:MM` in the brand's zone.
    std::string time;
    auto operator<=>(const PlannedSlot&) const = default;
};

constexpr auto schemaOf(const PlannedSlot*)
{
    return describe(field<&PlannedSlot::weekday>().range(1, 7).description("1 is Monday"),
                    field<&PlannedSlot::time>().required().matches(isTimeOfDay, "invalid_time", "a time of day, HH:MM"));
}

/// Brand under which an organization publishes.
struct Brand : Versioned
{
    BrandId brandId;
    /// Filled in where the record is shown.
    OrganizationId organizationId;
    std::string name;
    std::string nameFolded;
    std::string slug;
    std::string description;
    std::optional<MediaId> avatarMediaId;
    std::string timeZone = "UTC";
    std::string language = "en";
    ApprovalPolicy approvalPolicy;
    std::int64_t latePublishGraceMinutes = 120;
    std::int64_t deckHalfLifeHours = 24;
    std::vector<PlannedSlot> slotPlan;
    std::string createdBy;
    /// The caller's, filled in where the record is shown.
    std::string role;
};

/// Returns whether the text is 1 to 60 of a-z, 0-9 and `-`.
bool isSlug(std::string_view text);

/// Marks a member of a brand that must always have a value. If T creates a brand, a default replaces a missing value.
template <class T, class F>
constexpr auto neverCleared(const F& field)
{
    if constexpr (std::derived_from<T, Brand>)
        return field.required();
    else
        return field;
}

/// The members that a caller sets; T is a brand, or what makes one.
template <class T>
constexpr auto brandSettings()
{
    return describe(field("description", static_cast<std::string T::*>(&T::description)).maxLength(2000),
                    neverCleared<T>(field("timeZone", static_cast<std::string T::*>(&T::timeZone)))
                        .matches(isTimeZone, "unknown_time_zone", "a time zone of the tz database"),
                    neverCleared<T>(field("language", static_cast<std::string T::*>(&T::language)))
                        .matches(isLanguageTag, "invalid_language", "a language tag of BCP 47"),
                    field("approvalPolicy", static_cast<ApprovalPolicy T::*>(&T::approvalPolicy)),
                    field("latePublishGraceMinutes", static_cast<std::int64_t T::*>(&T::latePublishGraceMinutes)).range(0, 1440),
                    field("deckHalfLifeHours", static_cast<std::int64_t T::*>(&T::deckHalfLifeHours)).range(1, 168),
                    field("slotPlan", static_cast<std::vector<PlannedSlot> T::*>(&T::slotPlan)).maxItems(168));
}

/// All members; T is a brand, or derives from it.
template <class T>
constexpr auto brandMembers()
{
    return describe(
        field("brandId", static_cast<BrandId T::*>(&T::brandId)).readOnly().column("id"),
        field("organizationId", static_cast<OrganizationId T::*>(&T::organizationId)).readOnly().transient(),
        field("name", static_cast<std::string T::*>(&T::name)).required().trimmed().maxLength(120),
        field("nameFolded", static_cast<std::string T::*>(&T::nameFolded)).columnOnly(),
        field("slug", static_cast<std::string T::*>(&T::slug)).required().matches(isSlug, "invalid_slug", "1 to 60 of a-z, 0-9 and -"),
        field("avatarMediaId", static_cast<std::optional<MediaId> T::*>(&T::avatarMediaId)), brandSettings<T>(),
        field("createdBy", static_cast<std::string T::*>(&T::createdBy)).readOnly(),
        field("role", static_cast<std::string T::*>(&T::role)).readOnly().transient().description("The caller's"), versioned<T>());
}

constexpr auto schemaOf(const Brand*) { return brandMembers<Brand>(); }

inline constexpr Table brandTable{"brand", &Brand::brandId};

} // namespace portico::social
