#pragma once

#include "accounts/AccountJobs.h"
#include "accounts/AccountLimits.h"
#include "accounts/EmailChangeRoutes.h"
#include "accounts/EmailProofs.h"
#include "common/Names.h"
#include "human/HumanVerification.h"
#include "signin/SignInFlow.h"

#include "portico/Routes.h"

namespace portico::identity
{

struct RegistrationInput
{
    std::string email;
    std::string password;
    std::string displayName;
    /// Empty: the browser's preference.
    std::string locale;
    std::string serviceId;
    /// Target after the address was verified, with the parameters of `GET /login`. Invalid values are dropped.
    std::string returnTo;
    std::string invitationToken;
    bool createOrganization = false;
    std::string organizationName;
    bool developerWorkspace = false;
    bool acceptTerms = false;
    std::optional<HumanProof> humanVerification;
};

constexpr auto schemaOf(const RegistrationInput*)
{
    return describe(field<&RegistrationInput::email>().required().trimmed().email(), field<&RegistrationInput::password>().required(),
                    named(field<&RegistrationInput::displayName>().required().trimmed().maxLength(120)),
                    field<&RegistrationInput::locale>().maxLength(35), field<&RegistrationInput::serviceId>("service_id").maxLength(40),
                    field<&RegistrationInput::returnTo>("return_to").maxLength(2000),
                    field<&RegistrationInput::invitationToken>().maxLength(100), field<&RegistrationInput::createOrganization>(),
                    named(field<&RegistrationInput::organizationName>().trimmed().maxLength(120)),
                    field<&RegistrationInput::developerWorkspace>(), field<&RegistrationInput::acceptTerms>().required(),
                    field<&RegistrationInput::humanVerification>());
}

/// The same for addresses with and without an account. `sign_in_required`: an invited person has an account, but the policy rejected the
/// first sign-in.
struct RegistrationAccepted
{
    std::string status = "verification_sent";
};

constexpr auto schemaOf(const RegistrationAccepted*) { return describe(field<&RegistrationAccepted::status>()); }

/// 202 with a RegistrationAccepted, or 201 with a TokenResponse for who came by an invitation.
struct RegistrationAnswer
{
    Json answer;
    /// True if the account is open and the person has to sign in. Not part of the answer.
    bool needsSignIn = false;
};

constexpr auto schemaOf(const RegistrationAnswer*)
{
    return describe(field<&RegistrationAnswer::answer>().flattened()).documentedAs<RegistrationAccepted>();
}

struct VerifyInput
{
    std::string token;
    std::string email;
    std::string code;
};

constexpr auto schemaOf(const VerifyInput*)
{
    return describe(field<&VerifyInput::token>().maxLength(100), field<&VerifyInput::email>().trimmed().maxLength(254),
                    field<&VerifyInput::code>().trimmed().maxLength(20));
}

struct VerifiedEmail
{
    bool verified = true;
    /// Address at which the page continues.
    std::string next = "/login";
};

constexpr auto schemaOf(const VerifiedEmail*) { return describe(members<&VerifiedEmail::verified, &VerifiedEmail::next>()); }

struct ResendInput
{
    std::string email;
    std::optional<HumanProof> humanVerification;
};

constexpr auto schemaOf(const ResendInput*)
{
    return describe(field<&ResendInput::email>().required().trimmed().email(), field<&ResendInput::humanVerification>());
}

/// Registers accounts. The request stores the data, and verifying the address activates the account. Requests do not reveal whether an
/// account existed before: status, body, headers and work are the same. Thread-safe.
class RegistrationRoutes
{
public:
    RegistrationRoutes(Core& core, SignInFlow& flow, const AccountLimits& limits, const AccountMails& mails, AccountJobs& jobs,
                       EmailChangeRoutes& changes)
        : _core(core), _flow(flow), _limits(limits), _mails(mails), _jobs(jobs), _changes(changes)
    {
    }
    void declare(Routes& routes);

    Reply<RegistrationAnswer> registerUser(const Request& request, const Body<RegistrationInput>& input);
    Reply<VerifiedEmail> verify(const Request& request, const Body<VerifyInput>& input);
    Reply<RegistrationAccepted> resend(const Request& request, const Body<ResendInput>& input);

private:
    /// Registration request with the hashed password. Can be used for several attempts of the transaction.
    struct Wish
    {
        const RegistrationInput& input;
        std::string locale;
        std::string passwordHash;
        std::string serviceId;
        std::string returnTo;
        std::string browserMark;
        Client client;
        /// True above the rate limit of this address: nothing is written, and the answer does not reveal it.
        bool tooOften = false;
    };
    /// @throws Problem 400, 403 `registration_closed`
    void check(const Request& request, const RegistrationInput& input, std::string_view serviceId) const;

    /// Stores account, organization and mail. If the account exists, only sends a mail that says so.
    void store(Transaction& transaction, const Wish& wanted);
    /// @param known An account that waits for its verification. @param key Under which the address is found.
    PendingRegistration write(Transaction& transaction, const Wish& wanted, const std::optional<User>& known, const std::string& key);
    std::optional<OrganizationId> foundOrganization(Transaction& transaction, const Wish& wanted, const UserId& owner);

    /// Creates the account of an invited person, whose invitation has verified the address. Returns none if the account exists; its owner
    /// is notified by mail.
    /// @throws Problem like `invitations::accept`
    std::optional<User> join(const Wish& wanted);

    struct Proof
    {
        User user;
        PendingRegistration registration;
        /// Page on which the user continues.
        std::string next;
    };
    /// Returns the page after the verification: the login page, or for an account without a password the page that sets one, or
    /// mails a link to it if the address was verified by a code.
    std::string nextOf(Transaction& transaction, const User& user, const PendingRegistration& registration, bool byCode) const;
    /// @throws Problem 410 `token_expired`
    Proof prove(const MailProof& sent, const Client& client);
    /// Signs an invited person in. If a policy rejects that, the account stays, and the answer asks for a sign-in.
    Reply<RegistrationAnswer> welcome(const Request& request, const User& user, std::string_view serviceId);
    /// Signs the browser in that has registered, if it is the one that opens the mail.
    std::vector<SetCookie> signIn(const Request& request, const Proof& proof);

    Core& _core;
    SignInFlow& _flow;
    const AccountLimits& _limits;
    const AccountMails& _mails;
    AccountJobs& _jobs;
    EmailChangeRoutes& _changes;
};

} // namespace portico::identity
