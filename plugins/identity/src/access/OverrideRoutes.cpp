#include "access/OverrideRoutes.h"

#include "audit/Audit.h"
#include "catalog/CatalogStore.h"
#include "permissions/PersonAccess.h"
#include "records/Membership.h"
#include "records/Organization.h"

#include <algorithm>

namespace portico::identity
{

namespace
{

OrganizationId organizationOf(const Actor& actor, const std::optional<OrganizationId>& named)
{
    const auto& organization = named ? named : actor.organizationId();
    if (!organization) throw Problem::invalid("organizationId", "required", "Overrides belong to an organization, and none is active.");
    actor.requireOrganization(*organization);
    actor.requireAdminRoute();
    return *organization;
}

/// Details in the audit log that identify an override.
struct OverrideDetails
{
    std::string userId;
    std::string permission;
    Effect effect;
};

constexpr auto schemaOf(const OverrideDetails*)
{
    return describe(members<&OverrideDetails::userId, &OverrideDetails::permission, &OverrideDetails::effect>());
}

} // namespace

/// State of one change: actor, organization and user.
struct OverrideRoutes::Change
{
    Change(Transaction& in, const Catalog& known, const Caller& caller, const Request& sent, const UserId& subject, Instant moment,
           const std::optional<OrganizationId>& named)
        : transaction(in),
          catalog(known),
          request(sent),
          user(subject),
          now(moment),
          actor(in, caller, moment),
          organization(organizationOf(actor, named))
    {
        // Also checked for operators, because an override without a membership would take effect later unnoticed.
        if (!membershipTable.exists(transaction, organization, user)) throw Problem::notFound();
        actor.requireMayChange(actor.rankOf(user, organization));
    }

    /// Returns the permissions of the catalog that the override covers.
    std::vector<std::string> named(const PermissionOverride& entry) const
    {
        std::vector<std::string> found;
        const auto* service = serviceOf(entry.permission);
        if (service)
            std::ranges::copy_if(service->all(), std::back_inserter(found), [&](const auto& name) { return entry.concerns(name); });
        return found;
    }
    const CatalogService* serviceOf(std::string_view pattern) const { return catalog.find(pattern.substr(0, pattern.find('.'))); }

    /// Stores the permissions that a pattern matches now, so that the grant does not grow with the catalog.
    void storeCovered(const UserOverride& entry) const
    {
        transaction.execute("DELETE FROM override_grants WHERE override_id = $1", entry.id);
        if (entry.effect == Effect::Allow && entry.permission.find('*') != std::string::npos)
            transaction.execute("INSERT INTO override_grants (override_id, covered) VALUES ($1, $2)", entry.id,
                                toJson(named({.permission = entry.permission})));
    }

    /// Returns the override in the form for the evaluation.
    PermissionOverride judged(const OverrideId& id) const
    {
        const auto entry = userOverrideTable.require(transaction, organization, user, id);
        std::vector<PermissionOverride> one{{entry.permission, entry.effect, entry.expiresAt, entry.id}};
        access_facts::readCovered(transaction, organization, user, one);
        return one.front();
    }

    /// @throws Problem 400 `unknown_permission`, 403 `cannot_grant_unheld_permission`
    void requireRights(const PermissionOverride& entry) const
    {
        const auto* service = serviceOf(entry.permission);
        const auto wanted = named(entry);
        if (wanted.empty()) throw Problem::badRequest("unknown_permission", "No service has this permission.");
        if (actor.isOperator()) return;
        const PersonAccess own(transaction, *users::find(transaction, actor.userId().text()), organization, actor.proof());
        const auto held = effectivePermissions(*service, own.input(service->serviceId), now);
        if (!std::ranges::includes(held, wanted))
            throw Problem::forbidden("cannot_grant_unheld_permission", "You can grant or deny only permissions that you have.");
    }

    void requireFuture(const std::optional<Instant>& expiresAt) const
    {
        if (expiresAt && *expiresAt <= now) throw Problem::invalid("expiresAt", "in_the_past", "An override expires later than now.");
    }

    void finish(EventName event, UserOverride& entry) const
    {
        entry.organizationId = organization;
        users::raiseRevision(transaction, user);
        AuditLog::of(request, now, organization)
            .record(transaction, event, entry.id, OverrideDetails{user.text(), entry.permission, entry.effect});
    }

    Transaction& transaction;
    const Catalog& catalog;
    const Request& request;
    const UserId& user;
    const Instant now;
    const Actor actor;
    const OrganizationId organization;
};

void OverrideRoutes::declare(Routes& routes)
{
    const std::vector<std::string_view> refusals = {"403 outranked", "403 cannot_grant_unheld_permission", "400 unknown_permission"};
    const std::string_view all = "/api/users/{userId}/permission-overrides", one = "/api/users/{userId}/permission-overrides/{id}";
    routes.get(all, access::bearer().forAdmins(), &OverrideRoutes::list, this, {.summary = "List a user's permission overrides"})
        .put(all, access::bearer().forAdmins(), &OverrideRoutes::put, this,
             {.summary = "Set a user's override of a permission", .problems = refusals})
        .get(one, access::bearer().forAdmins(), &OverrideRoutes::show, this, {.summary = "Read a permission override"})
        .put(one, access::bearer().forAdmins(), &OverrideRoutes::update, this,
             {.summary = "Update a permission override", .problems = refusals})
        .del(one, access::bearer().forAdmins(), &OverrideRoutes::remove, this,
             {.summary = "Delete a permission override", .problems = refusals});
}

Page<UserOverride> OverrideRoutes::list(const Caller& caller, const Path<UserId>& userId, const Query<OverrideQuery>& query,
                                        const Paging& paging) const
{
    auto session = _core.database.snapshot();
    const Actor actor(session, caller, _core.clock.now());
    const auto organization = organizationOf(actor, query->organizationId);
    if (!membershipTable.exists(session, organization, *userId)) throw Problem::notFound();
    auto page = userOverrideTable.select(organization)
                    .where(&UserOverride::userId, *userId)
                    .orderBy(&UserOverride::permission)
                    .page(session, paging);
    for (auto& entry : page.items) entry.organizationId = organization;
    return page;
}

UserOverride OverrideRoutes::show(const Caller& caller, const Path<UserId>& userId, const Path<OverrideId>& id,
                                  const Query<OverrideQuery>& query) const
{
    auto session = _core.database.snapshot();
    const auto organization = organizationOf(Actor(session, caller, _core.clock.now()), query->organizationId);
    auto entry = userOverrideTable.require(session, organization, *userId, *id);
    entry.organizationId = organization;
    return entry;
}

UserOverride OverrideRoutes::put(const Caller& caller, const Request& request, const Path<UserId>& userId, const Body<OverrideInput>& input,
                                 const IfMatch& match)
{
    const auto catalog = _core.catalog.snapshot();
    return _core.changes.run(
        {*userId, Tenant::fromStored(caller.principalId)},
        [&](Transaction& transaction)
        {
            const Change change(transaction, *catalog, caller, request, *userId, _core.clock.now(), input->organizationId);
            change.requireRights({.permission = input->permission});
            change.requireFuture(input->expiresAt);
            const Stamp stamp{change.now, change.actor.userId().text()};
            const auto known = userOverrideTable.select(change.organization)
                                   .where(&UserOverride::userId, *userId)
                                   .where(&UserOverride::permission, input->permission)
                                   .first(transaction);
            const auto fill = [&](UserOverride& entry)
            {
                entry.userId = *userId;
                entry.permission = input->permission;
                entry.effect = input->effect;
                entry.reason = input->reason;
                entry.createdBy = stamp.by;
                entry.expiresAt = input->expiresAt;
            };
            UserOverride entry;
            if (known)
                entry = userOverrideTable.change(transaction, change.organization, *userId, known->id, match, stamp, fill);
            else
            {
                match.require(0);
                fill(entry);
                entry = userOverrideTable.create(transaction, change.organization, std::move(entry), stamp);
            }
            change.storeCovered(entry);
            change.finish(known ? EventName("permission_override.updated") : EventName("permission_override.created"), entry);
            return entry;
        });
}

UserOverride OverrideRoutes::update(const Caller& caller, const Request& request, const Path<UserId>& userId, const Path<OverrideId>& id,
                                    const Query<OverrideQuery>& query, const Body<Patch<UserOverride>>& patch, const IfMatch& match)
{
    const auto catalog = _core.catalog.snapshot();
    return _core.changes.run({*userId, Tenant::fromStored(caller.principalId)},
                             [&](Transaction& transaction)
                             {
                                 const Change change(transaction, *catalog, caller, request, *userId, _core.clock.now(),
                                                     query->organizationId);
                                 const Stamp stamp{change.now, change.actor.userId().text()};
                                 UserOverride entry = userOverrideTable.change(transaction, change.organization, *userId, *id, match, stamp,
                                                                               [&](UserOverride& edited)
                                                                               {
                                                                                   change.requireRights({.permission = edited.permission});
                                                                                   patch->applyTo(edited);
                                                                                   if (patch->has("expiresAt"))
                                                                                       change.requireFuture(edited.expiresAt);
                                                                               });
                                 change.storeCovered(entry);
                                 change.finish("permission_override.updated", entry);
                                 return entry;
                             });
}

NoContent OverrideRoutes::remove(const Caller& caller, const Request& request, const Path<UserId>& userId, const Path<OverrideId>& id,
                                 const Query<OverrideQuery>& query, const IfMatch& match)
{
    const auto catalog = _core.catalog.snapshot();
    _core.changes.run({*userId, Tenant::fromStored(caller.principalId)},
                      [&](Transaction& transaction)
                      {
                          const Change change(transaction, *catalog, caller, request, *userId, _core.clock.now(), query->organizationId);
                          const auto known = change.judged(*id);
                          auto entry = userOverrideTable.remove(transaction, change.organization, *userId, *id, match);
                          // Any actor with a sufficient rank may remove an override of a permission that no longer exists.
                          if (!change.named(known).empty()) change.requireRights(known);
                          change.finish("permission_override.removed", entry);
                      });
    return {};
}

} // namespace portico::identity
