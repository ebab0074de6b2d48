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

constexpr auto schemaOf(const SignIn*)
{
    return describe(field("id", &SignIn::id), field("current", &SignIn::current).transient(), field("createdAt", &SignIn::createdAt),
                    field("lastSeenAt", &SignIn::lastSeenAt), field("expiresAt", &SignIn::expiresAt), field("ipPrefix", &SignIn::ipPrefix),
                    field("userAgent", &SignIn::userAgent), field("client_id", &SignIn::clientId), field("service_id", &SignIn::serviceId),
                    field("amr", &SignIn::amr), field("acr", &SignIn::acr), field("dpopBound", &SignIn::dpopBound),
                    field("updatedAt", &SignIn::updatedAt), field("version", &SignIn::version),
                    field("userId", &SignIn::userId).columnOnly(), field("browserSessionId", &SignIn::browserSessionId).columnOnly(),
                    field("organizationId", &SignIn::organizationId).columnOnly(), field("authTime", &SignIn::authTime).columnOnly(),
                    field("elevatedUntil", &SignIn::elevatedUntil).columnOnly(), field("endedAt", &SignIn::endedAt).columnOnly(),
                    field("endReason", &SignIn::endReason).columnOnly())
        .named("Session");
}

} // namespace portico::identity
