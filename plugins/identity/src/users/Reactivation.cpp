#include "users/Reactivation.h"

#include "audit/Audit.h"

namespace portico::identity::users
{

bool reactivate(Transaction& transaction, const User& user, const Client& client, Instant now)
{
    if (user.status != UserStatus::Deactivated) return user.status == UserStatus::Active;
    const auto changed =
        transaction.execute("UPDATE users SET status = 'active', deletion_at = NULL, revision = revision + 1, version = version + 1, "
                            "updated_at = $2 WHERE id = $1 AND status = 'deactivated'",
                            user.id, now);
    if (changed == 0) return false;
    AuditLog::ofUser(client, user.id, now).record(transaction, "user.deletion_cancelled", user.id);
    return true;
}

} // namespace portico::identity::users
