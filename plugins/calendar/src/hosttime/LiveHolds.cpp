#include "hosttime/LiveHolds.h"

#include "portico/Json.h"

#include <algorithm>

namespace portico::calendar
{

namespace
{
constexpr std::chrono::seconds queueTimeout{10};

std::string keyOf(const HostId& host) { return "holds:" + host.text(); }
} // namespace

void LiveHolds::queue(const HostId& host, const std::function<void()>& work) const
{
    _state.withLock("queue:" + host.text(), queueTimeout, work);
}

std::vector<Hold> LiveHolds::of(const HostId& host, Instant now) const
{
    const auto kept = _state.get(keyOf(host));
    if (!kept) return {};
    auto holds = fromStoredJson<std::vector<Hold>>(kept->value);
    std::erase_if(holds, [&](const Hold& hold) { return hold.expiresAt <= now; });
    return holds;
}

void LiveHolds::keep(const HostId& host, const std::vector<Hold>& holds, Instant now) const
{
    if (holds.empty())
    {
        _state.remove(keyOf(host));
        return;
    }
    const auto last = std::ranges::max(holds, {}, &Hold::expiresAt).expiresAt;
    _state.put(keyOf(host), toJson(holds), last - now);
}

TakenByHold takenBy(const Hold& hold, const EventTypeId& asked)
{
    TakenByHold taken;
    taken.sameEventType = hold.eventTypeId == asked;
    taken.span = {hold.start, hold.end};
    taken.bufferBefore = std::chrono::minutes(hold.bufferBeforeMinutes);
    taken.bufferAfter = std::chrono::minutes(hold.bufferAfterMinutes);
    taken.seats = hold.seats;
    taken.holdId = hold.holdId;
    taken.expiresAt = hold.expiresAt;
    return taken;
}

} // namespace portico::calendar
