#include "people/ImpersonationRoutes.h"

#include "audit/Audit.h"
#include "permissions/Actor.h"

#include "portico/Json.h"

namespace portico::identity
{

namespace
{

struct ImpersonationNote
{
    std::string reason;
    std::int64_t minutes = 0;
    std::string sessionId;
};

constexpr auto schemaOf(const ImpersonationNote*)
{
    return describe(members<&ImpersonationNote::reason, &ImpersonationNote::minutes, &ImpersonationNote::sessionId>());
}

} // namespace

void ImpersonationRoutes::declare(Routes& routes)
{
    routes.post("/api/users/{userId}/impersonate", access::bearer().forOperators().inPerson(), &ImpersonationRoutes::begin, this,
                {.summary = "Impersonate a user as an operator",
                 .idempotencyKey = false,
                 .problems = {"403 outranked", "403 step_up_required", "403 service_access_denied", "409 conflict"},
                 .statuses = {201}});
}

std::pair<SignIn, User> ImpersonationRoutes::requireMay(const Caller& caller, const UserId& id) const
{
    auto snapshot = _core.database.snapshot();
    const auto now = _core.clock.now();
    const Actor actor(snapshot, caller, now);
    actor.requireOperator();
    const auto subject = actor.rankOf(id, actor.organizationId());
    actor.requireMayChange(subject);
    actor.requireElevation();
    auto own = sign_ins::find(snapshot, caller.sessionId);
    auto user = users::find(snapshot, id.text());
    if (!own || !user) throw invalidToken("session_ended");
    if (user->status != UserStatus::Active) throw Problem::conflict("conflict", "This account is not in use.");
    return {*std::move(own), *std::move(user)};
}

Reply<TokenResponse> ImpersonationRoutes::begin(const Caller& caller, const Request& request, const Path<UserId>& id,
                                                const Body<ImpersonationInput>& input)
{
    auto [own, whom] = requireMay(caller, *id);
    const User user = std::move(whom);
    auto wanted =
        SignInRequest::impersonating(requestedService(request), std::move(own), std::chrono::minutes(input->minutes), Client::of(request));
    wanted.together = [&](Transaction& transaction, const SignIn& signIn)
    {
        AuditLog::ofUser(wanted.client, caller.principalId, signIn.createdAt, wanted.serviceId)
            .in(signIn.organizationId)
            .record(transaction, "user.impersonated", user.id, ImpersonationNote{input->reason, input->minutes, signIn.id.text()});
    };
    auto reply = _flow.complete(request, user, wanted);
    reply.status = 201;
    return reply;
}

} // namespace portico::identity
