#pragma once

#include "accounts/PasswordRoutes.h"
#include "accounts/RegistrationRoutes.h"

namespace portico::identity
{

/// How people get accounts and keep them.
class AccountsPart
{
public:
    AccountsPart(Core& core, SignInDesk& desk, SecondFactors& secondFactors)
        : _limits(core.state, core.clock, core.settings.accounts),
          _mails(core),
          _jobs(core, _mails),
          _registration(core, desk, _limits, _mails, _jobs),
          _passwords(core, secondFactors, _limits, _mails, _jobs)
    {
    }

    void start() { _jobs.start(); }
    void declare(Routes& routes)
    {
        _registration.declare(routes);
        _passwords.declare(routes);
    }

private:
    AccountLimits _limits;
    AccountMails _mails;
    AccountJobs _jobs;
    RegistrationRoutes _registration;
    PasswordRoutes _passwords;
};

} // namespace portico::identity
