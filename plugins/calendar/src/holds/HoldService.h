#pragma once

#include "hosttime/BookingTools.h"
#include "hosttime/HostTime.h"
#include "slots/Slots.h"

#include "portico/RateLimit.h"

#include <optional>
#include <string>
#include <string_view>

namespace portico::calendar
{

/// A booking that its guest is to move.
struct GuestBookingKey
{
    BookingId bookingId;
    std::string token;
};

constexpr auto schemaOf(const GuestBookingKey*)
{
    return describe(field<&GuestBookingKey::bookingId>().required(), field<&GuestBookingKey::token>().required().maxLength(200));
}

/// Body of a hold.
struct HoldRequest
{
    Instant start{};
    std::optional<int> durationMinutes;
    std::string timeZone;
    std::string clientToken;
    int seats = 1;
    std::optional<GuestBookingKey> moves;
};

constexpr auto schemaOf(const HoldRequest*)
{
    return describe(field<&HoldRequest::start>().required(), field<&HoldRequest::durationMinutes>(),
                    field<&HoldRequest::timeZone>().required().maxLength(64).description("The guest's"),
                    field<&HoldRequest::clientToken>().maxLength(200).description(
                        "Token of the guest's page; each token has at most one hold at a time"),
                    field<&HoldRequest::seats>().range(1, 500),
                    field<&HoldRequest::moves>().description(
                        "Booking to move here, identified by its guest's link. Its own time does not block the hold"));
}

/// Answer to a new hold. No later call returns the token.
struct HoldAnswer
{
    HoldId holdId;
    std::string holdToken;
    Instant start{};
    Instant end{};
    Instant expiresAt{};
    Instant serverTime{};
};

constexpr auto schemaOf(const HoldAnswer*)
{
    return describe(members<&HoldAnswer::holdId, &HoldAnswer::holdToken, &HoldAnswer::start, &HoldAnswer::end, &HoldAnswer::expiresAt,
                            &HoldAnswer::serverTime>());
}

/// Client that asks for a hold.
struct HoldAsker
{
    std::string_view address;
    Source source = Source::Api;
    /// Booking to move here; empty: none.
    BookingId moving = {};
};

/// Reserves times for guests who fill in the form. Thread-safe.
class HoldService
{
public:
    static constexpr std::size_t maxPerAddress = 3;
    /// Counts holds that did not become bookings.
    static constexpr std::int64_t maxPerMinute = 20;

    explicit HoldService(const BookingTools& tools);

    /// @throws Problem 409 `slot_held` if only live holds block the time, `slot_unavailable` for every other reason, both with the nearest
    /// free slots; 429 `rate_limited`
    HoldAnswer take(const Offer& offer, const HoldRequest& request, const HoldAsker& asker) const;
    /// Releases a hold; succeeds if it has already ended. @throws Problem 403 `hold_token_invalid`
    void release(const HoldId& hold, std::string_view token) const;

private:
    /// @throws Problem 409 as `take`
    Slot requireOpen(const Offer& offer, const Asking& asking, Instant start) const;
    void drop(Tenant tenant, const HostId& host, const HoldId& hold, std::string_view token) const;

    const BookingTools& _tools;
    RateLimit _perMinute;
};

/// Returns a live hold to the holder of its token. Call it in the host's queue.
/// @throws Problem 403 `hold_token_invalid`, 404, 410 `hold_expired`
Hold requireHold(Session& session, const BookingTools& tools, Tenant tenant, const HostId& host, const HoldId& id, std::string_view token);
/// Ends a hold that was booked. It no longer counts towards the limit of its address. Call it in the host's queue, after the commit.
void useHold(const BookingTools& tools, const HostId& host, const HoldId& hold);
/// Ends a hold whose time was taken before it was booked.
void loseHold(const BookingTools& tools, Tenant tenant, const HostId& host, const HoldId& hold);

inline constexpr std::string_view slotUnavailable = "slot_unavailable";
/// 409 `code` with the slots nearest to one that is not free.
Problem slotProblem(Session& session, const BookingTools& tools, const Offer& offer, const Asking& asking, Instant wanted,
                    std::string_view detail, std::string_view code = slotUnavailable);

} // namespace portico::calendar
