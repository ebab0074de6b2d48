#pragma once

#include "portico/Tenant.h"

namespace portico::identity
{

using MembershipId = Id<"mem">;
using SessionId = Id<"ses">;
using ApiKeyId = Id<"key">;
using AuditEventId = Id<"aud">;
using OverrideId = Id<"ovr">;

} // namespace portico::identity
