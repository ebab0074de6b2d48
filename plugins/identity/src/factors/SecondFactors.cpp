#include "factors/SecondFactors.h"

#include "factors/Totp.h"
#include "tokens/KeyRing.h"

namespace portico::identity
{

namespace
{
constexpr std::int64_t triesOfAnAccount = 10;
constexpr std::string_view tooMany = "too_many_attempts";
} // namespace

SecondFactors::SecondFactors(Core& core)
    : _core(core),
      _ofAccount(core.state, core.clock, {.use = "factor-tries", .limit = triesOfAnAccount, .window = std::chrono::minutes(10)})
{
}

bool SecondFactors::limited(const UserId& user, const std::function<bool()>& matches) const
{
    _ofAccount.require(user.text(), tooMany);
    const bool right = matches();
    if (right) _ofAccount.count(user.text(), -1);
    return right;
}

void SecondFactors::unlock(const UserId& user) const
{
    while (!_ofAccount.look(user.text()).allowed) _ofAccount.count(user.text(), -triesOfAnAccount);
}

bool SecondFactors::useTotp(Transaction& transaction, const UserId& user, std::string_view code) const
{
    const auto now = _core.clock.now();
    for (const auto& factor : totpFactorTable.select(user).all(transaction))
    {
        const auto step = totp::matchingStep(_core.keys.sealer().open(factor.secret, factors::purposeOf(user)), code, now);
        if (step < 0) continue;
        // The swap decides between those who send the same code at once, and refuses it to who saw it being typed (RFC 6238, 5.2).
        if (totpFactorTable.select(user)
                .where(&TotpFactor::id, factor.id)
                .where("last_step < ?", step)
                .set(transaction, &TotpFactor::lastStep, step, &TotpFactor::lastUsedAt, now) > 0)
            return true;
    }
    return false;
}

bool SecondFactors::prove(const UserId& user, FactorKind kind, std::string_view code)
{
    return limited(user,
                   [&]
                   {
                       return _core.database.transact(
                           [&](Transaction& transaction)
                           {
                               if (kind == FactorKind::Totp) return useTotp(transaction, user, code);
                               return kind == FactorKind::RecoveryCode &&
                                      factors::useRecoveryCode(transaction, user, code, _core.clock.now());
                           });
                   });
}

} // namespace portico::identity
