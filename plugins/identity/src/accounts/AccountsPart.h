#pragma once

#include "accounts/EmailChangeRoutes.h"
#include "accounts/PasswordRoutes.h"
#include "accounts/PreferenceRoutes.h"
#include "accounts/RecoveryEmailRoutes.h"
#include "accounts/RegistrationRoutes.h"

namespace portico::identity
{

/// How people get accounts and keep them.
class AccountsPart
{
public:
    AccountsPart(Core& core, SignInDesk& desk, SecondFactors& secondFactors, Passkeys& passkeys)
        : _limits(core.state, core.clock, core.settings.accounts),
          _mails(core),
          _jobs(core, _mails),
          _emailChanges(core, _limits, _mails),
          _registration(core, desk, _limits, _mails, _jobs, _emailChanges),
          _passwords(core, secondFactors, passkeys, _limits, _mails, _jobs),
          _recoveryEmails(core, _limits, _mails),
          _preferences(core)
    {
    }

    RegistrationRoutes& registration() noexcept { return _registration; }
    PasswordRoutes& passwords() noexcept { return _passwords; }

    void start() { _jobs.start(); }
    void sweep() { _jobs.sweep(); }
    void declare(Routes& routes)
    {
        _registration.declare(routes);
        _passwords.declare(routes);
        _emailChanges.declare(routes);
        _recoveryEmails.declare(routes);
        _preferences.declare(routes);
    }

private:
    AccountLimits _limits;
    AccountMails _mails;
    AccountJobs _jobs;
    EmailChangeRoutes _emailChanges;
    RegistrationRoutes _registration;
    PasswordRoutes _passwords;
    RecoveryEmailRoutes _recoveryEmails;
    PreferenceRoutes _preferences;
};

} // namespace portico::identity
