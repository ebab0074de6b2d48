#pragma once

#include "common/BrandChoice.h"
#include "content/ItemView.h"
#include "content/KeptRollups.h"
#include "content/PostService.h"
#include "content/Rollups.h"

#include "portico/Routes.h"

namespace portico::social
{

enum class QueueSort : std::uint8_t
{
    ScheduledFor,
    ScheduledForDescending,
    CreatedAt,
    CreatedAtDescending
};
constexpr auto schemaOf(const QueueSort*)
{
    using enum QueueSort;
    return portico::choices<QueueSort>({{"scheduledFor", ScheduledFor},
                                        {"-scheduledFor", ScheduledForDescending},
                                        {"createdAt", CreatedAt},
                                        {"-createdAt", CreatedAtDescending}});
}

struct QueueFilter : BrandChoice
{
    std::vector<ContentKind> kind;
    std::vector<ApprovalState> approvalState;
    std::vector<PublishStatus> publishStatus;
    std::vector<Platform> platform;
    std::optional<Instant> dueFrom, dueTo;
    QueueSort sort = QueueSort::ScheduledFor;
};
constexpr auto schemaOf(const QueueFilter*)
{
    using F = QueueFilter;
    return describe(inherited<BrandChoice>(), members<&F::kind, &F::approvalState, &F::publishStatus, &F::platform>(),
                    field<&F::dueFrom>().description("Scheduled from this instant on"),
                    field<&F::dueTo>().description("Scheduled before this instant"), field<&F::sort>());
}

/// How many items of the brand wait for what.
struct QueueCounts
{
    std::int64_t pending = 0, queued = 0, retrying = 0, verifying = 0, failed = 0;
};
constexpr auto schemaOf(const QueueCounts*)
{
    using C = QueueCounts;
    return describe(members<&C::pending, &C::queued, &C::retrying, &C::verifying, &C::failed>());
}
struct QueueExtra
{
    QueueCounts counts;
};
constexpr auto schemaOf(const QueueExtra*)
{
    return describe(field<&QueueExtra::counts>().description("All items of the brand, regardless of the filters"));
}

struct DeckFilter : BrandChoice
{
    std::vector<Platform> platform;
    std::vector<ContentKind> kind;
    std::optional<Instant> asOf;
};
constexpr auto schemaOf(const DeckFilter*)
{
    return describe(inherited<BrandChoice>(), members<&DeckFilter::platform, &DeckFilter::kind>(),
                    field<&DeckFilter::asOf>().description("Time for the ranks, truncated to the minute; default: now"));
}

/// An item of the approval deck.
struct DeckCard
{
    std::int64_t rank = 0;
    double freshness = 0;
    double urgency = 0;
    ItemView item;
};
constexpr auto schemaOf(const DeckCard*)
{
    return describe(members<&DeckCard::rank, &DeckCard::freshness, &DeckCard::urgency, &DeckCard::item>());
}
struct DeckExtra
{
    Instant asOf{};
};
constexpr auto schemaOf(const DeckExtra*) { return describe(field<&DeckExtra::asOf>()); }

struct DailyQuery : BrandChoice
{
    std::optional<std::string> from, to, timeZone;
    std::optional<Platform> platform;
    std::optional<std::string> verify;
};
bool isVerifyChoice(std::string_view text);
constexpr auto schemaOf(const DailyQuery*)
{
    using Q = DailyQuery;
    return describe(inherited<BrandChoice>(), field<&Q::from>().date().description("First date; default: 29 days before `to`"),
                    field<&Q::to>().date().description("Last date, included; default: today"),
                    field<&Q::timeZone>().maxLength(64).description("Time zone of the days; default: the brand's"), field<&Q::platform>(),
                    field<&Q::verify>()
                        .matches(isVerifyChoice, "invalid_choice", "events")
                        .description("`events` recounts created, approved, rejected and published from the audit events"));
}

/// Serves the queue and approval deck of a brand, and its figures by day. Thread-safe.
class QueueRoutes
{
public:
    explicit QueueRoutes(const ContentTools& tools) : _context(tools.context), _zones(tools.zones) {}
    void declare(Routes& routes);

    Page<ItemView, QueueExtra> queue(const Caller& caller, const BrandHeader& brand, const Query<QueueFilter>& filter,
                                     const Paging& paging) const;
    Page<DeckCard, DeckExtra> deck(const Request& request, const BrandHeader& brand, const Query<DeckFilter>& filter,
                                   const Paging& paging) const;
    Reply<Rollups> daily(const Caller& caller, const BrandHeader& brand, const Query<DailyQuery>& query) const;

private:
    PluginContext& _context;
    const TimeZones& _zones;
    mutable KeptRollups _kept;
};

} // namespace portico::social
