#include "users/MeRoutes.h"

#include "organizations/OrganizationStore.h"
#include "sessions/SignInStore.h"
#include "users/UserStore.h"

namespace portico::identity
{

void MeRoutes::declare(Routes& routes)
{
    routes
        .get("/api/auth/me", access::bearer(), &MeRoutes::show, this,
             {.summary = "Who is signed in, where, and what they may do", .gateway = true})
        .patch("/api/auth/me", access::bearer(), &MeRoutes::update, this, {.summary = "Change one's own profile", .gateway = true});
}

Me MeRoutes::show(const Caller& caller) const
{
    auto snapshot = _database.snapshot();
    auto user = users::find(snapshot, caller.principalId);
    auto signIn = sign_ins::find(snapshot, caller.sessionId);
    // Both were there a moment ago, when the token was validated.
    if (!user || !signIn) throw Problem::unauthorized("invalid_token");
    const auto standing = access_facts::standing(snapshot, caller.principalId, signIn->organizationId, user->platformRole);
    Me me;
    me.organizations = organizations::ofUser(snapshot, caller.principalId);
    me.revision = user->revision;
    me.user = *std::move(user);
    me.user.role = standing.role;
    me.session = *std::move(signIn);
    me.session.current = true;
    me.session.acr = me.session.effectiveAcr(_clock.now());
    me.activeContext = ActiveContext::of(standing);
    me.effectivePermissions = caller.permissions;
    me.serviceId = caller.serviceId;
    return me;
}

User MeRoutes::update(const Caller& caller, const Body<Patch<User>>& patch, const IfMatch& match)
{
    // Names are part of what is remembered of a caller.
    return _changes.run(
        [&](Transaction& transaction)
        {
            auto user = users::find(transaction, caller.principalId);
            if (!user) throw Problem::unauthorized("invalid_token");
            match.require(user->version);
            patch->applyTo(*user);
            users::updateProfile(transaction, *user, _clock.now());
            user->role = parseEnum<Role>(caller.role).value_or(Role::Member);
            return *std::move(user);
        });
}

} // namespace portico::identity
