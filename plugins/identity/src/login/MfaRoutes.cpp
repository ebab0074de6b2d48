#include "login/MfaRoutes.h"

#include "audit/Audit.h"

namespace portico::identity
{

void MfaRoutes::declare(Routes& routes)
{
    routes.post("/api/auth/mfa/verify", access::open(), &MfaRoutes::verify, this,
                {.summary = "Complete a sign-in with a second factor",
                 .onEveryOrigin = true,
                 .idempotencyKey = false,
                 .problems = {"401 invalid_code", "403 membership_required", "403 login_method_not_allowed", "410 mfa_expired",
                              "429 too_many_attempts"}});
}

std::string_view MfaRoutes::requireProof(const User& user, const PendingSignIn& pending, const MfaInput& input, const Request& request)
{
    if (input.factor == FactorKind::Passkey)
    {
        if (_secondFactors.limited(user.id, [&] { return _passkeys.confirms(request, user.id, input.credential); })) return amr::key;
    }
    else if (_secondFactors.prove(user.id, input.factor, input.code))
        return amr::oneTimeCode;
    _core.database.transact(
        [&](Transaction& transaction)
        {
            AuditLog::anonymous(Client::of(request), _core.clock.now(), pending.serviceId)
                .refused(transaction, "session.refused", user.id, {{"factor", input.factor}});
        });
    throw Problem::unauthorized("invalid_code", "The authentication failed.");
}

Reply<TokenResponse> MfaRoutes::verify(const Request& request, const Body<MfaInput>& input)
{
    const auto pending = _pending.attempt(input->mfaToken);
    if (!pending) throw PendingSignIns::expired();
    return proceed(request, *pending, *input, _flow.atService(request, pending->serviceId, pending->clientId));
}

Reply<TokenResponse> MfaRoutes::verifyOnPage(const Request& request, const MfaInput& input)
{
    const auto pending = _pending.attempt(input.mfaToken);
    if (!pending || pending->serviceId != identityServiceId) throw PendingSignIns::expired();
    return proceed(request, *pending, input, _flow.onPage(request));
}

Reply<TokenResponse> MfaRoutes::proceed(const Request& request, const PendingSignIn& pending, const MfaInput& input, SignInRequest wanted)
{
    pending.resume(wanted);
    wanted.acr = "aal2";
    const auto user = _pending.requireUser(pending);
    wanted.amr.emplace_back(requireProof(user, pending, input, request));
    if (!_pending.finish(input.mfaToken)) throw PendingSignIns::expired();
    return _flow.complete(request, user, wanted);
}

} // namespace portico::identity
