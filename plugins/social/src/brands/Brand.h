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
    return describe(field<&PlannedSlot::weekday>().range(1, 7).description("1 (Monday) to 7 (Sunday)"),
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
    return describe(field<&T::description>().maxLength(2000),
                    neverCleared<T>(field<&T::timeZone>()).matches(isTimeZone, "unknown_time_zone", "a time zone of the tz database"),
                    neverCleared<T>(field<&T::language>()).matches(isLanguageTag, "invalid_language", "a language tag of BCP 47"),
                    field<&T::approvalPolicy>(), field<&T::latePublishGraceMinutes>().range(0, 1440),
                    field<&T::deckHalfLifeHours>().range(1, 168), field<&T::slotPlan>().maxItems(168));
}

constexpr auto schemaOf(const Brand*)
{
    return describe(field<&Brand::brandId>().readOnly().column("id"), field<&Brand::organizationId>().readOnly().transient(),
                    field<&Brand::name>().required().trimmed().maxLength(120), field<&Brand::nameFolded>().columnOnly(),
                    field<&Brand::slug>().required().matches(isSlug, "invalid_slug", "1 to 60 of a-z, 0-9 and -"),
                    field<&Brand::avatarMediaId>(), brandSettings<Brand>(), field<&Brand::createdBy>().readOnly(),
                    field<&Brand::role>().readOnly().transient().description("The caller's"), versioned<Brand>());
}

inline constexpr Table brandTable{"brand", &Brand::brandId};

} // namespace portico::social
