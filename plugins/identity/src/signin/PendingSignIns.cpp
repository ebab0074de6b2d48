#include "signin/PendingSignIns.h"

#include "signin/SignInFlow.h"

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

Problem PendingSignIns::expired()
{
    return Problem::gone("mfa_expired", "Sign in again: the time or the tries for the second factor are over.");
}

std::string PendingSignIns::issue(const User& user, const SignInRequest& request, const std::string& appSecret)
{
    const PendingSignIn pending{user.id,          markOf(user), request.serviceId, request.clientId, request.organizationId,
                                request.remember, request.amr,  request.personal,  request.provider, appSecret};
    return _pending.issue(pending, _core.settings.lifetimes.challenge);
}

Problem PendingSignIns::demand(const User& user, const SignInRequest& request, const std::vector<FactorKind>& factors)
{
    const auto token = issue(user, request);
    return Problem::forbidden("mfa_required", "Prove with a second factor that it is you.")
        .withDetails(MfaDemand{token, factors, _core.clock.now() + _core.settings.lifetimes.challenge});
}

std::optional<PendingSignIn> PendingSignIns::attempt(std::string_view token)
{
    auto pending = _pending.look(token);
    if (pending && _core.state.add(triesKey(token), 1, _core.settings.lifetimes.challenge) > triesOfAToken) pending.reset();
    return pending;
}

User PendingSignIns::requireUser(const PendingSignIn& pending) const
{
    auto user = _core.read([&](Session& session) { return users::find(session, pending.userId.text()); });
    if (!user || markOf(*user) != pending.passwordMark) throw expired();
    SignInFlow::requireActive(*user, "invalid_credentials");
    return *std::move(user);
}

bool PendingSignIns::finish(std::string_view token) { return _pending.redeem(token).has_value(); }

} // namespace portico::identity
