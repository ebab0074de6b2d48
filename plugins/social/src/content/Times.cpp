#include "content/Times.h"

#include "content/Slots.h"

#include "portico/Problem.h"

#include <set>

namespace portico::social
{

namespace
{
/// A time of the slot plan that an item has.
struct TakenSlot
{
    BrandId brandId;
    IntegrationId integrationId;
    Instant startsAt{};
    ContentId contentId;
};
constexpr auto schemaOf(const TakenSlot*)
{
    return describe(members<&TakenSlot::brandId, &TakenSlot::integrationId, &TakenSlot::startsAt, &TakenSlot::contentId>());
}
constexpr Table takenSlotTable{"taken_slot", &TakenSlot::brandId, &TakenSlot::integrationId, &TakenSlot::startsAt};

std::set<Instant> takenTimes(const BrandContent& content, const std::vector<IntegrationId>& accounts, Instant from, Instant until)
{
    std::set<Instant> taken;
    for (const auto& account : accounts)
    {
        for (const auto time : content.transaction().values<Instant>(
                 "SELECT scheduled_for FROM content_item WHERE organization_id = $1 AND brand_id = $2 AND integration_id = $3 AND "
                 "scheduled_for >= $4 AND scheduled_for <= $5 AND deleted_at IS NULL AND publish_status <> 'cancelled'",
                 content.tenant(), content.brand().brandId, account, from, until))
            taken.insert(time);
        for (const auto time : content.transaction().values<Instant>("SELECT starts_at FROM taken_slot WHERE organization_id = $1 AND "
                                                                     "brand_id = $2 AND integration_id = $3 AND starts_at >= $4 AND "
                                                                     "starts_at <= $5",
                                                                     content.tenant(), content.brand().brandId, account, from, until))
            taken.insert(time);
    }
    return taken;
}

Problem badTime(std::string_view code, std::string_view message)
{
    return Problem::badRequest(code, message).with({"scheduledFor", std::string(code), std::string(message)});
}
} // namespace

Instant lastSchedule(Instant now)
{
    using namespace std::chrono;
    const auto day = floor<days>(now);
    auto date = year_month_day(day) + years(2);
    if (!date.ok()) date = date.year() / date.month() / last;
    return sys_days(date) + (now - day);
}

void requireTime(Instant time, Instant now)
{
    if (time < now) throw badTime("in_past", "The time is in the past.");
    if (time > lastSchedule(now)) throw badTime("too_far", "The time is more than two years ahead.");
}

std::optional<Instant> requestedTime(const BrandContent& content, const TimeZones& zones, const std::optional<Instant>& scheduledFor,
                                     bool slot, const std::vector<IntegrationId>& accounts)
{
    if (!slot)
    {
        if (scheduledFor) requireTime(*scheduledFor, content.now());
        return scheduledFor;
    }
    if (scheduledFor) throw Problem::invalid("slot", "conflicting", "Send scheduledFor or slot, not both.");
    const auto& brand = content.brand();
    if (brand.slotPlan.empty()) throw Problem::badRequest("no_slot_plan", "The brand has no slot plan.");
    const auto from = content.now() + slotNotice, until = content.now() + slotHorizon;
    const auto taken = takenTimes(content, accounts, from, until);
    const auto zone = zones.require(brand.timeZone, "timeZone");
    const auto free = nextSlot(brand.slotPlan, zone, from, until, [&](Instant time) { return taken.contains(time); });
    if (!free) throw Problem::conflict("no_free_slot", "All times of the slot plan in the next 90 days are taken.");
    return free;
}

void takeSlot(const BrandContent& content, const ContentItem& item, Instant time)
{
    takenSlotTable.insert(content.transaction(), content.tenant(), {item.brandId, *item.integrationId, time, item.contentId});
}

} // namespace portico::social
