#include "login/SignInEnrollment.h"

#include "audit/Audit.h"
#include "factors/Totp.h"
#include "tokens/KeyRing.h"

#include "portico/Crypto.h"
#include "portico/Json.h"

namespace portico::identity
{

Problem SignInEnrollment::demand(const User& user, SignInRequest wanted)
{
    // Chooses the context as for the completed sign-in, so that a member who leaves the organization cannot complete it elsewhere.
    wanted.acr = "aal2";
    wanted.in(_flow.service().contextFor(user, wanted));
    const auto secret = _core.keys.sealer().seal(totp::newSecret(), factors::purposeOf(user.id));
    return Problem::forbidden("org_policy_mfa_required", "This organization asks for a second factor.")
        .withDetails(EnrollmentDemand{_pending.issue(user, wanted, secret)});
}

std::optional<OfferedApp> SignInEnrollment::offered(std::string_view token) const
{
    const auto pending = _pending.look(token);
    if (!pending) return std::nullopt;
    const auto user = _core.read([&](Session& session) { return users::find(session, pending->userId.text()); });
    if (!user) return std::nullopt;
    const auto secret = _core.keys.sealer().open(pending->appSecret, factors::purposeOf(pending->userId));
    const auto uri = totp::uri(_core.settings.factorIssuer, user->email, secret);
    return OfferedApp{totp::base32(secret), uri, qrSvg(uri)};
}

std::int64_t SignInEnrollment::requireCode(const Request& request, const User& user, const PendingSignIn& pending, std::string_view code)
{
    if (const auto step = _secondFactors.firstStep(user.id, pending.appSecret, code)) return *step;
    _core.database.transact(
        [&](Transaction& transaction)
        {
            AuditLog::anonymous(Client::of(request), _core.clock.now(), pending.serviceId)
                .refused(transaction, "session.refused", user.id, {{"factor", FactorKind::Totp}});
        });
    throw Problem::unauthorized("invalid_code", "That is not the code that the app shows now.");
}

EnrolledSignIn SignInEnrollment::complete(const Request& request, std::string_view token, std::string_view code)
{
    const auto pending = _pending.attempt(token);
    if (!pending) throw PendingSignIns::expired();
    auto wanted = _flow.onPage(request);
    pending->resume(wanted);
    wanted.acr = "aal2";
    wanted.amr.emplace_back(amr::oneTimeCode);
    const auto user = _pending.requireUser(*pending);
    if (user.passwordExpiredFor == PendingSignIns::markOf(user)) throw PendingSignIns::expired();
    const auto step = requireCode(request, user, *pending, code);
    if (!_pending.finish(token)) throw PendingSignIns::expired();
    std::vector<std::string> codes;
    wanted.together = [&](Transaction& transaction, const SignIn& signIn)
    {
        const auto now = signIn.createdAt;
        // Another session of the user may have added a factor since. The sign-in has locked the user.
        if (factors::any(factors::summary(transaction, user.id))) throw PendingSignIns::expired();
        const TotpFactor app{FactorId::make(now), std::string(defaultAppName), pending->appSecret, step, now, now};
        codes = _secondFactors.add(transaction, user.id, app, AuditLog::ofUser(Client::of(request), user.id, now));
    };
    auto reply = _flow.complete(request, user, wanted);
    return {std::move(reply), std::move(codes)};
}

} // namespace portico::identity
