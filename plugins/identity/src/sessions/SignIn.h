#pragma once

#include "common/Ids.h"

#include "portico/Schema.h"

#include <optional>
#include <string>
#include <vector>

namespace portico::identity
{

/// One sign-in of one app: `Session` of the interface (the SDK's Session is a database session).
struct SignIn
{
    SessionId id;
    /// Whether it is the one that the request came with.
    bool current = false;
    Instant createdAt{};
    Instant lastSeenAt{};
    /// When it ends whatever happens.
    Instant expiresAt{};
    std::string ipPrefix;
    std::string userAgent;
    std::string clientId;
    std::string serviceId;
    /// How it was proved who signs in (RFC 8176).
    std::vector<std::string> amr;
    std::string acr = "aal1";
    bool dpopBound = false;

    UserId userId;
    std::optional<std::string> browserSessionId;
    /// The active context; empty: personal.
    std::optional<OrganizationId> organizationId;
    Instant authTime{};
    std::optional<Instant> elevatedUntil;
    std::optional<Instant> endedAt;
    std::optional<std::string> endReason;
    std::int64_t version = 1;
    Instant updatedAt{};

    bool active(Instant now) const noexcept { return !endedAt && now < expiresAt; }
    /// A step-up that still counts.
    bool elevated(Instant now) const noexcept { return elevatedUntil && now < *elevatedUntil; }
    std::string effectiveAcr(Instant now) const { return elevated(now) ? "aal2" : acr; }
};

} // namespace portico::identity

template <>
struct portico::Schema<portico::identity::SignIn>
{
    using T = portico::identity::SignIn;
    static constexpr std::string_view name = "Session";
    static constexpr auto fields =
        describe(field("id", &T::id), field("current", &T::current).unstored(), field("createdAt", &T::createdAt),
                 field("lastSeenAt", &T::lastSeenAt), field("expiresAt", &T::expiresAt), field("ipPrefix", &T::ipPrefix),
                 field("userAgent", &T::userAgent), field("client_id", &T::clientId), field("service_id", &T::serviceId),
                 field("amr", &T::amr), field("acr", &T::acr), field("dpopBound", &T::dpopBound), field("updatedAt", &T::updatedAt),
                 field("version", &T::version), field("userId", &T::userId).hidden(),
                 field("browserSessionId", &T::browserSessionId).hidden(), field("organizationId", &T::organizationId).hidden(),
                 field("authTime", &T::authTime).hidden(), field("elevatedUntil", &T::elevatedUntil).hidden(),
                 field("endedAt", &T::endedAt).hidden(), field("endReason", &T::endReason).hidden());
};
