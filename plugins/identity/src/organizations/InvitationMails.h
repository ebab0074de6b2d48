#pragma once

#include "common/Core.h"
#include "mails/Mails.h"
#include "organizations/Invitations.h"
#include "users/User.h"

#include "portico/RateLimit.h"

namespace portico::identity
{

struct InvitationMail
{
    std::string organization;
    std::string inviter;
    std::string message;
    std::string link;
    /// Date of the expiry.
    std::string until;
};

constexpr auto schemaOf(const InvitationMail*)
{
    return describe(members<&InvitationMail::organization, &InvitationMail::inviter, &InvitationMail::message, &InvitationMail::link,
                            &InvitationMail::until>());
}

/// Sends invitations, with hourly limits for the organization and for the inviter. Thread-safe.
class InvitationMails
{
public:
    explicit InvitationMails(Core& core);
    /// Sends the mail with a new link, and stores its hash in the invitation. @throws Problem 429
    void send(Session& session, const User& inviter, const Organization& organization, Invitation& invitation) const;

private:
    Core& _core;
    MailTemplate<InvitationMail> _mail;
    RateLimit _perOrganization;
    RateLimit _perInviter;
};

} // namespace portico::identity
