#pragma once

#include "portico/Id.h"

namespace portico::identity
{

using UserId = Id<"usr">;
using OrganizationId = Id<"org">;
using MembershipId = Id<"mem">;
using SessionId = Id<"ses">;
using ApiKeyId = Id<"key">;
using OverrideId = Id<"ovr">;
using AuditEventId = Id<"aud">;

} // namespace portico::identity
