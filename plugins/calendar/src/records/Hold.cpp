#include "records/Hold.h"

#include "portico/Flight.h"

namespace portico::calendar
{

HoldRecord heldAt(HoldRecord record, Instant now)
{
    if (record.status != HoldStatus::Reserved || record.expiresAt > now) return record;
    record.status = HoldStatus::Expired;
    record.reason = HoldEnd::Timeout;
    record.closedAt = record.expiresAt;
    return record;
}

void closeHold(Transaction& transaction, Tenant tenant, const HoldId& hold, HoldStatus status, HoldEnd reason, Instant now,
               const std::optional<BookingId>& booking)
{
    // Travels with what follows.
    Flight(transaction)
        .execute("UPDATE slot_hold SET status = $3, reason = $4, closed_at = $5, booking_id = $6 WHERE organization_id = $1 AND "
                 "id = $2 AND status = 'reserved'",
                 tenant, hold, toString(status), toString(reason), now, booking);
}

} // namespace portico::calendar
