#pragma once

#include "Ids.h"
#include "hosts/Host.h"

#include "portico/Table.h"

#include <optional>
#include <string>
#include <vector>

namespace portico::calendar
{

enum class EmbedMode
{
    Iframe,
    Popup,
    Floating
};

constexpr auto schemaOf(const EmbedMode*)
{
    using enum EmbedMode;
    return portico::choices<EmbedMode>({{"iframe", Iframe}, {"popup", Popup}, {"floating", Floating}});
}

/// Lets pages of these origins show a host's booking pages in a frame.
struct EmbedGrant
{
    EmbedId embedId;
    HostId hostId;
    /// Empty: all of the host.
    std::optional<EventTypeId> eventTypeId;
    std::vector<std::string> origins;
    EmbedMode mode = EmbedMode::Iframe;
    std::optional<Instant> expiresAt;
    std::optional<Instant> revokedAt;
    Instant createdAt{};
};

constexpr auto schemaOf(const EmbedGrant*)
{
    return describe(field("embedId", &EmbedGrant::embedId).column("id"), field("hostId", &EmbedGrant::hostId),
                    field("eventTypeId", &EmbedGrant::eventTypeId), field("origins", &EmbedGrant::origins),
                    field("mode", &EmbedGrant::mode), field("expiresAt", &EmbedGrant::expiresAt),
                    field("revokedAt", &EmbedGrant::revokedAt), field("createdAt", &EmbedGrant::createdAt));
}

inline constexpr Table embedTable{"embed_grant", &EmbedGrant::embedId};

} // namespace portico::calendar
