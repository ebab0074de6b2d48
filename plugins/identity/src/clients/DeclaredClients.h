#pragma once

#include "clients/OAuthClient.h"

#include <optional>
#include <string_view>

namespace portico::identity::declared_clients
{

/// Returns the client of a service's native app, which the manifest declares (`nativeClient`). It is first-party, has no secret and no row
/// in `oauth_clients`, requires PKCE and binds its tokens to a key. Services of developers have none.
std::optional<OAuthClient> nativeOf(Session& session, std::string_view serviceId);

/// Returns the client that a client ID `<service_id>-mobile` names.
std::optional<OAuthClient> find(Session& session, std::string_view clientId);

} // namespace portico::identity::declared_clients
