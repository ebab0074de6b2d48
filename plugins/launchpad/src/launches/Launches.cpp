#include "launches/Launches.h"

#include "common/IdentityEvent.h"

#include "portico/Json.h"

#include <chrono>

namespace portico::launchpad
{

namespace
{
constexpr auto recent = std::chrono::days(30);
constexpr auto launchLife = std::chrono::days(365);
constexpr auto launchRemovalInterval = std::chrono::hours(6);

} // namespace

void Launches::start()
{
    _context.events().subscribe("identity.handoff.exchanged",
                                [this](const Event& event) { exchanged(fromStoredJson<IdentityEvent>(event.data).id); });
    _context.jobs().handle("remove-launches", [this](const Job&) { removeOld(); });
    _context.jobs().every("remove-launches", launchRemovalInterval);
}

void Launches::exchanged(const std::string& handoffId) const
{
    if (handoffId.empty()) return;
    _context.database().transact([&](Transaction& transaction)
                                 { transaction.execute("UPDATE launch SET exchanged = TRUE WHERE handoff_id = $1", handoffId); });
}

void Launches::removeOld() const
{
    const auto before = _context.clock().now() - launchLife;
    _context.database().transact([&](Transaction& transaction) { transaction.execute("DELETE FROM launch WHERE at < $1", before); });
}

std::map<std::string, std::int64_t> Launches::popularity() const
{
    std::map<std::string, std::int64_t> counted;
    auto session = _context.database().session();
    for (const Row row :
         session.query("SELECT service_id, count(*) FROM launch WHERE at >= $1 GROUP BY service_id", _context.clock().now() - recent))
        counted.emplace(row.get<std::string>(0), row.get<std::int64_t>(1));
    return counted;
}

std::map<std::string, AppUse> Launches::usesOf(Session& session, const Caller& caller) const
{
    std::map<std::string, AppUse> uses;
    for (const Row row :
         session.query("SELECT service_id, max(at), count(CASE WHEN at >= $3 THEN 1 END) FROM launch WHERE organization_id = $1 "
                       "AND user_id = $2 GROUP BY service_id",
                       caller.tenantOrSelf(), caller.principalId, _context.clock().now() - recent))
        uses.emplace(row.get<std::string>(0), AppUse{row.get<Instant>(1), row.get<std::int64_t>(2)});
    return uses;
}

} // namespace portico::launchpad
