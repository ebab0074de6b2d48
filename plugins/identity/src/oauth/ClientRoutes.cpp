#include "oauth/ClientRoutes.h"

#include "audit/Audit.h"
#include "clients/PairwiseSubjects.h"
#include "permissions/Actor.h"
#include "records/Organization.h"
#include "sessions/SessionEvents.h"
#include "sessions/SignIn.h"

#include "portico/Id.h"

namespace portico::identity
{

namespace
{

constexpr auto secretOverlap = std::chrono::hours(24);

Access managing() { return access::bearer("identity.oauth_clients:manage"); }

OrganizationId organizationOf(const Caller& caller)
{
    const auto id = OrganizationId::parse(caller.organizationId);
    if (!id) throw Problem::forbidden("service_access_denied", "Clients belong to an organization: work in one.");
    return *id;
}

} // namespace

void ClientRoutes::declare(Routes& routes)
{
    routes.get("/api/oauth-clients", managing(), &ClientRoutes::list, this, {.summary = "List the OAuth clients of the organization"})
        .post("/api/oauth-clients", managing().inPerson(), &ClientRoutes::create, this,
              {.summary = "Create an OAuth client", .execution = Execution::Long, .problems = {"403 developer_workspace_suspended"}})
        .get("/api/oauth-clients/{client_id}", managing(), &ClientRoutes::show, this, {.summary = "Read an OAuth client"})
        .patch("/api/oauth-clients/{client_id}", managing().inPerson(), &ClientRoutes::update, this,
               {.summary = "Update an OAuth client", .execution = Execution::Long})
        .del("/api/oauth-clients/{client_id}", managing().inPerson(), &ClientRoutes::remove, this,
             {.summary = "Delete an OAuth client and end its sign-ins"})
        .post("/api/oauth-clients/{client_id}/rotate-secret", managing().inPerson(), &ClientRoutes::rotate, this,
              {.summary = "Rotate an OAuth client's secret; the old expires in a day"})
        .get("/api/auth/consents", access::bearer(), &ClientRoutes::consents, this,
             {.summary = "List the apps that the caller has authorized", .onEveryOrigin = true})
        .del("/api/auth/consents/{client_id}", access::bearer().inPerson(), &ClientRoutes::withdraw, this,
             {.summary = "Revoke an app's authorization and end its sign-ins", .onEveryOrigin = true});
}

void ClientRoutes::requireMay(Transaction& transaction, const Caller& caller, const OAuthClient& client, const OAuthClient& before) const
{
    const Actor actor(transaction, caller, _core.clock.now());
    organizations::requireOpenWorkspace(transaction, actor.organizationId());
    // It provisions people up to admins.
    if (client.hasScope(scimScope)) actor.requireMayGrant(client.ownerId, Role::SuperAdmin);
    if (actor.isOperator()) return;
    if (before.requirePkce && !client.requirePkce)
        throw Problem::forbidden("permission_denied", "Only operators can exempt a client from PKCE.");
    if (client.firstParty || client.serviceId)
        throw Problem::forbidden("permission_denied", "Only operators make a client one of the platform's own or bind it to a service.");
}

Page<OAuthClient> ClientRoutes::list(const Caller& caller, const Paging& paging) const
{
    const auto organization = organizationOf(caller);
    auto session = _core.database.snapshot();
    return oauthClientTable.select(organization).orderBy(&OAuthClient::clientId).page(session, paging);
}

Created<NewClient> ClientRoutes::create(const Caller& caller, const Request& request, const Body<OAuthClient>& input)
{
    const auto organization = organizationOf(caller);
    auto client = *input;
    oauth_clients::check(client);
    pairwise_subjects::requireSector(_core.context.http(), client);
    const auto now = _core.clock.now();
    client.clientId = std::string(clientIdPrefix) + makeUlid(now);
    client.ownerId = organization;
    return _core.database.transact(
        [&](Transaction& transaction)
        {
            requireMay(transaction, caller, client, {});
            NewClient made;
            static_cast<OAuthClient&>(made) = oauth_clients::create(transaction, client, {now, caller.principalId});
            if (usesSecret(client.tokenEndpointAuthMethod))
                made.clientSecret = oauth_clients::addSecret(transaction, client.clientId, now, now);
            AuditLog::of(request, now).record(transaction, "oauth_client.created", client.clientId);
            return Created<NewClient>{std::move(made), "/api/oauth-clients/" + client.clientId};
        });
}

OAuthClient ClientRoutes::show(const Caller& caller, const Path<std::string>& id) const
{
    const auto organization = organizationOf(caller);
    auto session = _core.database.snapshot();
    return oauthClientTable.require(session, organization, *id);
}

OAuthClient ClientRoutes::update(const Caller& caller, const Request& request, const Path<std::string>& id,
                                 const Body<Patch<OAuthClient>>& patch, const IfMatch& match)
{
    const auto organization = organizationOf(caller);
    const auto known = show(caller, id);
    auto intended = known;
    patch->applyTo(intended);
    if (intended.redirectUris != known.redirectUris || intended.sectorIdentifierUri != known.sectorIdentifierUri)
        pairwise_subjects::requireSector(_core.context.http(), intended);
    // Its tokens are those of people everywhere.
    return _core.changes.run(
        [&](Transaction& transaction)
        {
            const auto before = oauthClientTable.require(transaction, organization, *id);
            requireMay(transaction, caller, before, before);
            OAuthClient changed = oauthClientTable.change(transaction, organization, *id, match, {_core.clock.now(), caller.principalId},
                                                          [&](OAuthClient& client)
                                                          {
                                                              patch->applyTo(client);
                                                              oauth_clients::check(client);
                                                              requireMay(transaction, caller, client, before);
                                                          });
            AuditLog::of(request, _core.clock.now()).record(transaction, "oauth_client.updated", changed.clientId);
            return changed;
        });
}

NoContent ClientRoutes::remove(const Caller& caller, const Request& request, const Path<std::string>& id, const IfMatch& match)
{
    const auto organization = organizationOf(caller);
    // Runs as a change that concerns all callers, because the affected tokens are only known inside.
    _core.sessionEvents.ended(_core.changes.run(
        [&](Transaction& transaction)
        {
            const auto client = oauthClientTable.requireForUpdate(transaction, organization, *id);
            match.require(client.version);
            requireMay(transaction, caller, client, client);
            const auto now = _core.clock.now();
            const auto log = AuditLog::of(request, now);
            log.record(transaction, "oauth_client.deleted", client.clientId);
            return oauth_clients::remove(transaction, client, end_reason::revokedByAdmin, now, log);
        }));
    return {};
}

RotatedSecret ClientRoutes::rotate(const Caller& caller, const Request& request, const Path<std::string>& id)
{
    const auto organization = organizationOf(caller);
    return _core.changes.run({organization},
                             [&](Transaction& transaction)
                             {
                                 const auto client = oauthClientTable.requireForUpdate(transaction, organization, *id);
                                 // A new secret grants no more than the old one, so the owner may rotate it for an approved app too.
                                 auto own = client;
                                 if (!client.firstParty) own.serviceId.reset();
                                 requireMay(transaction, caller, own, own);
                                 if (!usesSecret(client.tokenEndpointAuthMethod))
                                     throw Problem::conflict("conflict", "This client has no secret.");
                                 const auto now = _core.clock.now();
                                 RotatedSecret rotated{client.clientId, {}, now + secretOverlap};
                                 rotated.clientSecret = oauth_clients::addSecret(transaction, client.clientId, now, rotated.overlapEndsAt);
                                 AuditLog::of(request, now).record(transaction, "oauth_client.secret_rotated", client.clientId);
                                 return rotated;
                             });
}

Page<Consent> ClientRoutes::consents(const Caller& caller, const Paging& paging) const
{
    auto session = _core.database.snapshot();
    return pageOf<Consent>(
        session, paging, &Consent::clientId,
        "SELECT c.client_id, o.name, o.logo_uri, c.scopes, c.created_at, c.updated_at FROM oauth_consents c "
        "JOIN oauth_clients o ON o.client_id = c.client_id WHERE c.user_id = $1 AND c.client_id > $2 ORDER BY c.client_id LIMIT $3",
        caller.principalId);
}

NoContent ClientRoutes::withdraw(const Caller& caller, const Request& request, const Path<std::string>& id)
{
    const auto user = UserId::parse(caller.principalId);
    if (!user) throw Problem::notFound();
    _core.sessionEvents.ended(_core.changes.run(
        {*user},
        [&](Transaction& transaction)
        {
            const auto now = _core.clock.now();
            const auto rows = transaction.execute("DELETE FROM oauth_consents WHERE user_id = $1 AND client_id = $2", *user, *id);
            auto ended = sign_ins::end(transaction, sign_ins::ofClient(transaction, *id, *user), end_reason::revokedByUser, now);
            if (rows == 0 && ended.empty()) throw Problem::notFound();
            AuditLog::of(request, now).record(transaction, "oauth_consent.withdrawn", *id);
            return ended;
        }));
    return {};
}

} // namespace portico::identity
