#pragma once

#include "audit/AuditTrail.h"
#include "common/BrandChoice.h"

#include "portico/Plugin.h"
#include "portico/Routes.h"

namespace portico::social
{

enum class EventSort : std::uint8_t
{
    OccurredAtDescending,
    OccurredAt
};

constexpr auto schemaOf(const EventSort*)
{
    using enum EventSort;
    return portico::choices<EventSort>({{"-occurredAt", OccurredAtDescending}, {"occurredAt", OccurredAt}});
}

struct EventFilter : BrandChoice
{
    std::optional<ContentId> contentId;
    std::optional<PostId> postId;
    std::vector<AuditKind> kind;
    std::optional<std::string> actorId;
    std::optional<Instant> occurredFrom;
    std::optional<Instant> occurredTo;
    EventSort sort = EventSort::OccurredAtDescending;
};

constexpr auto schemaOf(const EventFilter*)
{
    return describe(inherited<BrandChoice>(), members<&EventFilter::contentId, &EventFilter::postId, &EventFilter::kind>(),
                    field<&EventFilter::actorId>().maxLength(64), field<&EventFilter::occurredFrom>().description("Earliest time"),
                    field<&EventFilter::occurredTo>().description("Latest time, exclusive"), field<&EventFilter::sort>());
}

/// /api/content-ops/events and its check. Thread-safe.
class AuditRoutes
{
public:
    explicit AuditRoutes(PluginContext& context) : _context(context) {}
    void declare(Routes& routes);

    Page<AuditEvent> list(const Caller& caller, const BrandHeader& brand, const Query<EventFilter>& filter, const Paging& paging) const;
    ChainCheck verify(const Caller& caller, const BrandHeader& brand, const Query<BrandChoice>& choice) const;

private:
    PluginContext& _context;
};

} // namespace portico::social
