#pragma once

#include "common/Ids.h"

#include "portico/Table.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::launchpad
{

/// Mode of a rule about an app, from the weakest.
enum class AssignmentMode
{
    Optional,
    /// Installed, and not removable.
    Required,
    Blocked
};

constexpr auto schemaOf(const AssignmentMode*)
{
    using enum AssignmentMode;
    return portico::choices<AssignmentMode>({{"optional", Optional}, {"required", Required}, {"blocked", Blocked}});
}

/// Subject of a rule, from the most specific.
enum class SubjectType
{
    User,
    Role,
    Everyone
};

constexpr auto schemaOf(const SubjectType*)
{
    using enum SubjectType;
    return portico::choices<SubjectType>({{"user", User}, {"role", Role}, {"everyone", Everyone}});
}

struct AssignmentSubject
{
    SubjectType type = SubjectType::User;
    /// A user, or a role; empty for everyone.
    std::optional<std::string> id;
};

constexpr auto schemaOf(const AssignmentSubject*)
{
    return describe(field<&AssignmentSubject::type>().description("`everyone` for all members except guests"),
                    field<&AssignmentSubject::id>().maxLength(60).description("A user or a role"));
}

/// A rule of an organization about an app.
struct Assignment : Versioned
{
    AssignmentId id;
    /// Filled in where the record is shown.
    std::string organizationId;
    std::string serviceId;
    SubjectType subjectType = SubjectType::User;
    std::string subjectId;
    /// Filled in where the record is shown.
    AssignmentSubject subject;
    AssignmentMode mode = AssignmentMode::Optional;
    std::string status = "active";
    std::string createdBy;
};

constexpr auto schemaOf(const Assignment*)
{
    return describe(field<&Assignment::id>().readOnly(), field<&Assignment::organizationId>().readOnly().transient(),
                    field<&Assignment::serviceId>("service_id").readOnly(), field<&Assignment::subjectType>().columnOnly(),
                    field<&Assignment::subjectId>().columnOnly(), field<&Assignment::subject>().readOnly().transient(),
                    field<&Assignment::mode>(), field<&Assignment::status>().readOnly(), field<&Assignment::createdBy>().readOnly(),
                    versioned<Assignment>());
}

inline constexpr Table assignmentTable{"assignment", &Assignment::id};

/// The effective rule for a user and an app.
struct EffectiveRule
{
    AssignmentMode mode = AssignmentMode::Optional;
    /// Rules with this mode: those of the user first, then of the role, then of everyone.
    std::vector<std::string> because;
};

/// Returns whether a rule is about a person. @param role of the person in the organization
bool fits(const Assignment& rule, std::string_view userId, std::string_view role);
/// Returns the effective rule of several rules about one app: the matching rule with the strongest mode. Empty if none matches.
std::optional<EffectiveRule> strongest(const std::vector<Assignment>& rules, std::string_view userId, std::string_view role);

} // namespace portico::launchpad
