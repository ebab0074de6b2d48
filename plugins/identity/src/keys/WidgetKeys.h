#pragma once

#include "records/ApiKey.h"
#include "tokens/TokenCodec.h"

#include <optional>

namespace portico::identity::widget_keys
{

/// The key behind a fan-out token, if it can still be used.
std::optional<ApiKey> find(Session& session, const AccessClaims& claims, Instant now);
/// The same for a caller that needs no more than that.
bool isLive(Session& session, const AccessClaims& claims, Instant now);

} // namespace portico::identity::widget_keys
