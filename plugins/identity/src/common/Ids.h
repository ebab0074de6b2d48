#pragma once

#include "portico/Tenant.h"

#include <algorithm>
#include <string_view>

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

/// Beginning of the ids of registered clients; the pages of a service are its client `<service_id>-web`, its native app is
/// `<service_id>-mobile`.
inline constexpr std::string_view clientIdPrefix = "cli_";

/// `^[a-z][a-z0-9-]{1,39}$`: how services are named, those that are only planned, too.
constexpr bool isServiceId(std::string_view text) noexcept
{
    const auto isLower = [](char c) { return c >= 'a' && c <= 'z'; };
    const auto fits = [&](char c) { return isLower(c) || (c >= '0' && c <= '9') || c == '-'; };
    return text.size() >= 2 && text.size() <= 40 && isLower(text.front()) && std::ranges::all_of(text, fits);
}

} // namespace portico::identity
