#include "organizations/OrganizationRoutes.h"

#include "audit/Audit.h"
#include "catalog/CatalogStore.h"
#include "common/Networks.h"
#include "organizations/Closing.h"
#include "organizations/Founding.h"
#include "organizations/Invitations.h"
#include "organizations/Memberships.h"
#include "organizations/Plans.h"
#include "organizations/WaysIn.h"
#include "outbox/WebhookStore.h"
#include "sessions/SessionEvents.h"
#include "sessions/SignIn.h"

#include "portico/Problem.h"

#include <algorithm>
#include <utility>

namespace portico::identity
{

namespace
{

constexpr std::int64_t maxOwned = 10;
constexpr auto timeToUndo = std::chrono::hours(24 * 14);
constexpr std::string_view deletePermission = "identity.organizations:delete";
constexpr std::string_view deletionJob = "identity.organization-deletion";

/// Reads the caller's organizations, or all of them.
Page<Organization> read(Session& session, const Caller& caller, bool all, const Paging& paging)
{
    auto organizations = organizationTable.select();
    // An organization's key belongs to no member; a key acts in its own context alone.
    if (!all && caller.credential == CredentialKind::ApiKey && !caller.organizationId.empty())
        organizations.where("id = ?", caller.organizationId);
    else if (!all)
        organizations.where("id IN (SELECT m.organization_id FROM memberships m WHERE m.user_id = ? AND m.status = 'active')",
                            caller.principalId);
    return organizations.orderBy(&Organization::id).page(session, paging);
}

/// Organizations are free, but not without end. @throws Problem 409 `conflict`
void requireRoom(Session& session, const UserId& owner)
{
    const auto owned =
        session.value<std::int64_t>("SELECT COUNT(*) FROM memberships WHERE user_id = $1 AND role = 'owner' AND status = 'active'", owner);
    if (owned.value_or(0) >= maxOwned) throw Problem::conflict("conflict", "A user can own at most 10 organizations.");
}

void requireReach(const Caller& caller, const OrganizationId& id)
{
    const bool anywhere = caller.platformBypass && caller.credential != CredentialKind::ApiKey;
    if (!anywhere && caller.organizationId != id.text()) throw Problem::notFound();
}

/// Prevents the actor from locking themselves out by the list of networks.
void requireReachFrom(const SecurityPolicy& policy, const std::optional<OrganizationId>& active, const Organization& organization,
                      std::string_view address)
{
    if (active != organization.id || AddressList(policy.ipAllowList).allows(address)) return;
    throw Problem::invalid("securityPolicy.ipAllowList", "excludes_you", "Your address is in none of these networks.");
}

std::string deletionJobKey(const OrganizationId& id) { return std::string(deletionJob) + ':' + id.text(); }

} // namespace

void OrganizationRoutes::start() { _core.context.jobs().handle(deletionJob, &OrganizationRoutes::deleteDue, this); }

void OrganizationRoutes::declare(Routes& routes)
{
    const Access mine{.bearer = true, .apiKey = true, .scope = "organizations.read"};
    routes.get("/api/organizations", mine, &OrganizationRoutes::list, this, {.summary = "List the caller's organizations"})
        .post("/api/organizations", access::bearer(), &OrganizationRoutes::create, this,
              {.summary = "Create an organization", .problems = {"409 slug_in_use"}})
        .get("/api/organizations/{organizationId}", access::bearerOrKey("organizations:read", "organizations.read"),
             &OrganizationRoutes::show, this, {.summary = "Read an organization"})
        .patch("/api/organizations/{organizationId}", access::bearer("organizations:manage"), &OrganizationRoutes::update, this,
               {.summary = "Update an organization or cancel its deletion", .problems = {"409 slug_in_use"}})
        .del("/api/organizations/{organizationId}", access::bearer(deletePermission), &OrganizationRoutes::remove, this,
             {.summary = "Schedule the deletion of the organization", .problems = {"409 active_subscription"}, .statuses = {202}})
        .post("/api/organizations/{organizationId}/transfer-ownership", access::bearer("organizations:transfer"),
              &OrganizationRoutes::transfer, this,
              {.summary = "Transfer the ownership of the organization",
               .problems = {"403 outranked", "403 role_above_own", "403 step_up_required", "409 last_owner"}});
}

Page<Organization> OrganizationRoutes::list(const Caller& caller, const Query<OrganizationListQuery>& query, const Paging& paging) const
{
    if (query->all != 0 && (!caller.platformBypass || caller.credential == CredentialKind::ApiKey)) throw Problem::forbidden();
    auto session = _core.database.snapshot();
    auto page = read(session, caller, query->all != 0, paging);
    for (auto& item : page.items) organizations::complete(session, item);
    return page;
}

Created<Organization> OrganizationRoutes::create(const Caller& caller, const Request& request, const Body<OrganizationInput>& input)
{
    if (!input->slug.empty() && !organizations::isSlug(input->slug))
        throw Problem::invalid("slug", "invalid_slug", "Expected 2 to 40 lower-case letters, digits and single hyphens between them.");
    if (input->kind != OrganizationKind::Business) throw Problem::invalid("kind", "invalid_choice", "Use business.");
    if (input->slug == adminSlug) throw Problem::conflict("slug_in_use", "This slug is kept for the administration.");
    const auto catalog = _core.catalog.snapshot();
    auto made = _core.changes.run(
        {Tenant::fromStored(caller.principalId)},
        [&](Transaction& transaction)
        {
            const auto now = _core.clock.now();
            const Actor actor(transaction, caller, now);
            if (!actor.isOperator()) requireRoom(transaction, actor.userId());
            auto organization = organizations::found(transaction, *catalog, _core.settings, {input->name, input->slug, input->kind}, now);
            memberships::join(transaction, organization.id, actor.userId(), Role::Owner, now);
            if (!actor.isOperator()) _founded.require(actor.userId().text());
            organizations::complete(transaction, organization);
            AuditLog::of(request, now, organization.id).record(transaction, "organization.created", organization.id);
            return organization;
        });
    auto location = "/api/organizations/" + made.id.text();
    return {std::move(made), std::move(location)};
}

Organization OrganizationRoutes::show(const Caller& caller, const Path<OrganizationId>& id) const
{
    requireReach(caller, *id);
    auto session = _core.database.snapshot();
    auto organization = organizations::find(session, *id);
    if (!organization) throw Problem::notFound();
    organizations::complete(session, *organization);
    return *std::move(organization);
}

Organization OrganizationRoutes::change(const Caller& caller, const Request& request, const std::vector<Tenant>& concerned,
                                        const IfMatch& match, EventName event,
                                        const std::function<void(Transaction&, const Actor&, Organization&)>& work)
{
    const auto id = OrganizationId::parse(concerned.front().text()).value();
    return _core.changes.run(concerned,
                             [&](Transaction& transaction)
                             {
                                 const auto now = _core.clock.now();
                                 auto organization = organizations::lock(transaction, id);
                                 const Actor actor(transaction, caller, now);
                                 actor.requireOrganization(id);
                                 match.require(organization.version);
                                 work(transaction, actor, organization);
                                 organizationTable.update(transaction, organization, {now});
                                 AuditLog::of(request, now, id).record(transaction, event, id);
                                 organizations::complete(transaction, organization);
                                 return organization;
                             });
}

Organization OrganizationRoutes::update(const Caller& caller, const Request& request, const Path<OrganizationId>& id,
                                        const Body<Patch<Organization>>& patch, const IfMatch& match)
{
    std::vector<std::string> ended;
    const auto work = [&](Transaction& transaction, const Actor& actor, Organization& organization)
    {
        const auto before = organization;
        patch->applyTo(organization);
        if (organization.slug != before.slug &&
            (organization.slug == adminSlug || organizations::findBySlug(transaction, organization.slug)))
            throw Problem::conflict("slug_in_use", "Another organization has this slug.");
        if (organization.securityPolicy != before.securityPolicy)
        {
            // Which sign-ins have platform powers depends on it.
            if (organization.kind == OrganizationKind::Admin) actor.requireElevation();
            requireReachFrom(organization.securityPolicy, actor.organizationId(), organization, request.clientAddress);
            const bool required = organization.securityPolicy.mfaRequired;
            if (organization.securityPolicy.allowedLoginMethods != before.securityPolicy.allowedLoginMethods ||
                (required && !before.securityPolicy.mfaRequired))
                ways_in::require(transaction, organization.id, organization.securityPolicy,
                                 actor.organizationId() == organization.id ? std::optional(actor.userId()) : std::nullopt);
            const auto now = _core.clock.now();
            ended = sign_ins::applyPolicy(transaction, organization.id, organization.securityPolicy, now,
                                          AuditLog::of(request, now, organization.id));
            if (required != before.securityPolicy.mfaRequired)
                webhooks::publish(transaction, _core.context.events(),
                                  {"organization.mfa_required", std::string(organization.id.text()), std::string(organization.id.text()),
                                   "user", caller.principalId, required ? R"({"required":true})" : R"({"required":false})"});
        }
        if (organization.deletionAt == before.deletionAt) return;
        if (organization.deletionAt) throw Problem::invalid("deletionAt", "not_allowed", "DELETE plans a deletion; null takes it back.");
        if (!caller.may(deletePermission)) throw Problem::forbidden();
        _core.context.jobs().cancelByKey(transaction, deletionJobKey(organization.id));
    };
    auto changed = change(caller, request, {*id}, match, "organization.updated", work);
    _core.sessionEvents.ended(ended);
    return changed;
}

Reply<PlannedDeletion> OrganizationRoutes::remove(const Caller& caller, const Request& request, const Path<OrganizationId>& id,
                                                  const IfMatch& match)
{
    const auto plan = [&](Transaction& transaction, const Actor& actor, Organization& organization)
    {
        actor.requireElevation();
        if (organization.kind == OrganizationKind::Admin && actor.rank() < rank(PlatformRole::PlatformSuperAdmin))
            throw Problem::forbidden("permission_denied", "Only a platform super admin deletes the admin organization.");
        // Asked again it stays at its time.
        if (organization.deletionAt) return;
        plans::requireNoSubscription(_core.context, organization.id.text());
        organization.deletionAt = _core.clock.now() + timeToUndo;
        _core.context.jobs().enqueue(transaction, deletionJob, DueDeletion{organization.id},
                                     {.dedupeKey = deletionJobKey(organization.id), .dueAt = organization.deletionAt});
    };
    const auto organization = change(caller, request, {*id}, match, "organization.deletion_planned", plan);
    return {.record = {*organization.deletionAt}, .status = 202};
}

Organization OrganizationRoutes::transfer(const Caller& caller, const Request& request, const Path<OrganizationId>& id,
                                          const Body<TransferInput>& input, const IfMatch& match)
{
    return change(caller, request, {*id, input->toUserId, Tenant::fromStored(caller.principalId)}, match,
                  "organization.ownership_transferred",
                  [&](Transaction& transaction, const Actor& actor, Organization&)
                  {
                      actor.requireElevation();
                      const auto now = _core.clock.now();
                      auto heir = membershipTable.find(transaction, *id, input->toUserId);
                      if (!heir || heir->status != MembershipStatus::Active || actor.isSelf(input->toUserId))
                          throw Problem::invalid("toUserId", "not_a_member", "The new owner must be another active member.");
                      const auto note = [&](const Membership& membership, Role before)
                      {
                          AuditLog::of(request, now, *id)
                              .record(transaction, "membership.changed", membership.userId, {{"from", before}, {"to", membership.role}});
                      };
                      const auto heirWas = std::exchange(heir->role, Role::Owner);
                      memberships::change(transaction, actor, *id, *heir, now);
                      note(*heir, heirWas);
                      // An operator who is not a member has no ownership to transfer.
                      auto self = membershipTable.find(transaction, *id, actor.userId());
                      if (!self || self->role != Role::Owner) return;
                      self->role = input->demoteSelfTo;
                      memberships::stepDown(transaction, actor, *id, *self, now);
                      note(*self, Role::Owner);
                  });
}

void OrganizationRoutes::deleteDue(const DueDeletion& due)
{
    std::vector<std::string> ended;
    _core.changes.run(
        [&](Transaction& transaction)
        {
            const auto now = _core.clock.now();
            const auto organization = organizations::lock(transaction, due.organizationId);
            // The deletion was cancelled in the meantime.
            if (!organization.deletionAt || *organization.deletionAt > now) return;
            const auto log = AuditLog::ofOperator(now, organization.id);
            ended = organizations::erase(transaction, organization.id, now, log);
            log.record(transaction, "organization.deleted", organization.id);
        });
    _core.sessionEvents.ended(ended);
}

} // namespace portico::identity
