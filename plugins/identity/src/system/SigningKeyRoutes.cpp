#include "system/SigningKeyRoutes.h"

#include "audit/Audit.h"
#include "permissions/Actor.h"

namespace portico::identity
{

void SigningKeyRoutes::declare(Routes& routes)
{
    routes.post("/api/system/signing-keys/rotate", access::bearer().forOperators().inPerson(), &SigningKeyRoutes::rotate, this,
                {.summary = "Rotate the signing keys", .problems = {"403 step_up_required", "409 conflict"}});
}

JwkSet SigningKeyRoutes::rotate(const Caller& caller, const Request& request)
{
    const auto now = _core.clock.now();
    {
        auto session = _core.database.session();
        const Actor actor(session, caller, now);
        if (actor.rank() < rank(PlatformRole::PlatformSuperAdmin))
            throw Problem::forbidden("permission_denied", "Only a platform super admin changes the keys.");
        actor.requireElevation();
    }
    _core.keys.rotate();
    _core.database.transact([&](Transaction& transaction)
                            { AuditLog::personal(request, now).record(transaction, "signing_keys.rotated"); });
    return _core.keys.jwks();
}

} // namespace portico::identity
