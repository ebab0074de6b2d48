#include "users/AccountNotices.h"

#include "users/RecoveryEmail.h"
#include "users/User.h"
#include "web/AccountPaths.h"

namespace portico::identity
{

AccountNotices::AccountNotices(const Mails& mails, std::string origin)
    : _mail(mails.bind<AccountChangeMail>("account-changed")), _link(std::move(origin) + std::string(account_pages::forgotPassword))
{
}

void AccountNotices::tell(Session& session, std::string_view userId, Change change, std::string_view email) const
{
    const auto user = users::find(session, userId);
    if (!user) return;
    AccountChangeMail mail;
    mail.*change = true;
    if (!email.empty()) mail.address = recovery_emails::masked(email);
    mail.link = _link;
    _mail.send(session, mailRecipient(*user), mail);
}

} // namespace portico::identity
