#include "accounts/EmailChange.h"

#include "records/Application.h"

#include "portico/Json.h"

#include <chrono>

namespace portico::identity::email_changes
{

namespace
{
/// Time in which the old address can be restored.
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

void moveRecords(Transaction& transaction, const User& before, const std::string& email, Instant now)
{
    const auto key = emailKey(email);
    if (!before.emailVerified || key == before.emailKey) return;
    // A violation of the unique key would abort the transaction.
    developerTable.select()
        .where(&Developer::emailKey, before.emailKey)
        .where("NOT EXISTS (SELECT 1 FROM developers other WHERE other.email_key = ?)", key)
        .set(transaction, {now}, &Developer::email, email, &Developer::emailKey, key);
    appSubmissionTable.select()
        .where(&AppSubmission::emailKey, before.emailKey)
        .set(transaction, {now}, &AppSubmission::developerEmail, email, &AppSubmission::emailKey, key);
}

} // namespace portico::identity::email_changes
