#include "factors/FactorRoutes.h"

#include "audit/Audit.h"
#include "common/OneTimeSecrets.h"
#include "factors/Totp.h"
#include "permissions/Actor.h"
#include "tokens/KeyRing.h"
#include "users/AccountNotices.h"

#include "portico/Crypto.h"

#include <algorithm>

namespace portico::identity
{

namespace
{

constexpr auto enrollmentLife = std::chrono::seconds(600);
constexpr std::int64_t maxFactors = 10;

/// Pending enrollment in the StateStore, with the sealed secret. Waits for the first code.
struct PendingEnrollment
{
    UserId userId;
    std::string name;
    std::string secret;
};

constexpr auto schemaOf(const PendingEnrollment*)
{
    return describe(members<&PendingEnrollment::userId, &PendingEnrollment::name, &PendingEnrollment::secret>());
}

OneTimeSecrets<PendingEnrollment> enrollments(StateStore& state) { return {state, "totp-enrollment"}; }

RouteOptions factorRow(std::string_view summary, std::vector<std::string_view> problems = {})
{
    problems.emplace_back("403 step_up_required");
    return {.summary = summary, .onEveryOrigin = true, .problems = std::move(problems)};
}

void requireRoomForApp(Session& session, const UserId& owner)
{
    if (totpFactorTable.count(session, owner) >= maxFactors)
        throw Problem::conflict("factor_limit_reached", "Remove an authenticator app before you add another.");
}

} // namespace

void FactorRoutes::declare(Routes& routes)
{
    const auto proven = access::bearer().inPerson().freshProof();
    routes
        .get("/api/auth/mfa", access::bearer(), &FactorRoutes::list, this,
             {.summary = "List the caller's second factors", .onEveryOrigin = true})
        .post("/api/auth/mfa/totp/enroll", proven, &FactorRoutes::enroll, this,
              factorRow("Start the setup of an authenticator app", {"409 factor_limit_reached"}))
        .post("/api/auth/mfa/totp/activate", proven, &FactorRoutes::activate, this,
              factorRow("Confirm an authenticator app by its first code",
                        {"401 invalid_code", "409 factor_limit_reached", "410 enrollment_expired", "429 too_many_attempts"}))
        .post("/api/auth/mfa/recovery-codes", proven, &FactorRoutes::renewCodes, this,
              factorRow("Regenerate the recovery codes", {"409 no_second_factor"}))
        .del("/api/auth/mfa/{factorId}", proven, &FactorRoutes::remove, this,
             factorRow("Remove a second factor", {"409 last_factor_required_by_policy"}));
}

FactorList FactorRoutes::list(const Caller& caller) const
{
    auto snapshot = _core.database.snapshot();
    const auto owner = caller.userId();
    FactorList list;
    for (const auto& factor : totpFactorTable.select(owner).all(snapshot))
        list.factors.push_back({std::string(factor.id.text()), FactorKind::Totp, factor.name, factor.createdAt, factor.lastUsedAt});
    for (Row row : snapshot.query("SELECT id, name, created_at, last_used_at FROM passkeys WHERE user_id = $1", owner))
        list.factors.push_back({row.get<std::string>(0), FactorKind::Passkey, row.get<std::string>(1), row.get<Instant>(2),
                                row.get<std::optional<Instant>>(3)});
    std::ranges::stable_sort(list.factors, {}, &FactorEntry::createdAt);
    list.recoveryCodesLeft = factors::summary(snapshot, owner).recoveryCodesLeft;
    return list;
}

Created<TotpEnrollment> FactorRoutes::enroll(const Caller& caller, const Body<EnrollInput>& input)
{
    const auto owner = caller.userId();
    {
        auto session = _core.database.session();
        requireRoomForApp(session, owner);
    }
    const auto secret = totp::newSecret();
    const auto id = FactorId::make(_core.clock.now());
    const PendingEnrollment pending{owner, input->name.empty() ? std::string(defaultAppName) : input->name,
                                    _core.keys.sealer().seal(secret, factors::purposeOf(owner))};
    enrollments(_core.state).put(id.text(), pending, enrollmentLife);
    const auto uri = totp::uri(_core.settings.factorIssuer, caller.email, secret);
    return {{id, totp::base32(secret), uri, qrSvg(uri)}};
}

ActivatedFactor FactorRoutes::activate(const Caller& caller, const Request& request, const Body<ActivateInput>& input)
{
    const auto owner = caller.userId();
    const auto now = _core.clock.now();
    const auto expired = Problem::gone("enrollment_expired", "Begin again: this enrollment has ended.");
    const auto pending = enrollments(_core.state).look(input->enrollmentId);
    if (!pending || pending->userId != owner) throw expired;
    const auto step = _secondFactors.firstStep(owner, pending->secret, input->code);
    if (!step) throw Problem::unauthorized("invalid_code", "That is not the code that the app shows now.");
    if (!enrollments(_core.state).redeem(input->enrollmentId)) throw expired;
    return _core.database.transact(
        [&](Transaction& transaction)
        {
            // The sign-in may have been ended since by a change of the account.
            Changes::waitFor(transaction, owner);
            requireElevation(transaction, caller, now);
            // Many enrollments may have begun while there was room.
            requireRoomForApp(transaction, owner);
            const auto id = FactorId::parse(input->enrollmentId).value_or(FactorId::make(now));
            const TotpFactor app{id, pending->name, pending->secret, *step, now, now};
            return ActivatedFactor{id, _secondFactors.add(transaction, owner, app, AuditLog::personal(request, now))};
        });
}

RecoveryCodes FactorRoutes::renewCodes(const Caller& caller, const Request& request)
{
    const auto owner = caller.userId();
    return _core.database.transact(
        [&](Transaction& transaction)
        {
            const auto now = _core.clock.now();
            Changes::waitFor(transaction, owner);
            requireElevation(transaction, caller, now);
            if (!factors::any(factors::summary(transaction, owner)))
                throw Problem::conflict("no_second_factor", "Recovery codes replace a second factor, and there is none.");
            AuditLog::personal(request, now).record(transaction, "mfa.recovery_codes_renewed", caller.principalId);
            return RecoveryCodes{factors::renewRecoveryCodes(transaction, owner, now)};
        });
}

NoContent FactorRoutes::remove(const Caller& caller, const Request& request, const Path<std::string>& id)
{
    const auto owner = caller.userId();
    _core.database.transact(
        [&](Transaction& transaction)
        {
            const auto now = _core.clock.now();
            requireElevation(transaction, caller, now);
            const bool isApp = transaction.execute("DELETE FROM totp_factors WHERE user_id = $1 AND id = $2", owner, *id) > 0;
            if (!isApp && transaction.execute("DELETE FROM passkeys WHERE user_id = $1 AND id = $2", owner, *id) == 0)
                throw Problem::notFound();
            factors::requireRemaining(transaction, owner);
            AuditLog::personal(request, now).record(transaction, "mfa.factor_removed", *id);
            _core.notices.tell(transaction, caller.principalId,
                               isApp ? &AccountChangeMail::appRemoved : &AccountChangeMail::passkeyRemoved);
        });
    return {};
}

} // namespace portico::identity
