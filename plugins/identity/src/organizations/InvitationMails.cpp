#include "organizations/InvitationMails.h"

namespace portico::identity
{

namespace
{
constexpr std::int64_t mailsPerHour = 200;
/// Also limits mails by inviter, because users can create organizations freely.
constexpr std::int64_t mailsOfOnePersonPerHour = 50;
} // namespace

InvitationMails::InvitationMails(Core& core)
    : _core(core),
      _mail(core.mails.bind<InvitationMail>("invitation")),
      _perOrganization(core.state, core.clock, {.use = "invitations", .limit = mailsPerHour, .window = std::chrono::hours(1)}),
      _perInviter(core.state, core.clock, {.use = "invitations-of", .limit = mailsOfOnePersonPerHour, .window = std::chrono::hours(1)})
{
}

void InvitationMails::send(Session& session, const User& inviter, const Organization& organization, Invitation& invitation) const
{
    _perInviter.require(inviter.id.text());
    _perOrganization.require(organization.id.text());
    const auto token = invitationSecrets.issue(invitation.tokenHash);
    const auto known = users::findByEmail(session, invitation.email);
    // In the language of the account that there may be, else in that of who writes.
    const MailRecipient to{invitation.email, known ? known->displayName : std::string(), known ? known->locale : inviter.locale};
    _mail.send(session, to,
               {organization.name, inviter.displayName, invitation.message, _core.origin + "/invitation?token=" + token,
                toString(invitation.expiresAt).substr(0, 10)});
}

} // namespace portico::identity
