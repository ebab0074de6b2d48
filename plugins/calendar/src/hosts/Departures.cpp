#include "hosts/Departures.h"

#include "hosts/Host.h"
#include "service/Live.h"

#include "portico/Json.h"
#include "portico/interfaces/Directory.h"

namespace portico::calendar
{

namespace
{
/// What is read of the event's data.
struct ChangedMember
{
    std::string id;
};

constexpr auto schemaOf(const ChangedMember*) { return describe(field("id", &ChangedMember::id)); }
} // namespace

void Departures::start()
{
    _context.events().subscribe("identity.membership.changed", [this](const Event& event) { membershipChanged(event); });
}

void Departures::membershipChanged(const Event& event) const
{
    const auto directory = _context.services().find<interfaces::Directory>();
    if (!directory || event.organizationId.empty()) return;
    const auto tenant = Tenant::fromStored(event.organizationId);
    const auto userId = fromStoredJson<ChangedMember>(event.data).id;
    if (directory->member(tenant, userId)) return;
    const auto host = [&]
    {
        auto session = _context.database().session();
        return hostTable.select(tenant).where(&Host::userId, userId).first(session);
    }();
    if (!host || host->status == HostStatus::Paused) return;
    transactLive(_context, tenant, "calendar.host",
                 [&](Transaction& transaction)
                 {
                     return hostTable.change(transaction, tenant, host->hostId, IfMatch(""), {_context.clock().now()},
                                             [](Host& left) { left.status = HostStatus::Paused; });
                 });
}

} // namespace portico::calendar
