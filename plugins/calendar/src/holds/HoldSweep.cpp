#include "holds/HoldSweep.h"

#include <algorithm>
#include <map>

namespace portico::calendar
{

namespace
{
struct HostKey
{
    std::string organizationId;
    HostId hostId;
    auto operator<=>(const HostKey&) const = default;
};

/// Returns holds whose record is still reserved, by host.
std::map<HostKey, std::vector<HoldId>> reservedHolds(Database& database)
{
    std::map<HostKey, std::vector<HoldId>> found;
    auto session = database.session();
    for (Row row :
         session.query("SELECT organization_id, host_id, id FROM slot_hold WHERE status = 'reserved' ORDER BY organization_id, id"))
        found[{row.get<std::string>(0), row.get<HostId>(1)}].push_back(row.get<HoldId>(2));
    return found;
}
} // namespace

void HoldSweep::closeLost() const
{
    for (const auto& [key, ids] : reservedHolds(_tools.database()))
    {
        // Runs in the host's queue, because an earlier generation may still create holds.
        const auto close = [&, &host = key.hostId, tenant = Tenant::fromStored(key.organizationId), &mine = ids]
        {
            const auto now = _tools.now();
            const auto live = _tools.holds.of(host, now);
            _tools.database().transact(
                [&](Transaction& transaction)
                {
                    for (const auto& id : mine)
                        if (std::ranges::find(live, id, &Hold::holdId) == live.end())
                            closeHold(transaction, tenant, id, HoldStatus::Expired, HoldEnd::Restart, now);
                });
        };
        _tools.holds.inQueue(key.hostId, close);
    }
}

void HoldSweep::closeExpired() const
{
    const auto now = _tools.now();
    _tools.database().transact(
        [&](Transaction& transaction)
        {
            transaction.execute(
                "UPDATE slot_hold SET status = 'expired', reason = 'timeout', closed_at = expires_at WHERE status = 'reserved' AND "
                "expires_at <= $1",
                now);
        });
}

} // namespace portico::calendar
