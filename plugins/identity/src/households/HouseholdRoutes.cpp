#include "households/HouseholdRoutes.h"

#include "audit/Audit.h"
#include "organizations/Plans.h"
#include "outbox/InvitationNews.h"
#include "permissions/Actor.h"
#include "users/User.h"

#include "portico/Crypto.h"
#include "portico/Problem.h"

#include <algorithm>

namespace portico::identity
{

namespace
{

constexpr auto invitationLife = std::chrono::hours(24 * 7);
constexpr std::int64_t householdMailsPerHour = 30;

void requirePersonal(const Caller& caller)
{
    if (!caller.organizationId.empty())
        throw Problem::conflict("not_in_personal_context", "Households belong to the personal context: change to it first.");
}

void requireManager(const Household& household)
{
    if (household.myRole != HouseholdRole::Manager) throw Problem::forbidden("permission_denied", "Managers of the household do that.");
}

RouteOptions onAll(std::string_view summary, std::vector<std::string_view> problems = {})
{
    return {.summary = summary, .onEveryOrigin = true, .problems = std::move(problems)};
}

} // namespace

HouseholdRoutes::HouseholdRoutes(Core& core)
    : _core(core),
      _mail(core.mails.bind<HouseholdInvitationMail>("household-invitation")),
      _mails(core.state, core.clock, {.use = "household-invitations", .limit = householdMailsPerHour, .window = std::chrono::hours(1)}),
      _mailsOfInviter(core.state, core.clock,
                      {.use = "household-invitations-of", .limit = householdMailsPerHour, .window = std::chrono::hours(1)})
{
}

void HouseholdRoutes::declare(Routes& routes)
{
    constexpr std::string_view one = "/api/households/{householdId}";
    constexpr std::string_view invited = "/api/households/{householdId}/invitations";
    constexpr std::string_view member = "/api/households/{householdId}/members/{userId}";
    constexpr std::string_view notPersonal = "409 not_in_personal_context";
    routes.get("/api/households", access::bearer(), &HouseholdRoutes::list, this, onAll("List the caller's households"))
        .post("/api/households", access::bearer(), &HouseholdRoutes::create, this,
              onAll("Create a household", {"409 household_limit_reached", notPersonal}))
        .get(one, access::bearer(), &HouseholdRoutes::show, this, onAll("Read a household with its members"))
        .patch(one, access::bearer(), &HouseholdRoutes::update, this, onAll("Rename a household", {notPersonal}))
        .del(one, access::bearer(), &HouseholdRoutes::remove, this, onAll("Dissolve a household", {"409 active_subscription", notPersonal}))
        .get(invited, access::bearer(), &HouseholdRoutes::invitations, this, onAll("List the invitations of a household"))
        .post(invited, access::bearer(), &HouseholdRoutes::invite, this, onAll("Invite a person", {"409 already_member", notPersonal}))
        .del("/api/households/{householdId}/invitations/{invitationId}", access::bearer(), &HouseholdRoutes::revoke, this,
             onAll("Revoke an invitation", {notPersonal}))
        .post("/api/household-invitations/{token}/accept", access::bearer(), &HouseholdRoutes::accept, this,
              {.summary = "Join a household by an invitation's token or ID",
               .onEveryOrigin = true,
               .problems = {"403 invitation_email_mismatch", "409 household_limit_reached", notPersonal, "410 invitation_expired"}})
        .patch(member, access::bearer(), &HouseholdRoutes::updateMember, this,
               onAll("Change a member's role", {"409 last_manager", notPersonal}))
        .del(member, access::bearer(), &HouseholdRoutes::removeMember, this,
             onAll("Remove a member or leave the household", {"409 last_manager", notPersonal}))
        .put("/api/auth/household-selection", access::bearer(), &HouseholdRoutes::select, this,
             onAll("Choose the active household", {"403 household_membership_required", notPersonal}));
}

Page<Household> HouseholdRoutes::list(const Caller& caller, const Paging& paging) const
{
    auto session = _core.database.snapshot();
    const auto self = caller.userId();
    const auto mine = households::ofUser(session, self);
    Page<Household> page;
    if (paging.includeTotal) page.total = static_cast<std::int64_t>(mine.size());
    for (const auto& one : mine)
    {
        if (one.id.text() <= paging.cursor) continue;
        if (page.items.size() == static_cast<std::size_t>(paging.limit))
        {
            page.nextCursor = page.items.back().id.text();
            break;
        }
        page.items.push_back(households::show(session, one.id, self));
    }
    return page;
}

Created<Household> HouseholdRoutes::create(const Caller& caller, const Request& request, const Body<Household>& input)
{
    requirePersonal(caller);
    const auto self = caller.userId();
    auto made = _core.changes.run({self},
                                  [&](Transaction& transaction)
                                  {
                                      const auto now = _core.clock.now();
                                      // After the number of whom it concerns, which those who found at once wait for.
                                      households::requireRoom(transaction, self);
                                      Household household;
                                      household.name = input->name;
                                      household.ownerUserId = self;
                                      household = householdTable.create(transaction, std::move(household), {now});
                                      HouseholdMember member;
                                      member.userId = self;
                                      member.role = HouseholdRole::Manager;
                                      member.joinedAt = now;
                                      member.createdAt = member.updatedAt = now;
                                      householdMemberTable.insert(transaction, households::tenantOf(household.id), member);
                                      AuditLog::personal(request, now).record(transaction, "household.created", household.id);
                                      return households::show(transaction, household.id, self);
                                  });
    auto location = "/api/households/" + made.id.text();
    return {std::move(made), std::move(location)};
}

Household HouseholdRoutes::show(const Caller& caller, const Path<HouseholdId>& id) const
{
    auto session = _core.database.snapshot();
    return households::show(session, *id, caller.userId());
}

void HouseholdRoutes::change(const Caller& caller, const Request& request, const HouseholdId& id, EventName event,
                             const std::function<void(Transaction&, Household&)>& work)
{
    // Callers carry the household that they have selected, so a change concerns all members.
    std::vector<std::string> ids{id.text()};
    for (auto& member : _core.database.session().values<std::string>("SELECT user_id FROM household_members WHERE household_id = $1", id))
        ids.push_back(std::move(member));
    std::vector<Tenant> concerned;
    for (const auto& each : ids) concerned.push_back(Tenant::fromStored(each));
    _core.changes.run(concerned,
                      [&](Transaction& transaction)
                      {
                          householdTable.requireForUpdate(transaction, id);
                          for (const auto& user :
                               transaction.values<std::string>("SELECT m.user_id FROM household_members m JOIN users u ON u.id = m.user_id "
                                                               "WHERE m.household_id = $1 AND u.selected_household_id = $1",
                                                               id))
                              if (std::ranges::find(ids, user) == ids.end())
                                  throw Problem::conflict("conflict", "The household has changed. Try again.");
                          auto household = households::show(transaction, id, caller.userId());
                          requirePersonal(caller);
                          work(transaction, household);
                          AuditLog::personal(request, _core.clock.now()).record(transaction, event, id);
                      });
}

Household HouseholdRoutes::update(const Caller& caller, const Request& request, const Path<HouseholdId>& id,
                                  const Body<Patch<Household>>& patch, const IfMatch& match)
{
    Household changed;
    change(caller, request, *id, "household.updated",
           [&](Transaction& transaction, Household& household)
           {
               requireManager(household);
               match.require(household.version);
               patch->applyTo(household);
               householdTable.set(transaction, *id, {_core.clock.now()}, &Household::name, household.name);
               changed = households::show(transaction, *id, caller.userId());
           });
    return changed;
}

NoContent HouseholdRoutes::remove(const Caller& caller, const Request& request, const Path<HouseholdId>& id, const IfMatch& match)
{
    change(caller, request, *id, "household.deleted",
           [&](Transaction& transaction, Household& household)
           {
               requireManager(household);
               requireElevation(transaction, caller, _core.clock.now());
               match.require(household.version);
               plans::requireNoSubscription(_core.context, id->text());
               households::dissolve(transaction, *id, _core.clock.now());
           });
    return {};
}

Page<HouseholdInvitation> HouseholdRoutes::invitations(const Caller& caller, const Path<HouseholdId>& id, const Paging& paging) const
{
    auto session = _core.database.snapshot();
    requireManager(households::show(session, *id, caller.userId()));
    auto page = householdInvitationTable.select(households::tenantOf(*id))
                    .orderBy(descending(&HouseholdInvitation::createdAt))
                    .page(session, paging);
    for (auto& one : page.items)
    {
        one.householdId = *id;
        if (one.status == "pending" && one.expiresAt <= _core.clock.now()) one.status = "expired";
    }
    return page;
}

Created<HouseholdInvitation> HouseholdRoutes::invite(const Caller& caller, const Request& request, const Path<HouseholdId>& id,
                                                     const Body<HouseholdInvitationInput>& input)
{
    HouseholdInvitation made;
    change(caller, request, *id, "household.invited",
           [&](Transaction& transaction, Household& household)
           {
               requireManager(household);
               const auto now = _core.clock.now();
               const auto known = users::findByEmail(transaction, input->email);
               if (known && householdMemberTable.exists(transaction, households::tenantOf(*id), known->id))
                   throw Problem::conflict("already_member", "A member of the household has this address.");
               _mails.require(id->text());
               _mailsOfInviter.require(caller.principalId);
               // Keeps one pending invitation per address: the newest.
               householdInvitationTable.select(households::tenantOf(*id))
                   .where(&HouseholdInvitation::emailKey, emailKey(input->email))
                   .where(&HouseholdInvitation::status, "pending")
                   .set(transaction, {now}, &HouseholdInvitation::status, "revoked");
               HouseholdInvitation invitation;
               invitation.email = input->email;
               invitation.emailKey = emailKey(input->email);
               invitation.role = input->role;
               const auto token = householdInvitationSecrets.issue(invitation.tokenHash);
               invitation.invitedBy = caller.userId();
               invitation.expiresAt = now + invitationLife;
               made = householdInvitationTable.create(transaction, households::tenantOf(*id), std::move(invitation), {now});
               made.householdId = *id;
               if (known) announceInvitations(transaction, known->id.text());
               const auto inviter = users::find(transaction, caller.principalId);
               _mail.send(transaction, {input->email, known ? known->displayName : std::string(), known ? known->locale : inviter->locale},
                          {household.name, inviter->displayName, _core.origin + "/household-invitation?token=" + token,
                           toString(made.expiresAt).substr(0, 10)});
           });
    auto location = "/api/households/" + id->text() + "/invitations/" + made.id.text();
    return {std::move(made), std::move(location)};
}

NoContent HouseholdRoutes::revoke(const Caller& caller, const Request& request, const Path<HouseholdId>& id,
                                  const Path<InvitationId>& invitationId, const IfMatch& match)
{
    change(caller, request, *id, "household.invitation_revoked",
           [&](Transaction& transaction, Household& household)
           {
               requireManager(household);
               const auto invitation = householdInvitationTable.require(transaction, households::tenantOf(*id), *invitationId);
               match.require(invitation.version);
               if (invitation.status == "accepted") throw Problem::conflict("conflict", "This invitation was accepted.");
               householdInvitationTable.set(transaction, households::tenantOf(*id), *invitationId, {_core.clock.now()},
                                            &HouseholdInvitation::status, "revoked");
               if (const auto known = users::findByEmail(transaction, invitation.email)) announceInvitations(transaction, known->id.text());
           });
    return {};
}

void HouseholdRoutes::announceInvitations(Transaction& transaction, std::string_view userId) const
{
    webhooks::announceInvitations(transaction, _core.context.events(), userId, _core.clock.now());
}

Created<Household> HouseholdRoutes::accept(const Caller& caller, const Request& request, const Path<std::string>& token,
                                           const Body<NoInput>&)
{
    const auto self = caller.userId();
    const auto read = [&](Session& session)
    {
        auto invitation = InvitationId::parse(*token) ? householdInvitationSecrets.find(session, *token)
                                                      : householdInvitationSecrets.look(session, *token);
        if (!invitation) throw Problem::notFound();
        return *std::move(invitation);
    };
    auto joined =
        _core.changes.run({self},
                          [&](Transaction& transaction)
                          {
                              const auto now = _core.clock.now();
                              const auto place = read(transaction).householdId;
                              householdTable.requireForUpdate(transaction, place);
                              const auto tenant = households::tenantOf(place);
                              const auto invitation = read(transaction);
                              const auto user = users::find(transaction, caller.principalId);
                              if (!user->emailVerified || user->emailKey != invitation.emailKey)
                                  throw Problem::forbidden("invitation_email_mismatch",
                                                           "The invitation was sent to another address than that of your account.");
                              requirePersonal(caller);
                              const bool member = householdMemberTable.exists(transaction, tenant, self);
                              // Accepting an accepted invitation again returns the same result.
                              if (invitation.status == "accepted" && invitation.userId == self && member)
                                  return households::show(transaction, place, self);
                              const bool open = invitation.status == "pending" && invitation.expiresAt > now;
                              if (!open || !households::mayInvite(transaction, place, invitation.invitedBy) ||
                                  !householdInvitationSecrets.redeem(
                                      transaction, householdInvitationTable.select(tenant).where(&HouseholdInvitation::id, invitation.id),
                                      {now}, &HouseholdInvitation::status, "accepted", &HouseholdInvitation::userId, self))
                                  throw Problem::gone("invitation_expired", "This invitation is no longer open: ask for a new one.");
                              if (!member)
                              {
                                  households::requireRoom(transaction, self);
                                  HouseholdMember joining;
                                  joining.userId = self;
                                  joining.role = invitation.role;
                                  joining.joinedAt = joining.createdAt = joining.updatedAt = now;
                                  householdMemberTable.insert(transaction, tenant, joining);
                              }
                              announceInvitations(transaction, caller.principalId);
                              AuditLog::personal(request, now).record(transaction, "household.joined", place);
                              return households::show(transaction, place, self);
                          });
    auto location = "/api/households/" + joined.id.text();
    return {std::move(joined), std::move(location)};
}

HouseholdMember HouseholdRoutes::updateMember(const Caller& caller, const Request& request, const Path<HouseholdId>& id,
                                              const Path<UserId>& userId, const Body<Patch<HouseholdMember>>& patch, const IfMatch& match)
{
    HouseholdMember changed;
    change(caller, request, *id, "household.member_changed",
           [&](Transaction& transaction, Household& household)
           {
               requireManager(household);
               changed = households::changeMember(transaction, *id, *userId, match, *patch, _core.clock.now());
               changed.displayName = users::find(transaction, userId->text())->displayName;
           });
    return changed;
}

NoContent HouseholdRoutes::removeMember(const Caller& caller, const Request& request, const Path<HouseholdId>& id,
                                        const Path<UserId>& userId, const IfMatch& match)
{
    change(caller, request, *id, "household.member_removed",
           [&](Transaction& transaction, Household& household)
           {
               // Every member may leave.
               if (*userId != caller.userId()) requireManager(household);
               const auto member = householdMemberTable.require(transaction, households::tenantOf(*id), *userId);
               match.require(member.version);
               if (member.role == HouseholdRole::Manager) households::requireAnotherManager(transaction, *id, *userId);
               households::removeMember(transaction, *id, *userId, _core.clock.now());
           });
    return {};
}

ActiveContext HouseholdRoutes::select(const Caller& caller, const Request& request, const Body<HouseholdSelection>& input)
{
    const auto self = caller.userId();
    return _core.changes.run({self},
                             [&](Transaction& transaction)
                             {
                                 requirePersonal(caller);
                                 const auto& wanted = input->selectedHouseholdId;
                                 if (wanted && !householdMemberTable.exists(transaction, households::tenantOf(*wanted), self))
                                     throw Problem::forbidden("household_membership_required", "You are not in this household.");
                                 userTable.set(transaction, self, &User::selectedHouseholdId, wanted);
                                 AuditLog::personal(request, _core.clock.now())
                                     .record(transaction, "household.selected", wanted ? wanted->text() : caller.principalId);
                                 const auto user = users::find(transaction, caller.principalId);
                                 return ActiveContext::of(access_facts::standing(transaction, *user, {}, std::nullopt));
                             });
}

} // namespace portico::identity
