#include "keys/ApiKey.h"

#include <algorithm>

namespace portico::identity
{

const Grant* ApiKey::grantFor(std::string_view serviceId) const
{
    const auto found = std::ranges::find(grants, serviceId, &Grant::serviceId);
    return found == grants.end() ? nullptr : &*found;
}

KeyStatus ApiKey::statusAt(Instant now) const
{
    if (status == KeyStatus::Rotating && (!overlapEndsAt || *overlapEndsAt <= now)) return KeyStatus::Revoked;
    if ((status == KeyStatus::Active || status == KeyStatus::Rotating) && expiresAt && *expiresAt <= now) return KeyStatus::Expired;
    return status;
}

std::optional<Instant> ApiKey::endsAt() const
{
    if (!expiresAt || !overlapEndsAt) return expiresAt ? expiresAt : overlapEndsAt;
    return std::min(*expiresAt, *overlapEndsAt);
}

} // namespace portico::identity
