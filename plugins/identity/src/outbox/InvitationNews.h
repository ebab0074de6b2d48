#pragma once

#include "portico/Database.h"
#include "portico/Events.h"

#include <string_view>

namespace portico::identity::webhooks
{

/// Publishes the pending invitations to the verified address of a person to other services, in the transaction that changed one of them:
/// `user.invitations_changed` with the list in `details`. An empty ID publishes nothing.
void announceInvitations(Transaction& transaction, Events& events, std::string_view userId, Instant now);

} // namespace portico::identity::webhooks
