#pragma once

#include "accounts/AccountCredentials.h"
#include "accounts/AccountLimits.h"
#include "accounts/AccountMails.h"
#include "common/Requests.h"
#include "sessions/SessionEvents.h"

#include "portico/Routes.h"

namespace portico::identity
{

struct EmailChangeInput
{
    std::string newEmail;
};

constexpr auto schemaOf(const EmailChangeInput*) { return describe(field<&EmailChangeInput::newEmail>().required().trimmed().email()); }

struct EmailChangeAccepted
{
    std::string status = "verification_sent";
};

constexpr auto schemaOf(const EmailChangeAccepted*) { return describe(field<&EmailChangeAccepted::status>()); }

/// An address that waits to be confirmed.
struct PendingEmail
{
    std::string newEmail;
    Instant requestedAt{};
    /// Until when the mail to it is good.
    Instant expiresAt{};
};

constexpr auto schemaOf(const PendingEmail*)
{
    return describe(members<&PendingEmail::newEmail, &PendingEmail::requestedAt, &PendingEmail::expiresAt>());
}

struct EmailView
{
    std::string email;
    std::optional<PendingEmail> pending;
};

constexpr auto schemaOf(const EmailView*) { return describe(members<&EmailView::email, &EmailView::pending>()); }

/// An address in place of another: what the mail's token is kept with.
struct EmailChange
{
    UserId userId;
    std::string from;
    std::string to;
    /// Of a link that puts the old address back: when the change was asked for. Empty in links of earlier versions.
    std::optional<Instant> requestedAt = {};
};

constexpr auto schemaOf(const EmailChange*)
{
    return describe(members<&EmailChange::userId, &EmailChange::from, &EmailChange::to, &EmailChange::requestedAt>());
}

/// What somebody shows of a mail: the token of its link, or its address and the code.
struct EmailEvidence
{
    std::string_view token;
    std::string_view email;
    std::string_view code;
};

/// Another address for an account: good when the mail to it is opened. The old one is told when it is asked
/// for and when it happens, and can put itself back for seven days. That ends all sign-ins, asks for another password, and removes every
/// credential that is younger than the request for the change. Thread-safe.
class EmailChangeRoutes
{
public:
    EmailChangeRoutes(Core& core, const AccountLimits& limits, const AccountMails& mails)
        : _core(core), _limits(limits), _mails(mails), _events(core.context.channels())
    {
    }
    void declare(Routes& routes);

    /// The account's address, and what was asked for in its place. Tells as little as `change` whether the other belongs to somebody.
    EmailView show(const Caller& caller) const;
    /// The answer is the same for an address that belongs to somebody else, who is told by mail.
    Reply<EmailChangeAccepted> change(const Caller& caller, const Request& request, const Body<EmailChangeInput>& input);
    /// Takes back what waits to be confirmed.
    NoContent cancel(const Caller& caller, const Request& request);
    /// Changes the address, or puts the old one back. False for evidence of anything else, or of nothing.
    bool confirm(const EmailEvidence& evidence, const Client& client);

private:
    std::optional<OneTimeToken> look(std::string_view purpose, const EmailEvidence& evidence);
    bool run(std::string_view purpose, const EmailEvidence& evidence, const Client& client);
    // Each gives up when the account or the address is not what it was.
    void put(Transaction& transaction, const EmailChange& change, Instant requestedAt, Instant now);
    /// Replaces whatever address the account has by now. The person who changed it against the owner's will is signed in, knows the
    /// password, and may have added credentials since the request for the change.
    RemovedCredentials putBack(Transaction& transaction, const EmailChange& change, const OneTimeToken& used, Instant now);
    /// Ids for `Changes::run` of what the link changes.
    std::vector<std::string> concernedBy(const EmailChange& change, bool reverts);
    static void write(Transaction& transaction, const User& user, const std::string& email, Instant now);
    void tellOld(Transaction& transaction, const EmailChange& change, Instant requestedAt, Instant now);

    Core& _core;
    const AccountLimits& _limits;
    const AccountMails& _mails;
    SessionEvents _events;
};

} // namespace portico::identity
