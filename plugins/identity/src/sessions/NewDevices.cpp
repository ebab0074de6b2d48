#include "sessions/NewDevices.h"

#include "portico/Crypto.h"

namespace portico::identity
{

namespace
{
constexpr auto memory = std::chrono::hours(24 * 365);
}

void NewDevices::note(Transaction& transaction, const User& user, const SignIn& signIn) const
{
    const auto now = signIn.createdAt;
    const auto mark = sha256({signIn.userAgent, "\n", signIn.ipPrefix}).hex();
    if (transaction.execute("UPDATE known_devices SET seen_at = $3 WHERE user_id = $1 AND mark = $2", user.id, mark, now) > 0) return;
    transaction.execute("DELETE FROM known_devices WHERE user_id = $1 AND seen_at < $2", user.id, now - memory);
    const auto others = transaction.value<std::int64_t>("SELECT COUNT(*) FROM known_devices WHERE user_id = $1", user.id).value_or(0);
    // Only one of two concurrent sign-ins inserts and sends the mail.
    const auto added = transaction.execute("INSERT INTO known_devices (user_id, mark, seen_at) VALUES ($1, $2, $3) "
                                           "ON CONFLICT (user_id, mark) DO NOTHING",
                                           user.id, mark, now);
    if (others > 0 && added > 0) _mail.send(transaction, mailRecipient(user), {signIn.userAgent, signIn.ipPrefix, toString(now)});
}

} // namespace portico::identity
