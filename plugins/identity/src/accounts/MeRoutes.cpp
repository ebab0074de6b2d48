#include "accounts/MeRoutes.h"

#include "audit/Audit.h"
#include "catalog/CatalogStore.h"
#include "common/Requests.h"
#include "factors/Factors.h"
#include "onboarding/OnboardingStore.h"
#include "sessions/SignIn.h"
#include "users/ProfileRules.h"
#include "users/RecoveryEmail.h"
#include "users/User.h"

#include "portico/Text.h"

#include <algorithm>

namespace portico::identity
{

void MeRoutes::declare(Routes& routes)
{
    routes
        .get("/api/auth/me", access::bearer(), &MeRoutes::show, this,
             {.summary = "Read the caller, their context and their permissions", .onEveryOrigin = true})
        .patch("/api/auth/me", access::bearer(), &MeRoutes::update, this,
               {.summary = "Change the caller's profile", .onEveryOrigin = true});
}

namespace
{

std::map<std::string, ServiceOnboarding> onboardingOf(Session& session, const Catalog& catalog, Tenant owner)
{
    std::map<std::string, ServiceOnboarding> services;
    const auto progress = onboardingTable.select(owner).all(session);
    for (const auto& [id, service] : catalog.services)
    {
        if (!service.active() || service.onboardingSteps.empty()) continue;
        const auto found = std::ranges::find(progress, id, &OnboardingProgress::serviceId);
        const auto known = found == progress.end() ? OnboardingProgress() : *found;
        services[id] = {std::string(toString(known.status)), currentStep(service, known), known.completedAt};
    }
    return services;
}

} // namespace

Me MeRoutes::show(const Caller& caller) const
{
    const auto catalog = _core.catalog.snapshot();
    auto snapshot = _core.database.snapshot();
    auto user = users::find(snapshot, caller.principalId);
    auto signIn = sign_ins::find(snapshot, caller.sessionId);
    // Both were there a moment ago, when the token was validated.
    if (!user || !signIn) throw Problem::unauthorized("invalid_token");
    const auto standing = access_facts::standing(snapshot, *user, signIn->organizationId, SignInProof::of(*signIn, _core.clock.now()));
    Me me;
    me.organizations = organizations::ofUser(snapshot, user->id);
    me.revision = user->revision;
    me.user = *std::move(user);
    me.user.role = standing.role;
    me.user.mfa = factors::summary(snapshot, me.user.id);
    me.session = *signIn;
    if (signIn->impersonatorId) me.act = ActingParty{signIn->impersonatorId->text()};
    me.session.current = true;
    me.session.acr = me.session.effectiveAcr(_core.clock.now());
    me.activeContext = ActiveContext::of(standing);
    me.households = households::ofUser(snapshot, me.user.id);
    me.selectedHouseholdId = me.activeContext.selectedHouseholdId;
    me.selectedHousehold = me.activeContext.selectedHousehold;
    me.onboarding.recoveryEmail.status = recovery_emails::find(snapshot, caller.principalId).status();
    me.onboarding.services =
        onboardingOf(snapshot, *catalog, signIn->organizationId ? Tenant(*signIn->organizationId) : Tenant(me.user.id));
    me.effectivePermissions = permissionsThere(caller);
    me.serviceId = caller.serviceId;
    return me;
}

User MeRoutes::update(const Caller& caller, const Request& request, const Body<Patch<User>>& patch, const IfMatch& match)
{
    // Names are part of cached callers.
    return _core.changes.run(
        {Tenant::fromStored(caller.principalId)},
        [&](Transaction& transaction)
        {
            auto user = users::find(transaction, caller.principalId);
            if (!user) throw Problem::unauthorized("invalid_token");
            match.require(user->version);
            const auto before = *user;
            patch->applyTo(*user);
            profile_rules::check(before, *user);
            user->updatedAt = _core.clock.now();
            // Updates single columns, because a concurrent sign-in may write its time.
            const auto changed = userTable.select()
                                     .where(&User::id, user->id)
                                     .where(&User::version, user->version++)
                                     .set(transaction, {user->updatedAt}, &User::displayName, user->displayName, &User::foldedName,
                                          fold(user->displayName), &User::givenName, user->givenName, &User::familyName, user->familyName,
                                          &User::avatarUrl, user->avatarUrl, &User::locale, user->locale, &User::timezone, user->timezone);
            if (changed == 0) throw Problem::versionConflict(user->version);
            AuditLog::personal(request, user->updatedAt).record(transaction, "user.updated", caller.principalId);
            user->mfa = factors::summary(transaction, user->id);
            user->role = parseEnum<Role>(caller.role).value_or(Role::Member);
            return *std::move(user);
        });
}

} // namespace portico::identity
