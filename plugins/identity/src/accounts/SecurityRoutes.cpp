#include "accounts/SecurityRoutes.h"

#include "audit/Audit.h"
#include "organizations/DomainRoutes.h"
#include "sessions/SessionEvents.h"
#include "sessions/SignIn.h"
#include "signin/PendingSignIns.h"

namespace portico::identity
{

namespace
{

/// Details for the audit log: the administrator's input, and the removed credentials.
struct SecurityDetails : SecurityInput
{
    std::vector<AccountCredential> removed;
};

constexpr auto schemaOf(const SecurityDetails*)
{
    return describe(
        members<&SecurityInput::requirePasswordChange, &SecurityInput::resetMfa, &SecurityInput::unlock, &SecurityDetails::removed>());
}

/// An account is protected in all places at once, so that who manages one of its organizations is not enough: the person has no other, or
/// their address is in a domain that this one has proved.
/// @throws Problem 403 `outranked`
void requireAuthority(Session& session, const Actor& actor, const User& user)
{
    if (actor.isOperator()) return;
    const auto& own = actor.organizationId().value();
    const auto others = session.value<std::int64_t>(
        "SELECT 1 FROM memberships WHERE user_id = $1 AND organization_id <> $2 AND status <> 'removed' LIMIT 1", user.id, own);
    if (others && !domains::holds(session, own, user))
        throw Problem::forbidden("outranked", "That person belongs to other organizations, too: an operator can do this.");
}

} // namespace

void SecurityRoutes::declare(Routes& routes)
{
    routes
        .patch("/api/users/{userId}/security", access::bearer().forAdmins().inPerson(), &SecurityRoutes::update, this,
               {.summary = "Update the security of another user's account", .problems = {"403 outranked", "403 step_up_required"}})
        .post("/api/users/{userId}/password-reset", access::bearer().forAdmins().inPerson(), &SecurityRoutes::resetPassword, this,
              {.summary = "Send another user a mail that resets the password",
               .problems = {"403 outranked", "403 step_up_required"},
               .statuses = {202}});
}

std::vector<std::string> SecurityRoutes::endSessions(Transaction& transaction, const Actor& actor, const UserId& userId,
                                                     const AuditLog& log) const
{
    const auto now = _core.clock.now();
    if (actor.isOperator()) return sign_ins::endAll(transaction, userId, end_reason::revokedByAdmin, now, {}, &log);
    auto select = signInTable.select(userId);
    select.where(&SignIn::organizationId, actor.organizationId());
    const auto signIns = select.all(transaction);
    sign_ins::endBrowsers(transaction, signIns, {}, now);
    return sign_ins::end(transaction, signIns, end_reason::revokedByAdmin, now, &log);
}

Reply<PasswordResetStarted> SecurityRoutes::resetPassword(const Caller& caller, const Request& request, const Path<UserId>& userId,
                                                          const Body<PasswordResetInput>& input)
{
    const auto ended = _core.changes.run(
        {*userId},
        [&](Transaction& transaction)
        {
            const auto now = _core.clock.now();
            const Actor actor(transaction, caller, now);
            actor.requireAdminRoute();
            actor.requireMayChange(actor.rankOf(*userId, actor.organizationId()));
            const auto user = users::find(transaction, userId->text()).value();
            const auto log = AuditLog::personal(request, now, actor.organizationId());
            // First, because it may revoke reset links.
            auto over = input->revokeSessions ? endSessions(transaction, actor, user.id, log) : std::vector<std::string>();
            const auto token =
                one_time_tokens::issue(transaction, {token_purpose::passwordReset, user.id.text(), _core.settings.accounts.resetLife}, now);
            _mails.sendReset(transaction, mailRecipient(user), token);
            log.record(transaction, "user.password_reset_requested", *userId);
            return over;
        });
    _core.sessionEvents.ended(ended);
    return {{"mail_sent", static_cast<std::int64_t>(ended.size())}, 202};
}

AccountSecurity SecurityRoutes::update(const Caller& caller, const Request& request, const Path<UserId>& userId,
                                       const Body<SecurityInput>& input)
{
    User user;
    auto shown = _core.changes.run(
        {*userId},
        [&](Transaction& transaction)
        {
            const auto now = _core.clock.now();
            const Actor actor(transaction, caller, now);
            actor.requireAdminRoute();
            actor.requireMayChange(actor.rankOf(*userId, actor.organizationId()));
            actor.requireElevation();
            user = users::find(transaction, userId->text()).value();
            requireAuthority(transaction, actor, user);
            const auto mark = PendingSignIns::markOf(user);
            if (input->requirePasswordChange)
            {
                user.passwordExpiredFor = *input->requirePasswordChange && user.passwordHash ? std::optional(mark) : std::nullopt;
                userTable.set(transaction, user.id, {now}, &User::passwordExpiredFor, user.passwordExpiredFor);
            }
            RemovedCredentials removed;
            if (input->resetMfa)
                removed = account_credentials::remove(transaction, user.id, {.kinds = account_credentials::secondFactors()}, now);
            _mails.sendSecurityChanged(transaction, user,
                                       {.factorsRemoved = input->resetMfa,
                                        .passwordDemanded = user.passwordExpiredFor == mark && input->requirePasswordChange.has_value(),
                                        .unlocked = input->unlock,
                                        .removed = removedItems(removed)});
            AuditLog::personal(request, now, actor.organizationId())
                .record(transaction, "user.security_changed", *userId, SecurityDetails{*input, removed.items});
            return AccountSecurity{user.id, user.passwordExpiredFor == mark, factors::summary(transaction, user.id)};
        });
    if (input->unlock)
    {
        _throttle.forgive(user.emailKey);
        _secondFactors.unlock(user.id);
    }
    return shown;
}

} // namespace portico::identity
