#include "developers/HandoffRoutes.h"

#include "audit/Audit.h"
#include "catalog/CatalogStore.h"
#include "catalog/ManifestLint.h"
#include "catalog/ServiceAccess.h"
#include "records/Organization.h"

#include "portico/Crypto.h"
#include "portico/Id.h"

namespace portico::identity
{

namespace
{

/// The client as it will be registered with the service.
OAuthClient clientFor(const AppHandoff& handoff)
{
    OAuthClient client;
    client.name = handoff.name;
    client.serviceId = handoff.serviceId;
    client.ownerId = handoff.workspaceOrganizationId;
    client.redirectUris = handoff.redirectUris;
    client.scopes = handoff.scopes;
    client.grantTypes = {std::string(grant::code), std::string(grant::refresh), std::string(grant::credentials)};
    return client;
}

AppSubmission requireApprovedSubmission(Session& session, const AppSubmissionId& id)
{
    auto submission = appSubmissionTable.find(session, id);
    if (!submission) throw Problem::invalid("submissionId", "unknown", "There is no such submission.");
    if (submission->status != SubmissionStatus::Approved)
        throw Problem::conflict("submission_not_approved", "The app is not approved, or registered already.");
    return *std::move(submission);
}

void requireFree(Session& session, const std::string& serviceId)
{
    if (CatalogStore::row(session, serviceId)) throw Problem::conflict("service_exists", "There is such a service already.");
}

void requireWorkspace(Transaction& transaction, const OrganizationId& id)
{
    const auto organization = organizations::find(transaction, id);
    if (!organization || organization->kind != OrganizationKind::DeveloperWorkspace)
        throw Problem::invalid("organizationId", "unknown", "There is no such developer workspace.");
    organizations::requireOpenWorkspace(transaction, id);
}

Problem handoffConsumed() { return Problem::conflict("handoff_consumed", "The handoff was used already."); }

void requireUnused(const AppHandoff& handoff, Instant now)
{
    const auto status = handoff.statusAt(now);
    if (status == HandoffStatus::Consumed) throw handoffConsumed();
    if (status != HandoffStatus::Issued) throw Problem(410, "handoff_expired", "The handoff has run out, or was revoked.");
}

ServiceRow registerService(Transaction& transaction, const AppHandoff& handoff, const ServiceManifest& manifest,
                           const CompletenessReport& report, Instant now)
{
    ServiceRow row;
    row.remote = true;
    row.createdAt = now;
    row.publisherId = handoff.workspaceOrganizationId;
    CatalogStore::take(row, manifest, report, true);
    row = CatalogStore::write(transaction, std::move(row), &manifest, now);
    // Grants access to the developer's organization only, so that its members can test the service first.
    service_access::grant(transaction, handoff.workspaceOrganizationId, row.serviceId, now);
    return row;
}

} // namespace

void HandoffRoutes::declare(Routes& routes)
{
    const auto& developerApplication = _core.settings.developerService;
    const auto reviewing = access::bearer("identity.developers:review").orOneService(developerApplication);
    routes
        .post("/api/approved-apps/handoffs", reviewing, &HandoffRoutes::issue, this,
              {.summary = "Create a one-time handoff code for an approved app",
               .problems = {"403 developer_workspace_suspended", "409 submission_not_approved", "409 service_exists"}})
        .get("/api/approved-apps/handoffs/{id}", reviewing, &HandoffRoutes::show, this, {.summary = "Read a handoff"})
        .post("/api/approved-apps/handoffs/{id}/revoke", reviewing, &HandoffRoutes::revoke, this,
              {.summary = "Revoke a handoff", .problems = {"409 handoff_consumed", "410 handoff_expired"}})
        .post("/api/approved-apps/handoffs/consume", Access{}.orOneService(developerApplication), &HandoffRoutes::consume, this,
              {.summary = "Register the service and OAuth client of an approved app",
               .problems = {"400 manifest_invalid", "403 developer_workspace_suspended", "403 manifest_exceeds_approval",
                            "409 handoff_consumed", "409 service_exists", "410 handoff_expired"}});
}

Created<IssuedHandoff> HandoffRoutes::issue(const Request& request, const Body<AppHandoffInput>& input)
{
    const auto now = _core.clock.now();
    AppHandoff handoff;
    handoff.handoffId = AppHandoffId::make(now);
    handoff.submissionId = input->submissionId;
    handoff.workspaceOrganizationId = input->organizationId;
    handoff.serviceId = input->serviceId;
    handoff.name = input->name;
    handoff.redirectUris = input->redirectUris;
    handoff.scopes = input->scopes;
    handoff.expiresAt = now + (input->expiresInHours ? std::chrono::hours(*input->expiresInHours) : _core.settings.lifetimes.appHandoff);
    const auto code = handoffSecrets.issue(handoff.codeHash);
    handoff.createdAt = handoff.updatedAt = now;
    oauth_clients::check(clientFor(handoff));
    _core.database.transact(
        [&](Transaction& transaction)
        {
            requireWorkspace(transaction, handoff.workspaceOrganizationId);
            requireApprovedSubmission(transaction, handoff.submissionId);
            requireFree(transaction, handoff.serviceId);
            handoffTable.insert(transaction, handoff);
            AuditLog::of(request, now, handoff.workspaceOrganizationId).record(transaction, "app_handoff.issued", handoff.handoffId);
        });
    return {{handoff.handoffId, code, handoff.expiresAt, handoff.status}, "/api/approved-apps/handoffs/" + handoff.handoffId.text()};
}

AppHandoff HandoffRoutes::show(const Path<AppHandoffId>& id) const
{
    auto session = _core.database.snapshot();
    auto handoff = handoffTable.require(session, *id);
    handoff.status = handoff.statusAt(_core.clock.now());
    return handoff;
}

AppHandoff HandoffRoutes::revoke(const Request& request, const Path<AppHandoffId>& id, const IfMatch& match)
{
    return _core.database.transact(
        [&](Transaction& transaction)
        {
            const auto now = _core.clock.now();
            auto handoff = handoffTable.require(transaction, *id);
            match.require(handoff.version);
            if (handoff.status == HandoffStatus::Revoked) return handoff;
            requireUnused(handoff, now);
            handoff.status = HandoffStatus::Revoked;
            handoffTable.update(transaction, handoff, {now});
            AuditLog::of(request, now, handoff.workspaceOrganizationId).record(transaction, "app_handoff.revoked", handoff.handoffId);
            return handoff;
        });
}

Created<RegisteredApp> HandoffRoutes::consume(const Caller& caller, const Request& request, const Body<ConsumeInput>& input)
{
    const auto manifest = readManifest(input->manifest.text);
    RegisteredApp app;
    app.completeness = checkCompleteness(manifest, {});
    _core.changes.run(
        [&](Transaction& transaction)
        {
            const auto now = _core.clock.now();
            const auto handoff = handoffSecrets.look(transaction, input->handoffCode);
            if (!handoff) throw Problem::notFound("There is no such handoff.");
            requireUnused(*handoff, now);
            requireWorkspace(transaction, handoff->workspaceOrganizationId);
            auto submission = requireApprovedSubmission(transaction, handoff->submissionId);
            app_handoffs::requireWithin(*handoff, submission.surfaceKind, manifest);
            requireFree(transaction, manifest.serviceId);
            if (!handoffSecrets.redeem(transaction, handoffTable.select().where(&AppHandoff::handoffId, handoff->handoffId), {now},
                                       &AppHandoff::status, HandoffStatus::Consumed, &AppHandoff::consumedAt, now))
                throw handoffConsumed();
            review::force(transaction, submission, SubmissionStatus::Registered, {}, {}, now);
            const auto row = registerService(transaction, *handoff, manifest, app.completeness, now);
            app.service = *CatalogStore::stored(transaction, row).view;
            auto client = clientFor(*handoff);
            client.clientId = "cli_" + makeUlid(now);
            oauth_clients::create(transaction, client, {now, caller.principalId});
            app.oauthClient = {client.clientId, oauth_clients::addSecret(transaction, client.clientId, now, now)};
            AuditLog::of(request, now, handoff->workspaceOrganizationId)
                .record(transaction, "app_handoff.consumed", handoff->handoffId,
                        {{"client_id", client.clientId}, {"service_id", row.serviceId}});
        });
    return {std::move(app), "/api/services/" + manifest.serviceId};
}

} // namespace portico::identity
