#pragma once

#include "accounts/AccountMails.h"
#include "factors/SecondFactors.h"
#include "permissions/Actor.h"
#include "sessions/LoginThrottle.h"

#include "portico/Routes.h"

namespace portico::identity
{

struct SecurityInput
{
    std::optional<bool> requirePasswordChange;
    bool resetMfa = false;
    bool unlock = false;
};

constexpr auto schemaOf(const SecurityInput*)
{
    return describe(members<&SecurityInput::requirePasswordChange, &SecurityInput::resetMfa, &SecurityInput::unlock>());
}

/// How an account is protected, as administrators see it.
struct AccountSecurity
{
    UserId userId;
    /// The next sign-in with the present password is refused: its owner has to choose another.
    bool passwordChangeRequired = false;
    FactorSummary mfa;
};

constexpr auto schemaOf(const AccountSecurity*)
{
    return describe(members<&AccountSecurity::userId, &AccountSecurity::passwordChangeRequired, &AccountSecurity::mfa>());
}

struct PasswordResetInput
{
    bool revokeSessions = true;
};

constexpr auto schemaOf(const PasswordResetInput*) { return describe(field<&PasswordResetInput::revokeSessions>()); }

/// Answer after the reset mail to the user was sent.
struct PasswordResetStarted
{
    std::string status = "mail_sent";
    std::int64_t ended = 0;
};

constexpr auto schemaOf(const PasswordResetStarted*)
{
    return describe(members<&PasswordResetStarted::status, &PasswordResetStarted::ended>());
}

/// Security operations of administrators for users who have lost a factor, or whose password may be known to others. Administrators never
/// set or see a password. Thread-safe.
class SecurityRoutes
{
public:
    SecurityRoutes(Core& core, SecondFactors& secondFactors)
        : _core(core), _secondFactors(secondFactors), _throttle(core.state, core.settings, core.clock), _mails(core)
    {
    }
    void declare(Routes& routes);

    AccountSecurity update(const Caller& caller, const Request& request, const Path<UserId>& userId, const Body<SecurityInput>& input);
    /// Sessions end that lie in the administrator's organization; an operator ends all.
    Reply<PasswordResetStarted> resetPassword(const Caller& caller, const Request& request, const Path<UserId>& userId,
                                              const Body<PasswordResetInput>& input);

private:
    std::vector<std::string> endSessions(Transaction& transaction, const Actor& actor, const UserId& userId, const AuditLog& log) const;

    Core& _core;
    SecondFactors& _secondFactors;
    LoginThrottle _throttle;
    AccountMails _mails;
};

} // namespace portico::identity
