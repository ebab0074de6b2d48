#pragma once

#include "embed/EmbedOrigins.h"
#include "hosts/ActingHost.h"

#include "portico/Routes.h"

#include <optional>
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
    return describe(field("eventTypeId", &EmbedRequest::eventTypeId).description("Default: all of the host"),
                    field("origins", &EmbedRequest::origins).required().maxItems(20).description("Of the pages that show it"),
                    field("mode", &EmbedRequest::mode), field("expiresAt", &EmbedRequest::expiresAt));
}

/// What is pasted into a page.
struct EmbedSnippets
{
    std::string iframe;
    std::string popup;
    std::string floating;
    std::string react;
};

constexpr auto schemaOf(const EmbedSnippets*)
{
    return describe(field("iframe", &EmbedSnippets::iframe), field("popup", &EmbedSnippets::popup),
                    field("floating", &EmbedSnippets::floating), field("react", &EmbedSnippets::react));
}

struct EmbedAnswer
{
    EmbedId embedId;
    EmbedSnippets snippet;
    std::vector<std::string> origins;
};

constexpr auto schemaOf(const EmbedAnswer*)
{
    return describe(field("embedId", &EmbedAnswer::embedId), field("snippet", &EmbedAnswer::snippet),
                    field("origins", &EmbedAnswer::origins));
}

/// Grants of pages elsewhere: /api/admin/embed. Thread-safe.
class EmbedRoutes
{
public:
    EmbedRoutes(const BookingTools& tools, const EmbedOrigins& origins) : _tools(tools), _origins(origins) {}
    void declare(Routes& routes);

    Created<EmbedAnswer> issue(const Caller& caller, const Query<HostChoice>& choice, const Body<EmbedRequest>& body) const;

private:
    const BookingTools& _tools;
    const EmbedOrigins& _origins;
};

} // namespace portico::calendar
