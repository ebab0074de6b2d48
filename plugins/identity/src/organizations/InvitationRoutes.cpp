#include "organizations/InvitationRoutes.h"

#include "audit/Audit.h"
#include "catalog/CatalogStore.h"
#include "organizations/Plans.h"
#include "outbox/InvitationNews.h"
#include "users/RecoveryEmail.h"
#include "users/User.h"

#include "portico/Json.h"
#include "portico/Problem.h"

namespace portico::identity
{

namespace
{

/// New organizations may not send links for this time, against spam.
constexpr auto untilLinks = std::chrono::hours(24);

bool hasLink(std::string_view text) { return text.find("://") != std::string_view::npos || text.find("www.") != std::string_view::npos; }

void requireServices(const Catalog& catalog, const std::vector<std::string>& ids)
{
    for (std::size_t i = 0; i < ids.size(); ++i)
        if (const auto* service = catalog.find(ids[i]); !service || !service->active())
            throw Problem::invalid("serviceIds[" + std::to_string(i) + ']', "unknown_service", "There is no such service.");
}

void requireNoMember(Session& session, const OrganizationId& organization, std::string_view email)
{
    const auto user = users::findByEmail(session, email);
    if (user && membershipTable.exists(session, organization, user->id))
        throw Problem::conflict("already_member", "A member of the organization has this address.");
}

void store(Transaction& transaction, const Organization& organization, const Invitation& invitation)
{
    invitationTable.set(transaction, organization.id, invitation.id, {invitation.updatedAt}, &Invitation::tokenHash, invitation.tokenHash,
                        &Invitation::status, invitation.status, &Invitation::expiresAt, invitation.expiresAt);
}

} // namespace

void InvitationRoutes::declare(Routes& routes)
{
    const auto manage = access::bearer("invitations:manage");
    constexpr std::string_view all = "/api/organizations/{organizationId}/invitations";
    constexpr std::string_view one = "/api/organizations/{organizationId}/invitations/{invitationId}";
    constexpr std::string_view resend = "/api/organizations/{organizationId}/invitations/{invitationId}/resend";
    const std::vector<std::string_view> answers = {"403 invitation_email_mismatch", "410 invitation_expired", "409 already_member"};
    routes.get(all, manage, &InvitationRoutes::list, this, {.summary = "List the invitations of the organization"})
        .post(all, manage, &InvitationRoutes::create, this,
              {.summary = "Invite a person by mail", .problems = {"403 role_above_own", "409 already_member", "409 seat_limit_reached"}})
        .post(resend, manage, &InvitationRoutes::resend, this,
              {.summary = "Resend an invitation with a new link",
               .problems = {"403 role_above_own", "409 already_member", "409 seat_limit_reached"},
               .statuses = {202}})
        .del(one, manage, &InvitationRoutes::revoke, this, {.summary = "Revoke an invitation", .problems = {"403 role_above_own"}})
        .get("/api/invitations/{token}", access::open(), &InvitationRoutes::preview, this,
             {.summary = "Read an invitation by its token", .problems = {"410 invitation_expired"}})
        .post("/api/invitations/{token}/accept", access::bearer(), &InvitationRoutes::accept, this,
              {.summary = "Accept an invitation by its token or ID", .onEveryOrigin = true, .problems = answers})
        .post("/api/invitations/{token}/decline", access::bearer(), &InvitationRoutes::decline, this,
              {.summary = "Decline an invitation by its token or ID", .onEveryOrigin = true, .idempotencyKey = false, .problems = answers});
}

Page<Invitation> InvitationRoutes::list(const Caller& caller, const Path<OrganizationId>& id, const Paging& paging) const
{
    auto session = _core.database.snapshot();
    const auto now = _core.clock.now();
    Actor(session, caller, now).requireOrganization(*id);
    auto page = invitationTable.select(*id).orderBy(descending(&Invitation::createdAt)).page(session, paging);
    for (auto& invitation : page.items)
    {
        invitation.organizationId = *id;
        invitation.status = invitation.statusAt(now);
    }
    return page;
}

Invitation InvitationRoutes::change(const Caller& caller, const Request& request, const OrganizationId& id, EventName event,
                                    const std::function<Invitation(Transaction&, const Actor&, const Organization&)>& work)
{
    return _core.database.transact(
        [&](Transaction& transaction)
        {
            const auto now = _core.clock.now();
            const auto organization = organizations::lock(transaction, id);
            const Actor actor(transaction, caller, now);
            actor.requireOrganization(id);
            auto invitation = work(transaction, actor, organization);
            invitation.organizationId = id;
            invitations::announce(transaction, _core.context.events(), invitation.email, now);
            AuditLog::of(request, now, id).record(transaction, event, invitation.id);
            return invitation;
        });
}

Created<Invitation> InvitationRoutes::create(const Caller& caller, const Request& request, const Path<OrganizationId>& id,
                                             const Body<InvitationInput>& input)
{
    const auto catalog = _core.catalog.snapshot();
    requireServices(*catalog, input->serviceIds);
    auto made = change(caller, request, *id, "invitation.created",
                       [&](Transaction& transaction, const Actor& actor, const Organization& organization)
                       {
                           const auto now = _core.clock.now();
                           actor.requireMayGrant(*id, input->role);
                           if (now - organization.createdAt < untilLinks && hasLink(input->message))
                               throw Problem::invalid("message", "link_not_allowed", "In its first day an organization sends no links.");
                           requireNoMember(transaction, *id, input->email);
                           // One is open for an address: the newest.
                           invitationTable.select(*id)
                               .where(&Invitation::emailKey, emailKey(input->email))
                               .where(&Invitation::status, InvitationStatus::Pending)
                               .set(transaction, {now}, &Invitation::status, InvitationStatus::Revoked);
                           plans::requireSeat(_core.context, transaction, *id);
                           Invitation invitation;
                           invitation.email = input->email;
                           invitation.emailKey = emailKey(input->email);
                           invitation.role = input->role;
                           invitation.serviceIds = input->serviceIds;
                           invitation.message = input->message;
                           invitation.invitedBy = actor.userId();
                           invitation.expiresAt = now + (input->expiresInDays ? std::chrono::hours(24) * *input->expiresInDays
                                                                              : _core.settings.lifetimes.invitation);
                           _mails.send(transaction, *users::find(transaction, caller.principalId), organization, invitation);
                           return invitationTable.create(transaction, *id, std::move(invitation), {now});
                       });
    auto location = "/api/organizations/" + id->text() + "/invitations/" + made.id.text();
    return {std::move(made), std::move(location)};
}

Reply<Invitation> InvitationRoutes::resend(const Caller& caller, const Request& request, const Path<OrganizationId>& id,
                                           const Path<InvitationId>& invitationId, const Body<NoInput>&)
{
    auto sent = change(caller, request, *id, "invitation.resent",
                       [&](Transaction& transaction, const Actor& actor, const Organization& organization)
                       {
                           const auto now = _core.clock.now();
                           auto invitation = invitationTable.require(transaction, *id, *invitationId);
                           if (invitation.status != InvitationStatus::Pending)
                               throw Problem::conflict("conflict", "This invitation has been answered or revoked.");
                           actor.requireMayGrant(*id, invitation.role);
                           requireNoMember(transaction, *id, invitation.email);
                           // An expired invitation occupies no seat.
                           if (invitation.expiresAt <= now) plans::requireSeat(_core.context, transaction, *id);
                           const auto life = invitation.expiresAt - invitation.updatedAt;
                           invitation.expiresAt = now + life;
                           invitation.updatedAt = now;
                           ++invitation.version;
                           _mails.send(transaction, *users::find(transaction, caller.principalId), organization, invitation);
                           store(transaction, organization, invitation);
                           return invitation;
                       });
    return {.record = std::move(sent), .status = 202};
}

NoContent InvitationRoutes::revoke(const Caller& caller, const Request& request, const Path<OrganizationId>& id,
                                   const Path<InvitationId>& invitationId, const IfMatch& match)
{
    change(caller, request, *id, "invitation.revoked",
           [&](Transaction& transaction, const Actor& actor, const Organization& organization)
           {
               auto invitation = invitationTable.require(transaction, *id, *invitationId);
               actor.requireMayWithdraw(invitation.role);
               match.require(invitation.version);
               if (invitation.status == InvitationStatus::Accepted) throw Problem::conflict("conflict", "This invitation was accepted.");
               invitation.status = InvitationStatus::Revoked;
               invitation.updatedAt = _core.clock.now();
               ++invitation.version;
               store(transaction, organization, invitation);
               return invitation;
           });
    return {};
}

InvitationPreview InvitationRoutes::preview(const Path<std::string>& token) const
{
    auto session = _core.database.snapshot();
    const auto invitation = invitationSecrets.look(session, *token);
    if (!invitation) throw Problem::notFound();
    const auto organization = organizations::find(session, invitation->organizationId);
    const auto inviter = users::find(session, invitation->invitedBy.text());
    if (invitation->statusAt(_core.clock.now()) != InvitationStatus::Pending || organization->status != OrganizationStatus::Active)
        throw Problem::gone("invitation_expired", "This invitation is no longer open: ask for a new one.");
    return {organization->name, invitation->role, inviter ? inviter->displayName : std::string(),
            recovery_emails::masked(invitation->email), invitation->expiresAt};
}

Membership InvitationRoutes::accept(const Caller& caller, const Request& request, const Path<std::string>& token, const Body<NoInput>&)
{
    const auto catalog = _core.catalog.snapshot();
    return _core.changes.run({Tenant::fromStored(caller.principalId)},
                             [&](Transaction& transaction)
                             {
                                 auto membership = invitations::accept(transaction, *catalog, Client::of(request), *token,
                                                                       caller.principalId, _core.clock.now());
                                 webhooks::announceInvitations(transaction, _core.context.events(), caller.principalId, _core.clock.now());
                                 return membership;
                             });
}

NoContent InvitationRoutes::decline(const Caller& caller, const Request& request, const Path<std::string>& token, const Body<NoInput>&)
{
    _core.database.transact(
        [&](Transaction& transaction)
        {
            const auto now = _core.clock.now();
            const auto invitation = invitations::decline(transaction, *token, caller.principalId, now);
            webhooks::announceInvitations(transaction, _core.context.events(), caller.principalId, _core.clock.now());
            AuditLog::of(request, now, invitation.organizationId).record(transaction, "invitation.declined", invitation.id);
        });
    return {};
}

} // namespace portico::identity
