#include "hosts/Departures.h"

#include "service/Live.h"

#include "portico/Json.h"
#include "portico/interfaces/Directory.h"

#include <optional>
#include <utility>
#include <vector>

namespace portico::calendar
{

namespace
{
/// The members of an event that are read: the subject's id, and the change in the audit trail's terms.
struct IdentityChange
{
    std::string id;
    std::string change;
};

constexpr auto schemaOf(const IdentityChange*) { return describe(members<&IdentityChange::id, &IdentityChange::change>()); }

struct UserState
{
    std::string status;
};

constexpr auto schemaOf(const UserState*) { return describe(field<&UserState::status>()); }

/// The members of an account's event that are read.
struct UserChange
{
    std::string id;
    std::optional<UserState> details;
};

constexpr auto schemaOf(const UserChange*) { return describe(members<&UserChange::id, &UserChange::details>()); }
} // namespace

void Departures::start()
{
    auto& events = _context.events();
    events.subscribe("identity.membership.changed", [this](const Event& event) { membershipChanged(event); });
    events.subscribe("identity.user.updated", [this](const Event& event) { userChanged(event); });
    events.subscribe("identity.organization.updated", [this](const Event& event) { organizationChanged(event); });
}

void Departures::membershipChanged(const Event& event) const
{
    if (event.organizationId.empty()) return;
    const auto tenant = Tenant::fromStored(event.organizationId);
    const auto host = [&]
    {
        auto session = _context.database().session();
        return hostTable.select(tenant).where(&Host::userId, fromStoredJson<IdentityChange>(event.data).id).first(session);
    }();
    if (host) pauseIfLeft(tenant, *host);
}

void Departures::userChanged(const Event& event) const
{
    if (fromStoredJson<IdentityChange>(event.data).change != "user.updated") return;
    const auto user = fromStoredJson<UserChange>(event.data);
    if (!user.details || user.details->status != "suspended") return;
    std::vector<std::pair<std::string, HostId>> hosts;
    {
        auto session = _context.database().session();
        for (Row row : session.query("SELECT organization_id, id FROM host WHERE user_id = $1", user.id))
            hosts.emplace_back(row.get<std::string>(0), row.get<HostId>(1));
    }
    for (const auto& [organization, id] : hosts)
    {
        const auto tenant = Tenant::fromStored(organization);
        const auto host = [&, id = id]
        {
            auto session = _context.database().session();
            return hostTable.find(session, tenant, id);
        }();
        if (host) pauseIfLeft(tenant, *host);
    }
}

void Departures::organizationChanged(const Event& event) const
{
    if (event.organizationId.empty() || fromStoredJson<IdentityChange>(event.data).change != "organization.deleted") return;
    const auto tenant = Tenant::fromStored(event.organizationId);
    const auto hosts = [&]
    {
        auto session = _context.database().session();
        return hostTable.select(tenant).all(session);
    }();
    for (const auto& host : hosts) pauseIfLeft(tenant, host);
}

void Departures::pauseIfLeft(Tenant tenant, const Host& host) const
{
    const auto directory = _context.services().find<interfaces::Directory>();
    if (!directory || host.status == HostStatus::Paused) return;
    if (const auto member = directory->member(tenant, host.userId); member && member->active) return;
    transactLive(_context, tenant, "calendar.host",
                 [&](Transaction& transaction)
                 {
                     return hostTable.change(transaction, tenant, host.hostId, IfMatch(""), {_context.clock().now()},
                                             [](Host& left) { left.status = HostStatus::Paused; });
                 });
}

} // namespace portico::calendar
