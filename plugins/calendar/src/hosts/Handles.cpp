#include "hosts/Handles.h"

#include "portico/Problem.h"

#include <chrono>

namespace portico::calendar
{

namespace
{
constexpr std::chrono::days keptFor{180};

Problem handleTaken() { return Problem::conflict("handle_taken", "This handle is taken."); }
} // namespace

std::optional<HandleOwner> ownerOf(Session& session, std::string_view handle, Instant now)
{
    auto rows = session.query(
        "SELECT organization_id, host_id FROM host_handle WHERE handle = $1 AND (kept_until IS NULL OR kept_until > $2)", handle, now);
    const auto row = rows.next();
    if (!row) return std::nullopt;
    return HandleOwner{row->get<std::string>(0), row->get<HostId>(1)};
}

void takeHandle(Transaction& transaction, Tenant tenant, const HostId& host, std::string_view handle, Instant now)
{
    transaction.execute("DELETE FROM host_handle WHERE handle = $1 AND (kept_until <= $2 OR (organization_id = $3 AND host_id = $4))",
                        handle, now, tenant, host);
    transaction.execute("UPDATE host_handle SET kept_until = $3 WHERE organization_id = $1 AND host_id = $2 AND kept_until IS NULL", tenant,
                        host, now + keptFor);
    if (transaction.execute(
            "INSERT INTO host_handle (handle, organization_id, host_id) VALUES ($1, $2, $3) ON CONFLICT (handle) DO NOTHING", handle,
            tenant, host) == 0)
        throw handleTaken();
}

std::vector<PreviousHandle> previousHandles(Session& session, Tenant tenant, const HostId& host, Instant now)
{
    std::vector<PreviousHandle> found;
    for (Row row :
         session.query("SELECT handle, kept_until FROM host_handle WHERE organization_id = $1 AND host_id = $2 AND kept_until > $3 "
                       "ORDER BY kept_until DESC, handle",
                       tenant, host, now))
        found.push_back({row.get<std::string>(0), row.get<Instant>(1)});
    return found;
}

std::vector<std::string> freeHandlesNear(Session& session, std::string_view handle, Instant now)
{
    std::vector<std::string> found;
    const std::string stem(handle.substr(0, 36));
    for (int number = 2; number < 100 && found.size() < 3; ++number)
        if (auto near = stem + "-" + std::to_string(number); isHandle(near) && !ownerOf(session, near, now))
            found.push_back(std::move(near));
    return found;
}

} // namespace portico::calendar
