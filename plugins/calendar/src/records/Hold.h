#pragma once

#include "Ids.h"
#include "records/Booking.h"

#include "portico/Table.h"

#include <optional>
#include <string>
#include <vector>

namespace portico::calendar
{

/// A time that is reserved for one guest for a few minutes.
struct HeldTime
{
    HoldId holdId;
    EventTypeId eventTypeId;
    Instant start{};
    Instant end{};
    Instant createdAt{};
    Instant expiresAt{};
};

/// The hold in the StateStore, which decides.
struct Hold : HeldTime
{
    int bufferBeforeMinutes = 0;
    int bufferAfterMinutes = 0;
    int seats = 1;
    /// SHA-256 of the secret that it was given out with.
    std::string tokenHash;
    /// SHA-256 of the page's client id; empty: none.
    std::string clientHash;
    /// SHA-256 of the guest's address.
    std::string addressHash;
};

constexpr auto schemaOf(const Hold*)
{
    return describe(
        members<&Hold::holdId, &Hold::eventTypeId, &Hold::start, &Hold::end, &Hold::bufferBeforeMinutes, &Hold::bufferAfterMinutes,
                &Hold::seats, &Hold::createdAt, &Hold::expiresAt, &Hold::tokenHash, &Hold::clientHash, &Hold::addressHash>());
}

enum class HoldStatus
{
    Reserved,
    Confirmed,
    Released,
    Expired
};

constexpr auto schemaOf(const HoldStatus*)
{
    using enum HoldStatus;
    return portico::choices<HoldStatus>({{"reserved", Reserved}, {"confirmed", Confirmed}, {"released", Released}, {"expired", Expired}});
}

/// Why a hold ended.
enum class HoldEnd
{
    Confirm,
    Guest,
    Replaced,
    Timeout,
    Restart,
    SlotLost
};

constexpr auto schemaOf(const HoldEnd*)
{
    using enum HoldEnd;
    return portico::choices<HoldEnd>({{"confirm", Confirm},
                                      {"guest", Guest},
                                      {"replaced", Replaced},
                                      {"timeout", Timeout},
                                      {"restart", Restart},
                                      {"slot_lost", SlotLost}});
}

/// Row of a hold, for information only: the state store decides.
struct HoldRecord : HeldTime
{
    HostId hostId;
    Source source = Source::Page;
    HoldStatus status = HoldStatus::Reserved;
    std::optional<HoldEnd> reason = {};
    std::optional<Instant> closedAt = {};
    std::optional<BookingId> bookingId = {};
};

constexpr auto schemaOf(const HoldRecord*)
{
    return describe(field<&HoldRecord::holdId>().column("id"), members<&HoldRecord::hostId, &HoldRecord::eventTypeId>(),
                    field<&HoldRecord::start>().column("start_at"), field<&HoldRecord::end>().column("end_at"),
                    members<&HoldRecord::status, &HoldRecord::reason, &HoldRecord::source, &HoldRecord::expiresAt, &HoldRecord::createdAt,
                            &HoldRecord::closedAt, &HoldRecord::bookingId>());
}

inline constexpr Table<HoldRecord, HoldId> holdTable{"slot_hold", &HoldRecord::holdId};

/// Returns the record at an instant: a reserved one after its time has expired, even before that is stored.
HoldRecord heldAt(HoldRecord record, Instant now);

/// Notes the end of a hold, if it has none yet.
void closeHold(Transaction& transaction, Tenant tenant, const HoldId& hold, HoldStatus status, HoldEnd reason, Instant now,
               const std::optional<BookingId>& booking = {});

} // namespace portico::calendar
