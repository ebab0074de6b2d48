#include "signin/PendingSignIns.h"

#include "portico/Crypto.h"

namespace portico::identity
{

namespace
{
constexpr std::int64_t triesOfAToken = 5;

std::string triesKey(std::string_view token) { return "mfa-tries:" + sha256(token).hex(); }
} // namespace

void PendingSignIn::resume(SignInRequest& wanted) const
{
    wanted.organizationId = organizationId;
    wanted.remember = remember;
    wanted.amr = amr;
    wanted.personal = personal;
    wanted.provider = provider;
}

std::string PendingSignIns::markOf(const User& user) { return sha256(user.passwordHash.value_or("")).hex(); }

Problem PendingSignIns::demand(const User& user, const SignInRequest& request, const std::vector<FactorKind>& factors)
{
    const PendingSignIn pending{user.id,          markOf(user), request.serviceId, request.clientId, request.organizationId,
                                request.remember, request.amr,  request.personal,  request.provider};
    const auto token = _pending.issue(pending, _core.settings.lifetimes.challenge);
    return Problem::forbidden("mfa_required", "Prove with a second factor that it is you.")
        .withDetails(MfaDemand{token, factors, _core.clock.now() + _core.settings.lifetimes.challenge});
}

std::optional<PendingSignIn> PendingSignIns::attempt(std::string_view token)
{
    auto pending = _pending.look(token);
    if (pending && _core.state.add(triesKey(token), 1, _core.settings.lifetimes.challenge) > triesOfAToken) pending.reset();
    return pending;
}

bool PendingSignIns::finish(std::string_view token) { return _pending.redeem(token).has_value(); }

} // namespace portico::identity
