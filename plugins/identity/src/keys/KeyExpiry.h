#pragma once

#include "portico/Database.h"
#include "portico/Events.h"

namespace portico::identity::key_expiry
{

/// Publishes `identity.api_key.expiring` for active keys that expire within 14 days, once for each key. @return whether there may be more
bool announce(Transaction& transaction, Events& events, Instant now);

} // namespace portico::identity::key_expiry
