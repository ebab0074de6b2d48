#pragma once

#include "portico/Tenant.h"

namespace portico::identity
{

using MembershipId = Id<"mem">;
using InvitationId = Id<"inv">;
using HouseholdId = Id<"hh">;
using SessionId = Id<"ses">;
using FactorId = Id<"mfa">;
using PasskeyId = Id<"pk">;
using ApiKeyId = Id<"key">;
using DeveloperId = Id<"dev">;
using AppSubmissionId = Id<"asb">;
using AppHandoffId = Id<"hnd">;
using AuditEventId = Id<"aud">;
using OverrideId = Id<"ovr">;
using ExportId = Id<"exp">;

} // namespace portico::identity
