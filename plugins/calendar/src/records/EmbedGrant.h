#pragma once

#include "Ids.h"
#include "records/Host.h"

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

enum class EmbedStatus
{
    Active,
    Expired,
    Revoked
};

constexpr auto schemaOf(const EmbedStatus*)
{
    using enum EmbedStatus;
    return portico::choices<EmbedStatus>({{"active", Active}, {"expired", Expired}, {"revoked", Revoked}});
}

/// HTML snippets for the embedding page.
struct EmbedSnippets
{
    std::string iframe;
    std::string popup;
    std::string floating;
    std::string react;
};

constexpr auto schemaOf(const EmbedSnippets*)
{
    return describe(members<&EmbedSnippets::iframe, &EmbedSnippets::popup, &EmbedSnippets::floating, &EmbedSnippets::react>());
}

/// Lets pages of these origins show a host's booking pages in a frame.
struct EmbedGrant : Versioned
{
    EmbedId embedId;
    HostId hostId;
    /// Empty: all of the host.
    std::optional<EventTypeId> eventTypeId;
    std::vector<std::string> origins;
    EmbedMode mode = EmbedMode::Iframe;
    std::optional<Instant> expiresAt;
    std::optional<Instant> revokedAt;
    /// Computed: rows do not change when time passes.
    EmbedStatus status = EmbedStatus::Active;
    /// Computed; empty if its event type was deleted.
    std::optional<EmbedSnippets> snippet;

    EmbedStatus statusAt(Instant now) const
    {
        if (revokedAt) return EmbedStatus::Revoked;
        return expiresAt && *expiresAt <= now ? EmbedStatus::Expired : EmbedStatus::Active;
    }
};

constexpr auto schemaOf(const EmbedGrant*)
{
    return describe(field<&EmbedGrant::embedId>().column("id"),
                    members<&EmbedGrant::hostId, &EmbedGrant::eventTypeId, &EmbedGrant::origins, &EmbedGrant::mode, &EmbedGrant::expiresAt,
                            &EmbedGrant::revokedAt>(),
                    field<&EmbedGrant::status>().transient(),
                    field<&EmbedGrant::snippet>().transient().description("null if the event type was deleted"), versioned<EmbedGrant>());
}

inline constexpr Table embedTable{"embed_grant", &EmbedGrant::hostId, &EmbedGrant::embedId};

} // namespace portico::calendar
