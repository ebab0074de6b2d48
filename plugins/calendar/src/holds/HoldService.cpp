#include "holds/HoldService.h"

#include "portico/Crypto.h"
#include "portico/Flight.h"
#include "portico/Json.h"

#include <algorithm>

namespace portico::calendar
{

namespace
{
struct NearestSlot
{
    Instant start{};
    Instant end{};
};

constexpr auto schemaOf(const NearestSlot*) { return describe(members<&NearestSlot::start, &NearestSlot::end>()); }

struct Alternatives
{
    std::vector<NearestSlot> nearest;
};

constexpr auto schemaOf(const Alternatives*) { return describe(field<&Alternatives::nearest>()); }

/// Organization and host; the guest names nothing but the hold.
std::optional<std::pair<std::string, HostId>> ownerOfHold(Database& database, const HoldId& id)
{
    auto session = database.session();
    auto rows = session.query("SELECT organization_id, host_id FROM slot_hold WHERE id = $1", id);
    const auto row = rows.next();
    if (!row) return std::nullopt;
    return std::pair(row->get<std::string>(0), row->get<HostId>(1));
}

RateLimit holdsPerMinute(const BookingTools& tools)
{
    return {tools.context.state(), tools.context.clock(), {"calendar-holds", HoldService::maxPerMinute}};
}

std::string hashOf(std::string_view text) { return text.empty() ? std::string() : sha256(text).hex(); }

void requireToken(const Hold& hold, std::string_view token)
{
    if (!sameSecret(hold.tokenHash, sha256(token).hex()))
        throw Problem::forbidden("hold_token_invalid", "This is not the token of the hold.");
}
} // namespace

Hold requireHold(Session& session, const BookingTools& tools, Tenant tenant, const HostId& host, const HoldId& id, std::string_view token)
{
    const auto holds = tools.holds.of(host, tools.now());
    const auto found = std::ranges::find(holds, id, &Hold::holdId);
    if (found == holds.end())
    {
        const auto record = holdTable.find(session, tenant, id);
        if (!record || record->hostId != host) throw Problem::notFound("There is no such hold.");
        throw Problem::gone("hold_expired", "The time was kept for a few minutes, which are over: choose it again.");
    }
    requireToken(*found, token);
    return *found;
}

Problem slotProblem(Session& session, const BookingTools& tools, const Offer& offer, const Asking& asking, Instant wanted,
                    std::string_view detail, std::string_view code)
{
    Alternatives alternatives;
    if (offer.host.status == HostStatus::Active)
    {
        const auto taken =
            takenOf(session, tools.holds, offer, wanted - nearestReach, wanted + nearestReach, tools.now(), asking.ownBooking);
        for (const auto& slot : nearestSlots(offer.rules, taken, asking, wanted)) alternatives.nearest.push_back({slot.start, slot.end});
    }
    return Problem::conflict(code, detail).withDetails(alternatives);
}

void useHold(const BookingTools& tools, const HostId& host, const HoldId& hold)
{
    const auto now = tools.now();
    auto holds = tools.holds.of(host, now);
    const auto found = std::ranges::find(holds, hold, &Hold::holdId);
    if (found == holds.end()) return;
    holdsPerMinute(tools).count(host.text() + found->addressHash, -1);
    holds.erase(found);
    tools.holds.keep(host, holds, now);
}

void loseHold(const BookingTools& tools, Tenant tenant, const HostId& host, const HoldId& hold)
{
    tools.database().transact([&](Transaction& transaction)
                              { closeHold(transaction, tenant, hold, HoldStatus::Released, HoldEnd::SlotLost, tools.now()); });
    useHold(tools, host, hold);
}

namespace
{

/// SHA-256 hashes that identify the client of a hold.
struct HoldHashes
{
    std::string token;
    std::string client;
    std::string address;
};

Hold newHold(const Offer& offer, const Slot& slot, int seats, HoldHashes hashes, Instant now)
{
    return {{HoldId::make(now), offer.type.eventTypeId, slot.start, slot.end, now, now + std::chrono::seconds(offer.host.holdSeconds)},
            offer.type.bufferBeforeMinutes,
            offer.type.bufferAfterMinutes,
            seats,
            std::move(hashes.token),
            std::move(hashes.client),
            std::move(hashes.address)};
}

} // namespace

HoldService::HoldService(const BookingTools& tools) : _tools(tools), _perMinute(holdsPerMinute(tools)) {}

Slot HoldService::requireOpen(const Offer& offer, const Asking& asking, Instant start) const
{
    auto session = _tools.database().session();
    if (offer.host.status == HostStatus::Paused)
        throw slotProblem(session, _tools, offer, asking, start, "The host takes no bookings at the moment.");
    const auto taken = takenOf(session, _tools.holds, offer, start, start, asking.now, asking.ownBooking);
    if (const auto slot = openSlotAt(offer.rules, taken, asking, start)) return *slot;
    if (explain(offer.rules, taken, asking, start).reasons == std::vector{Reason::Held})
        throw slotProblem(session, _tools, offer, asking, start, "Another guest is booking this time at the moment.", "slot_held");
    throw slotProblem(session, _tools, offer, asking, start, "This time is not free.");
}

HoldAnswer HoldService::take(const Offer& offer, const HoldRequest& request, const HoldAsker& asker) const
{
    const auto& host = offer.host.hostId;
    const auto address = hashOf(asker.address);
    if (asker.source != Source::Admin) _perMinute.require(host.text() + address);
    if (request.seats > offer.rules.seatsPerSlot)
        throw Problem::invalid("seats", "out_of_range", "There are fewer seats in all: " + std::to_string(offer.rules.seatsPerSlot));
    return _tools.holds.inQueue(
        host,
        [&]
        {
            const auto now = _tools.now();
            auto holds = _tools.holds.of(host, now);
            const auto client = hashOf(request.clientToken);
            const auto replaced = client.empty() ? holds.end() : std::ranges::find(holds, client, &Hold::clientHash);
            std::optional<HoldId> old;
            if (replaced != holds.end())
            {
                old = replaced->holdId;
                holds.erase(replaced);
            }
            if (std::ranges::count(holds, address, &Hold::addressHash) >= static_cast<std::ptrdiff_t>(maxPerAddress))
                throw Problem::rateLimited(60);

            const auto slot = requireOpen(offer, {now, request.seats, old.value_or(HoldId()), asker.moving}, request.start);
            const auto token = randomToken();
            const auto hold = newHold(offer, slot, request.seats, {sha256(token).hex(), client, address}, now);
            _tools.database().transact(
                [&](Transaction& transaction)
                {
                    if (old) closeHold(transaction, offer.tenant(), *old, HoldStatus::Released, HoldEnd::Replaced, now);
                    Flight(transaction).insert("slot_hold", HoldRecord{hold, host, asker.source}, {"organization_id"}, offer.tenant());
                });
            holds.push_back(hold);
            _tools.holds.keep(host, holds, now);
            return HoldAnswer{hold.holdId, token, hold.start, hold.end, hold.expiresAt, now};
        });
}

void HoldService::release(const HoldId& id, std::string_view token) const
{
    const auto owner = ownerOfHold(_tools.database(), id);
    if (!owner) return;
    const auto& organization = owner->first;
    const auto& host = owner->second;
    _tools.holds.inQueue(host, [&] { drop(Tenant::fromStored(organization), host, id, token); });
}

void HoldService::drop(Tenant tenant, const HostId& host, const HoldId& id, std::string_view token) const
{
    const auto now = _tools.now();
    auto holds = _tools.holds.of(host, now);
    const auto found = std::ranges::find(holds, id, &Hold::holdId);
    if (found == holds.end()) return;
    requireToken(*found, token);
    _tools.database().transact([&](Transaction& transaction)
                               { closeHold(transaction, tenant, id, HoldStatus::Released, HoldEnd::Guest, now); });
    holds.erase(found);
    _tools.holds.keep(host, holds, now);
}

} // namespace portico::calendar
