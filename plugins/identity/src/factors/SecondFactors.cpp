#include "factors/SecondFactors.h"

#include "audit/Audit.h"
#include "factors/Totp.h"
#include "tokens/KeyRing.h"
#include "users/AccountNotices.h"

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

std::optional<std::int64_t> SecondFactors::firstStep(const UserId& user, std::string_view secret, std::string_view code) const
{
    std::int64_t step = -1;
    const auto matches = [&]
    {
        step = totp::matchingStep(_core.keys.sealer().open(secret, factors::purposeOf(user)), code, _core.clock.now());
        return step >= 0;
    };
    return limited(user, matches) ? std::optional(step) : std::nullopt;
}

std::vector<std::string> SecondFactors::add(Transaction& transaction, const UserId& user, const TotpFactor& app, const AuditLog& log) const
{
    totpFactorTable.insert(transaction, user, app);
    log.record(transaction, "mfa.totp_activated", app.id);
    _core.notices.tell(transaction, user.text(), &AccountChangeMail::appAdded);
    return factors::renewRecoveryCodes(transaction, user, app.createdAt);
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
