#pragma once

#include "common/Ids.h"

#include "portico/Json.h"
#include "portico/Table.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::launchpad
{

/// Why an action exists (2.12).
enum class ActionKind
{
    RecoveryEmailUnverified,
    MfaRequired,
    InvitationPending,
    InstallRequest,
    AssignmentRequired,
    ApiKeyExpiring,
    ApiKeyScopeRemoved,
    LeakedKey,
    DeveloperReview,
    AppReview,
    ServiceIncomplete,
    PaymentFailed,
    SeatLimitReached,
    SubscriptionUnclaimed,
    HouseholdInvitation,
    AgentApproval,
    SecurityAlert,
    Custom
};

constexpr auto schemaOf(const ActionKind*)
{
    using enum ActionKind;
    return portico::choices<ActionKind>({{"recovery_email_unverified", RecoveryEmailUnverified},
                                         {"mfa_required", MfaRequired},
                                         {"invitation_pending", InvitationPending},
                                         {"install_request", InstallRequest},
                                         {"assignment_required", AssignmentRequired},
                                         {"api_key_expiring", ApiKeyExpiring},
                                         {"api_key_scope_removed", ApiKeyScopeRemoved},
                                         {"leaked_key", LeakedKey},
                                         {"developer_review", DeveloperReview},
                                         {"app_review", AppReview},
                                         {"service_incomplete", ServiceIncomplete},
                                         {"payment_failed", PaymentFailed},
                                         {"seat_limit_reached", SeatLimitReached},
                                         {"subscription_unclaimed", SubscriptionUnclaimed},
                                         {"household_invitation", HouseholdInvitation},
                                         {"agent_approval", AgentApproval},
                                         {"security_alert", SecurityAlert},
                                         {"custom", Custom}});
}

enum class Severity
{
    Info,
    Warning,
    Critical
};

constexpr auto schemaOf(const Severity*)
{
    using enum Severity;
    return portico::choices<Severity>({{"info", Info}, {"warning", Warning}, {"critical", Critical}});
}

enum class ActionStatus
{
    Open,
    Snoozed,
    Resolved,
    Dismissed,
    Expired
};

constexpr auto schemaOf(const ActionStatus*)
{
    using enum ActionStatus;
    return portico::choices<ActionStatus>(
        {{"open", Open}, {"snoozed", Snoozed}, {"resolved", Resolved}, {"dismissed", Dismissed}, {"expired", Expired}});
}

/// The record that an action is about.
struct ActionSource
{
    std::string serviceId;
    std::string resourceType;
    std::string resourceId;
};

constexpr auto schemaOf(const ActionSource*)
{
    return describe(field<&ActionSource::serviceId>("service_id").required().maxLength(40),
                    field<&ActionSource::resourceType>().maxLength(80), field<&ActionSource::resourceId>().maxLength(200));
}

struct ActionContext
{
    /// `organization` or `personal`.
    std::string kind;
    std::optional<std::string> organizationId;
};

constexpr auto schemaOf(const ActionContext*)
{
    return describe(field<&ActionContext::kind>().required(), field<&ActionContext::organizationId>().omitEmpty());
}

enum class AssigneeType
{
    User,
    Role
};

constexpr auto schemaOf(const AssigneeType*)
{
    return portico::choices<AssigneeType>({{"user", AssigneeType::User}, {"role", AssigneeType::Role}});
}

/// Assignee: a user, or all users with a role or a higher one.
struct Assignee
{
    AssigneeType type = AssigneeType::Role;
    std::string id;
};

constexpr auto schemaOf(const Assignee*)
{
    return describe(field<&Assignee::type>(), field<&Assignee::id>().required().maxLength(60).description("A user, or a role"));
}

/// An answer that can be given to an action.
struct ActionDecision
{
    std::string id;
    std::string label;
    /// `primary`, `secondary` or `danger`.
    std::string style = "primary";
    bool requiresStepUp = false;
    bool requiresReason = false;
};

inline bool isDecisionId(std::string_view text)
{
    if (text.empty() || text.size() > 40) return false;
    for (const char c : text)
        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_')) return false;
    return true;
}
inline bool isDecisionStyle(std::string_view text) { return text == "primary" || text == "secondary" || text == "danger"; }

constexpr auto schemaOf(const ActionDecision*)
{
    return describe(field<&ActionDecision::id>().required().matches(isDecisionId, "invalid_id", "1 to 40 of a-z, 0-9 and _"),
                    field<&ActionDecision::label>().required().maxLength(80),
                    field<&ActionDecision::style>().matches(isDecisionStyle, "invalid_style", "primary, secondary or danger"),
                    members<&ActionDecision::requiresStepUp, &ActionDecision::requiresReason>());
}

enum class DecisionOutcome
{
    /// The decision waits for the source service to accept it.
    Pending,
    Applied,
    Failed
};

constexpr auto schemaOf(const DecisionOutcome*)
{
    using enum DecisionOutcome;
    return portico::choices<DecisionOutcome>({{"pending", Pending}, {"applied", Applied}, {"failed", Failed}});
}

struct Resolution
{
    std::string decision;
    /// `usr_…`, or `system`.
    std::string by;
    Instant at{};
    std::string reason;
    DecisionOutcome outcome = DecisionOutcome::Applied;
    std::optional<std::string> error;
};

constexpr auto schemaOf(const Resolution*)
{
    return describe(
        members<&Resolution::decision, &Resolution::by, &Resolution::at, &Resolution::reason, &Resolution::outcome, &Resolution::error>());
}

/// The part of an action that its source states.
struct ActionContent
{
    ActionKind kind = ActionKind::Custom;
    Severity severity = Severity::Info;
    std::string title;
    std::string body;
    ActionSource source;
    std::vector<ActionDecision> decisions;
    std::string href;
    std::optional<Instant> dueAt;
    std::optional<Instant> expiresAt;
    std::string dedupeKey;
};

/// A decision that a person has to make.
struct Action : Versioned, ActionContent
{
    ActionId id;
    /// Filled in where the record is shown.
    ActionContext context;
    AssigneeType assigneeType = AssigneeType::Role;
    std::string assigneeId;
    /// Filled in where the record is shown.
    Assignee assignee;
    ActionStatus status = ActionStatus::Open;
    std::optional<Instant> snoozedUntil;
    std::string callbackUrl;
    std::string callbackSecret;
    std::optional<Resolution> resolution;

    bool waits() const { return status == ActionStatus::Open || status == ActionStatus::Snoozed; }
};

constexpr auto schemaOf(const Action*)
{
    return describe(members<&Action::id, &Action::kind, &Action::severity, &Action::title, &Action::body, &Action::source>(),
                    field<&Action::context>().transient(), field<&Action::assigneeType>().columnOnly(),
                    field<&Action::assigneeId>().columnOnly(), field<&Action::assignee>().transient(),
                    members<&Action::status, &Action::decisions, &Action::href, &Action::dueAt, &Action::snoozedUntil, &Action::expiresAt,
                            &Action::dedupeKey>(),
                    field<&Action::callbackUrl>().columnOnly(), field<&Action::callbackSecret>().columnOnly(), field<&Action::resolution>(),
                    versioned<Action>());
}

inline constexpr Table actionTable{"action", &Action::id};

/// One step of an action's history.
struct ActionEvent
{
    std::string actionId;
    std::int64_t position = 0;
    Instant at{};
    /// `opened`, `resolved`, `closed`, `dismissed`, `snoozed`, `assigned`, `expired`, `applied` or `reopened`.
    std::string what;
    std::string byId;
    std::string detail;
};

constexpr auto schemaOf(const ActionEvent*)
{
    return describe(field<&ActionEvent::actionId>().columnOnly(), field<&ActionEvent::position>().columnOnly(),
                    members<&ActionEvent::at, &ActionEvent::what>(), field<&ActionEvent::byId>("by").column("by_id"),
                    field<&ActionEvent::detail>());
}

inline constexpr Table actionEventTable{"action_event", &ActionEvent::actionId, &ActionEvent::position};

} // namespace portico::launchpad
