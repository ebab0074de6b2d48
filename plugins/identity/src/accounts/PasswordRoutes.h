#pragma once

#include "accounts/AccountJobs.h"
#include "accounts/AccountLimits.h"
#include "accounts/AccountMails.h"
#include "audit/EventName.h"
#include "factors/SecondFactors.h"
#include "human/HumanVerification.h"
#include "passkeys/Passkeys.h"
#include "sessions/LoginThrottle.h"
#include "users/Passwords.h"

#include "portico/Routes.h"

namespace portico::identity
{

struct ForgotInput
{
    std::string email;
    /// Target of the sign-in after the reset, with the parameters of `GET /login`. Invalid values are dropped.
    std::string serviceId;
    std::string returnTo;
    std::optional<HumanProof> humanVerification;
};

constexpr auto schemaOf(const ForgotInput*)
{
    return describe(field<&ForgotInput::email>().required().trimmed().email(), field<&ForgotInput::serviceId>("service_id").maxLength(40),
                    field<&ForgotInput::returnTo>("return_to").maxLength(2000), field<&ForgotInput::humanVerification>());
}

/// Answer to every request for a mail, whether or not one is sent.
struct MailRequested
{
    std::string status;
};

constexpr auto schemaOf(const MailRequested*) { return describe(field<&MailRequested::status>()); }

struct ResetInput
{
    std::string token;
    std::string newPassword;
    std::optional<FactorKind> factor;
    std::string code;
    /// Answer of a passkey to options of `/api/auth/passkeys/authenticate/options`, with factor `passkey`.
    Json credential;
};

constexpr auto schemaOf(const ResetInput*)
{
    return describe(field<&ResetInput::token>().required().maxLength(100), field<&ResetInput::newPassword>().required(),
                    field<&ResetInput::factor>(), field<&ResetInput::code>().maxLength(40), field<&ResetInput::credential>());
}

/// `details` of 403 `mfa_required` at a reset: the kinds of proof that the account can give.
struct ResetDemand
{
    std::vector<FactorKind> factors;
};

constexpr auto schemaOf(const ResetDemand*) { return describe(field<&ResetDemand::factors>()); }

struct PasswordInput
{
    std::string currentPassword;
    std::string newPassword;
    bool revokeOtherSessions = true;
};

constexpr auto schemaOf(const PasswordInput*)
{
    return describe(field<&PasswordInput::currentPassword>().required().maxLength(1024), field<&PasswordInput::newPassword>().required(),
                    field<&PasswordInput::revokeOtherSessions>());
}

/// Resets and changes passwords. Requests for a reset mail do not reveal whether an account exists: they do the same work, and a job does
/// the rest. Thread-safe.
class PasswordRoutes
{
public:
    PasswordRoutes(Core& core, SecondFactors& secondFactors, Passkeys& passkeys, const AccountLimits& limits, const AccountMails& mails,
                   AccountJobs& jobs);
    void declare(Routes& routes);

    Reply<MailRequested> forgot(const Request& request, const Body<ForgotInput>& input);
    NoContent resetBy(const Request& request, const Body<ResetInput>& input);
    /// Does the same for a page. @return the data of the link
    ResetLink reset(const Request& request, const ResetInput& input);
    /// The proofs that a reset by this link asks for one of; none where it needs no second factor, or the link opens nothing.
    std::vector<FactorKind> factorsFor(std::string_view token);
    NoContent change(const Caller& caller, const Request& request, const Body<PasswordInput>& input);

private:
    /// Returns the user of a link. @throws Problem 410 `token_expired`
    std::pair<User, ResetLink> requireUser(std::string_view token);
    /// Removes the credentials of an account whose address was never verified, when the mail has reached the owner of the address. Another
    /// person may have created the account and must lose access.
    RemovedCredentials takeBack(Transaction& transaction, const UserId& user) const;
    static bool takesBack(const User& user, const ResetLink& link) noexcept { return !user.emailVerified && !link.toRecovery; }
    /// Returns the kinds of second factor that the account has.
    std::vector<FactorKind> choicesOf(const User& user) const;
    /// Requires the second factor if there is one. @throws Problem 403 `mfa_required`, 401 `invalid_code`
    void requireFactor(const Request& request, const User& user, const std::vector<FactorKind>& choices, const ResetInput& input);
    /// Returns the ids for `Changes::run` of a reset.
    std::vector<std::string> concernedBy(const User& user, bool takesBack) const;
    /// Stores the new password, revokes pending mails, and notifies the owner. @param recoveryRemoved shown in the mail, like `removed`
    void store(Transaction& transaction, const User& user, const std::string& hash, const Client& client, EventName event,
               bool recoveryRemoved, const RemovedCredentials& removed) const;

    Core& _core;
    SecondFactors& _secondFactors;
    Passkeys& _passkeys;
    const AccountLimits& _limits;
    const AccountMails& _mails;
    AccountJobs& _jobs;
    LoginThrottle _throttle;
};

} // namespace portico::identity
