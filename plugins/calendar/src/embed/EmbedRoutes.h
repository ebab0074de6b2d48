#pragma once

#include "embed/EmbedOrigins.h"
#include "hosts/ActingHost.h"

#include "portico/Routes.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace portico::calendar
{

struct EmbedRequest
{
    std::optional<EventTypeId> eventTypeId;
    std::vector<std::string> origins;
    EmbedMode mode = EmbedMode::Iframe;
    std::optional<Instant> expiresAt;
};

constexpr auto schemaOf(const EmbedRequest*)
{
    return describe(field<&EmbedRequest::eventTypeId>().description("Default: all event types of the host"),
                    field<&EmbedRequest::origins>().required().maxItems(20).description("Origins of the pages that embed the booking page"),
                    members<&EmbedRequest::mode, &EmbedRequest::expiresAt>());
}

/// Manages the embed grants of other sites' pages: /api/admin/embed. Thread-safe.
class EmbedRoutes
{
public:
    EmbedRoutes(const BookingTools& tools, const EmbedOrigins& origins) : _tools(tools), _origins(origins) {}
    void declare(Routes& routes);

    Created<EmbedGrant> issue(const Caller& caller, const Query<HostChoice>& choice, const Body<EmbedRequest>& body) const;
    /// Lists the newest first, including expired and revoked ones.
    Page<EmbedGrant> list(const Caller& caller, const Query<HostChoice>& choice, const Paging& paging) const;
    /// Blocks frames from now on. The grant stays in the list, and a second call changes nothing. @throws Problem 404, 412
    EmbedGrant revoke(const Caller& caller, const Path<EmbedId>& id, const Query<HostChoice>& choice, const IfMatch& ifMatch) const;

private:
    /// Fills the computed members of each grant.
    void complete(Session& session, const Host& host, std::span<EmbedGrant> grants) const;

    const BookingTools& _tools;
    const EmbedOrigins& _origins;
};

} // namespace portico::calendar
