#pragma once

#include "accounts/AccountLimits.h"
#include "accounts/AccountMails.h"
#include "users/RecoveryEmail.h"

#include "portico/Routes.h"

namespace portico::identity
{

struct RecoveryEmailInput
{
    std::string email;
};

constexpr auto schemaOf(const RecoveryEmailInput*) { return describe(field<&RecoveryEmailInput::email>().required().trimmed().email()); }

struct RecoveryCodeInput
{
    std::string code;
};

constexpr auto schemaOf(const RecoveryCodeInput*) { return describe(field<&RecoveryCodeInput::code>().required().trimmed().maxLength(20)); }

struct ResendCodeInput
{
};

constexpr auto schemaOf(const ResendCodeInput*) { return portico::describe(); }

/// The caller's own recovery address. Thread-safe.
class RecoveryEmailRoutes
{
public:
    RecoveryEmailRoutes(Core& core, const AccountLimits& limits, const AccountMails& mails) : _core(core), _limits(limits), _mails(mails) {}
    void declare(Routes& routes);

    RecoveryEmailView show(const Caller& caller) const;
    Reply<RecoveryEmailView> set(const Caller& caller, const Request& request, const Body<RecoveryEmailInput>& input);
    RecoveryEmailView verify(const Caller& caller, const Request& request, const Body<RecoveryCodeInput>& input);
    Reply<RecoveryEmailView> resend(const Caller& caller, const Request& request, const Body<ResendCodeInput>& input);
    NoContent remove(const Caller& caller, const Request& request);

private:
    void sendCode(Transaction& transaction, const User& user, const std::string& address);

    Core& _core;
    const AccountLimits& _limits;
    const AccountMails& _mails;
};

} // namespace portico::identity
