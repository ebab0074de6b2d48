#include "users/Reactivation.h"

#include "audit/Audit.h"

namespace portico::identity::users
{

bool reactivate(Transaction& transaction, const User& user, const Client& client, Instant now)
{
    if (user.status != UserStatus::Deactivated) return user.status == UserStatus::Active;
    const auto changed =
        userTable.select()
            .where(&User::id, user.id)
            .where(&User::status, UserStatus::Deactivated)
            .set(transaction, {now}, &User::status, UserStatus::Active, &User::deletionAt, std::nullopt, &User::revision, increment);
    if (changed == 0) return false;
    AuditLog::ofUser(client, user.id, now).record(transaction, "user.deletion_cancelled", user.id);
    return true;
}

} // namespace portico::identity::users
