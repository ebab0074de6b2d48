#include "users/RecoveryEmail.h"

#include "users/OneTimeTokens.h"
#include "users/User.h"

#include "portico/Text.h"

namespace portico::identity::recovery_emails
{

RecoveryEmail find(Session& session, std::string_view userId)
{
    return session.one<RecoveryEmail>("SELECT " + columns<RecoveryEmail>() + " FROM recovery_emails WHERE user_id = $1", userId)
        .value_or(RecoveryEmail());
}

std::string masked(std::string_view email)
{
    const auto at = email.rfind('@');
    const auto domain = email.substr(at + 1);
    const auto dot = domain.rfind('.');
    auto out = std::string(firstCharacters(email.substr(0, at), 1)) + "***@" + std::string(firstCharacters(domain, 1)) + "***";
    if (dot != std::string_view::npos) out += domain.substr(dot);
    return out;
}

RecoveryEmailView view(Session& session, std::string_view userId)
{
    const auto row = find(session, userId);
    RecoveryEmailView shown;
    shown.status = row.status();
    if (row.email) shown.maskedEmail = masked(*row.email);
    shown.verifiedAt = row.verifiedAt;
    if (row.pendingEmail)
    {
        shown.pendingMaskedEmail = masked(*row.pendingEmail);
        const auto sent = one_time_tokens::lastIssued(session, token_purpose::recoveryEmail, userId);
        if (sent) shown.resendAvailableAt = *sent + resendWait;
    }
    return shown;
}

std::vector<std::string> usersOf(Session& session, std::string_view email)
{
    // More than the accounts of one person, so that other accounts with this address do not hide one. Limits the mails of one request.
    return session.values<std::string>("SELECT user_id FROM recovery_emails WHERE email_key = $1 ORDER BY user_id LIMIT 20",
                                       emailKey(email));
}

bool remove(Session& session, const UserId& user, Instant now)
{
    one_time_tokens::revoke(session, token_purpose::recoveryEmail, user.text(), now);
    return session.execute("DELETE FROM recovery_emails WHERE user_id = $1", user) > 0;
}

void removeSince(Session& session, const UserId& user, Instant since, Instant now)
{
    one_time_tokens::revoke(session, token_purpose::recoveryEmail, user.text(), now);
    session.execute("UPDATE recovery_emails SET pending_email = NULL WHERE user_id = $1 AND pending_email IS NOT NULL AND updated_at >= $2",
                    user, since);
    session.execute("DELETE FROM recovery_emails WHERE user_id = $1 AND pending_email IS NULL AND (email IS NULL OR verified_at >= $2)",
                    user, since);
}

} // namespace portico::identity::recovery_emails
