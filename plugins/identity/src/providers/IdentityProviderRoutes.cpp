#include "providers/IdentityProviderRoutes.h"

#include "audit/Audit.h"
#include "organizations/WaysIn.h"
#include "permissions/Actor.h"
#include "sessions/SessionEvents.h"
#include "sessions/SignIn.h"

#include "portico/Json.h"

#include <algorithm>
#include <tuple>

namespace portico::identity
{

namespace
{

constexpr std::int64_t maxProvidersOfOne = 50;

void completeIssuer(IdentityProvider& provider)
{
    if (provider.kind == ProviderKind::GitHub && provider.issuer.empty()) provider.issuer = GitHubConnector::publicIssuer;
    if (provider.kind == ProviderKind::GitHub && provider.issuer.ends_with('/')) provider.issuer.pop_back();
    if (provider.kind == ProviderKind::Oidc && provider.scopes.empty()) provider.scopes = {"openid", "profile", "email"};
}

/// Checks that the caller and an owner can still sign in to the provider's organization, if its policy names the provider, or requires a
/// second factor and allows every method. Operators are exempt: they may close or change a provider at once, and can change the policy
/// afterwards.
/// @throws Problem 400 like `ways_in::require`
void requireOtherWays(Transaction& transaction, const Actor& actor, const IdentityProvider& provider)
{
    if (!provider.organizationId || actor.isOperator()) return;
    const auto organization = organizations::lock(transaction, *provider.organizationId);
    const auto& policy = organization.securityPolicy;
    const bool isNamed = std::ranges::find(policy.allowedLoginMethods, provider.loginMethod()) != policy.allowedLoginMethods.end();
    // The provider may also be the only second factor.
    if (!isNamed && !(policy.mfaRequired && policy.allowedLoginMethods.empty())) return;
    ways_in::require(transaction, organization.id, policy, actor.userId());
}

} // namespace

void IdentityProviderRoutes::declare(Routes& routes)
{
    const auto managing = access::bearer("identity.organizations:manage");
    const std::string_view all = "/api/identity-providers", one = "/api/identity-providers/{id}";
    const auto calling = [](std::string_view summary) {
        return RouteOptions{
            .summary = summary, .execution = Execution::Long, .problems = {"400 issuer_mismatch", "400 address_not_allowed"}};
    };
    routes.get(all, managing, &IdentityProviderRoutes::list, this, {.summary = "List identity providers"})
        .post(all, managing.inPerson(), &IdentityProviderRoutes::create, this, calling("Create an identity provider"))
        .get(one, managing, &IdentityProviderRoutes::show, this, {.summary = "Read an identity provider"})
        .patch(one, managing.inPerson(), &IdentityProviderRoutes::update, this, calling("Change an identity provider"))
        .del(one, managing.inPerson(), &IdentityProviderRoutes::remove, this,
             {.summary = "Delete an identity provider and its links; end its sign-ins"})
        .post("/api/identity-providers/{id}/test", managing, &IdentityProviderRoutes::test, this,
              {.summary = "Test an identity provider", .execution = Execution::Long, .idempotencyKey = false});
}

IdentityProvider IdentityProviderRoutes::require(Session& session, const Caller& caller, const IdentityProviderId& id) const
{
    const Actor actor(session, caller, _core.clock.now());
    auto provider = identity_providers::find(session, id);
    const bool own = provider && provider->organizationId && provider->organizationId == actor.organizationId();
    if (!provider || !(own || actor.isOperator())) throw Problem::notFound();
    return *std::move(provider);
}

void IdentityProviderRoutes::check(Session& session, const Caller& caller, const IdentityProvider& provider) const
{
    const Actor actor(session, caller, _core.clock.now());
    if (provider.organizationId)
        actor.requireOrganization(*provider.organizationId);
    else
        actor.requireOperator();
    if (provider.joinRole && provider.organizationId) actor.requireMayGrant(*provider.organizationId, *provider.joinRole);
    identity_providers::check(session, provider, _core.context.host().plainHttp);
}

void IdentityProviderRoutes::requireSetUp(const IdentityProvider& provider)
{
    try
    {
        _connectors.of(provider).requireSetUp(provider);
    }
    catch (const UpstreamFailure& failure)
    {
        throw Problem::badRequest(failure.kind == UpstreamFailure::Kind::OtherIssuer ? "issuer_mismatch" : "address_not_allowed",
                                  failure.what());
    }
}

Page<IdentityProvider> IdentityProviderRoutes::list(const Caller& caller, const Query<IdentityProvidersQuery>& query,
                                                    const Paging& paging) const
{
    auto session = _core.database.snapshot();
    const Actor actor(session, caller, _core.clock.now());
    if (query->organizationId) actor.requireOrganization(*query->organizationId);
    // Operators look after the installation's, others after those of their organization.
    auto owner = query->organizationId;
    if (!owner && !actor.isOperator()) owner = actor.organizationId();
    return identityProviderTable.select(identity_providers::ownerOf(owner)).orderBy(&IdentityProvider::createdAt).page(session, paging);
}

Created<IdentityProvider> IdentityProviderRoutes::create(const Caller& caller, const Request& request, const Body<IdentityProvider>& input)
{
    auto wanted = *input;
    completeIssuer(wanted);
    {
        auto session = _core.database.snapshot();
        check(session, caller, wanted);
    }
    requireSetUp(wanted);
    const auto owner = identity_providers::ownerOf(wanted.organizationId);
    auto made = identityProviderTable.stamped(wanted, {_core.clock.now()});
    made.lastUsedAt.reset();
    made.lastError.reset();
    made.clientSecret = identity_providers::sealedSecret(_core, made.id, made.clientSecret);
    _core.database.transact(
        [&](Transaction& transaction)
        {
            if (made.organizationId) organizations::lock(transaction, *made.organizationId);
            check(transaction, caller, made);
            made.setUpRank = Actor(transaction, caller, made.createdAt).rank();
            if (made.joinRole) made.joinRoleBy = UserId::parse(caller.principalId);
            if (identityProviderTable.count(transaction, owner) >= maxProvidersOfOne)
                throw Problem::conflict("conflict", "There are 50 providers already.");
            identityProviderTable.insert(transaction, owner, made);
            AuditLog::of(request, made.createdAt, made.organizationId).record(transaction, "identity_provider.created", made.id);
        });
    auto location = "/api/identity-providers/" + made.id.text();
    return {std::move(made), std::move(location)};
}

IdentityProvider IdentityProviderRoutes::show(const Caller& caller, const Path<IdentityProviderId>& id) const
{
    auto session = _core.database.snapshot();
    return require(session, caller, *id);
}

IdentityProvider IdentityProviderRoutes::update(const Caller& caller, const Request& request, const Path<IdentityProviderId>& id,
                                                const Body<Patch<IdentityProvider>>& patch, const IfMatch& match)
{
    const auto merge = [&](IdentityProvider& edited)
    {
        const auto before = edited;
        patch->applyTo(edited);
        edited.organizationId = before.organizationId;
        completeIssuer(edited);
        if (edited.clientSecret != before.clientSecret)
            edited.clientSecret = identity_providers::sealedSecret(_core, edited.id, edited.clientSecret);
    };
    auto looked = [&]
    {
        auto session = _core.database.snapshot();
        auto known = require(session, caller, *id);
        const auto issuer = known.issuer;
        const auto secret = known.clientSecret;
        merge(known);
        check(session, caller, known);
        return std::tuple(known, known.issuer != issuer, !secret.empty() && known.clientSecret == secret);
    }();
    const auto& [wanted, moves, keepsSecret] = looked;
    if (moves) requireSetUp(wanted);
    // It was given for that issuer, and for no other.
    if (moves && keepsSecret) throw Problem::invalid("clientSecret", "required", "Send the secret again: it would go to another issuer.");
    return _core.database.transact(
        [&](Transaction& transaction)
        {
            const auto known = require(transaction, caller, *id);
            IdentityProvider changed = identityProviderTable.change(transaction, identity_providers::ownerOf(known.organizationId), *id,
                                                                    match, {_core.clock.now()},
                                                                    [&](IdentityProvider& edited)
                                                                    {
                                                                        const Actor actor(transaction, caller, _core.clock.now());
                                                                        // A caller cannot change a provider that a higher rank has set up.
                                                                        if (edited.joinRole && edited.organizationId)
                                                                            actor.requireMayGrant(*edited.organizationId, *edited.joinRole);
                                                                        const auto before = edited;
                                                                        merge(edited);
                                                                        if (edited.joinRole != before.joinRole)
                                                                            edited.joinRoleBy = UserId::parse(caller.principalId);
                                                                        if (!edited.asksAs(before)) edited.setUpRank = actor.rank();
                                                                        if (edited.issuer != std::get<0>(looked).issuer)
                                                                            throw Problem::conflict();
                                                                        check(transaction, caller, edited);
                                                                    });
            const bool losesFactor = known.mapsSecondFactor() && !changed.mapsSecondFactor();
            // Another issuer has no linked accounts, and the provider does not open accounts above the rank of its author.
            if (known.usable() && (!changed.usable() || !changed.asksAs(known) || losesFactor))
                requireOtherWays(transaction, Actor(transaction, caller, _core.clock.now()), changed);
            AuditLog::of(request, _core.clock.now(), changed.organizationId).record(transaction, "identity_provider.updated", changed.id);
            return changed;
        });
}

NoContent IdentityProviderRoutes::remove(const Caller& caller, const Request& request, const Path<IdentityProviderId>& id,
                                         const IfMatch& match)
{
    // Runs as a change that concerns all callers, because the affected sign-ins are only known inside.
    _core.sessionEvents.ended(_core.changes.run(
        [&](Transaction& transaction)
        {
            const auto now = _core.clock.now();
            const auto known = require(transaction, caller, *id);
            const Actor actor(transaction, caller, now);
            if (known.joinRole) actor.requireMayWithdraw(*known.joinRole);
            match.require(known.version);
            const auto log = AuditLog::of(request, now, known.organizationId);
            auto ended = linked_accounts::endSignIns(transaction, {.provider = known.id}, end_reason::revokedByAdmin, now, &log);
            transaction.execute("DELETE FROM linked_accounts WHERE provider_id = $1", known.id);
            identityProviderTable.erase(transaction, identity_providers::ownerOf(known.organizationId), known.id);
            requireOtherWays(transaction, actor, known);
            log.record(transaction, "identity_provider.removed", known.id);
            return ended;
        }));
    return {};
}

ProviderTest IdentityProviderRoutes::test(const Caller& caller, const Path<IdentityProviderId>& id)
{
    const auto provider = [&]
    {
        auto session = _core.database.snapshot();
        return require(session, caller, *id);
    }();
    ProviderTest result;
    result.steps = _connectors.of(provider).test(provider);
    result.ok = std::ranges::all_of(result.steps, &ProviderTestStep::ok);
    return result;
}

} // namespace portico::identity
