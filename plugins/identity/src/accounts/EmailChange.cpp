#include "accounts/EmailChange.h"

#include "portico/Json.h"

#include <chrono>

namespace portico::identity::email_changes
{

namespace
{
/// In which an old address can be put back.
constexpr std::chrono::hours revertLife{7 * 24};
} // namespace

void tellOld(Transaction& transaction, const AccountMails& mails, const EmailChange& change, Instant requestedAt, Instant now)
{
    const auto user = users::find(transaction, change.userId.text());
    const auto token = one_time_tokens::issue(transaction,
                                              {.purpose = token_purpose::emailRevert,
                                               .subject = change.userId.text(),
                                               .linkLife = revertLife,
                                               .data = toJson(EmailChange{change.userId, change.to, change.from, requestedAt})},
                                              now);
    mails.sendEmailChanged(transaction, {change.from, user->displayName, user->locale}, token);
}

} // namespace portico::identity::email_changes
