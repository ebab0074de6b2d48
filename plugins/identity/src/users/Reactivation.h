#pragma once

#include "common/Requests.h"
#include "users/User.h"

#include "portico/Database.h"

namespace portico::identity::users
{

/// Cancels the planned deletion of an account whose owner signs in before it is due. @return whether the account is active afterwards
bool reactivate(Transaction& transaction, const User& user, const Client& client, Instant now);

} // namespace portico::identity::users
