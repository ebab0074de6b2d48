#include "causes/PersonCauses.h"

#include "causes/Reconcile.h"

#include "portico/Json.h"
#include "portico/Problem.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace portico::launchpad
{

namespace
{
constexpr std::size_t membersAtATime = 500;

/// The person that an event is about: the record itself, or else the actor.
std::optional<UserId> personOf(const Event& event)
{
    const auto change = fromStoredJson<IdentityEvent>(event.data);
    const auto person = UserId::parse(change.id);
    return person ? person : UserId::parse(change.actor.id);
}

Action actionOf(ActionKind kind, const UserId& person, const std::string& cause)
{
    Action action;
    action.kind = kind;
    action.severity = Severity::Warning;
    action.assigneeType = AssigneeType::User;
    action.assigneeId = person.text();
    action.dedupeKey = std::string(toString(kind)) + ':' + cause;
    return action;
}

struct PendingInvitation
{
    std::string id;
    bool household = false;
    std::string placeName;
    std::string inviterName;
    Instant expiresAt{};
};

constexpr auto schemaOf(const PendingInvitation*)
{
    return describe(members<&PendingInvitation::id, &PendingInvitation::household, &PendingInvitation::placeName,
                            &PendingInvitation::inviterName, &PendingInvitation::expiresAt>());
}

/// `details` of `identity.user.invitations_changed`: all pending invitations.
struct InvitationNews
{
    std::vector<PendingInvitation> pending;
};

constexpr auto schemaOf(const InvitationNews*) { return describe(members<&InvitationNews::pending>()); }

Action actionOf(const PendingInvitation& invitation, const UserId& person)
{
    auto action = actionOf(invitation.household ? ActionKind::HouseholdInvitation : ActionKind::InvitationPending, person, invitation.id);
    action.severity = Severity::Info;
    action.title = "Join \"" + invitation.placeName + '"';
    action.body =
        invitation.inviterName + (invitation.household ? " invites you to this household." : " invites you to this organization.");
    action.source = {"identity", invitation.household ? "household_invitation" : "invitation", invitation.id};
    action.dueAt = action.expiresAt = invitation.expiresAt;
    return action;
}
} // namespace

PersonCauses::PersonCauses(PluginContext& context, ActionQueue& queue) : _context(context), _queue(queue)
{
    ActionEffect lasting;
    lasting.dismissible = false;
    _queue.on(ActionKind::MfaRequired, lasting);
}

void PersonCauses::start()
{
    auto& events = _context.events();
    events.subscribe("identity.organization.mfa_required",
                     [this](const Event& event) { demandChanged(Tenant::fromStored(event.organizationId)); });
    events.subscribe("identity.user.factors_changed",
                     [this](const Event& event)
                     {
                         const auto change = fromStoredJson<IdentityEvent>(event.data);
                         if (const auto person = UserId::parse(change.actor.id)) reviewFactors(*person);
                     });
    events.subscribe("identity.membership.changed", [this](const Event& event) { membershipChanged(event); });
    events.subscribe("identity.user.invitations_changed", [this](const Event& event) { invitationsChanged(event); });
}

Leased<interfaces::Directory> PersonCauses::directory() const
{
    auto found = _context.services().find<interfaces::Directory>();
    if (!found) throw Problem::unavailable("directory_unavailable", "Members cannot be read at the moment. Try again later.");
    return found;
}

void PersonCauses::demandChanged(Tenant organization) const
{
    const auto members = directory();
    std::string after;
    for (;;)
    {
        const auto page = members->members(organization, after, membersAtATime);
        for (const auto& member : page)
            if (const auto person = UserId::parse(member.userId); person && !member.secondFactor) reviewFactors(*person);
        if (page.size() < membersAtATime) return;
        after = page.back().userId;
    }
}

void PersonCauses::membershipChanged(const Event& event) const
{
    const auto person = personOf(event);
    if (!person) return;
    reviewFactors(*person);
    if (event.organizationId.empty()) return;
    const auto tenant = Tenant::fromStored(event.organizationId);
    const auto member = directory()->member(tenant, person->text());
    if (!member || !member->active)
        reconcile(_context, _queue, tenant, {ActionKind::AssignmentRequired}, person->text(), {}, "The person left the organization.");
}

void PersonCauses::reviewFactors(const UserId& person) const
{
    const auto members = directory();
    std::vector<Action> wanted;
    for (const auto& organization : members->organizationsOf(person.text()))
    {
        if (!organization.secondFactorRequired) continue;
        const auto member = members->member(Tenant::fromStored(organization.id), person.text());
        if (!member || member->secondFactor) continue;
        auto action = actionOf(ActionKind::MfaRequired, person, organization.id);
        action.title = "Set up a second factor for \"" + organization.name + '"';
        action.body = "The organization requires a second factor at sign-in.";
        action.source = {"identity", "organization", organization.id};
        wanted.push_back(std::move(action));
    }
    reconcile(_context, _queue, person, {ActionKind::MfaRequired}, person.text(), std::move(wanted),
              "No organization requires a factor that is missing.");
}

void PersonCauses::invitationsChanged(const Event& event) const
{
    const auto change = fromStoredJson<IdentityEvent>(event.data);
    const auto person = UserId::parse(change.id);
    if (!person) return;
    std::vector<Action> wanted;
    for (const auto& invitation : fromStoredJson<InvitationNews>(change.details.text).pending)
        wanted.push_back(actionOf(invitation, *person));
    reconcile(_context, _queue, *person, {ActionKind::InvitationPending, ActionKind::HouseholdInvitation}, person->text(),
              std::move(wanted), "The invitation was answered or revoked.");
}

} // namespace portico::launchpad
