#include "content/QueueCounts.h"

namespace portico::social
{

std::map<std::string, std::int64_t> queueCounts(Session& session, Tenant tenant, const BrandId& brand)
{
    std::map<std::string, std::int64_t> counts;
    for (const auto& row :
         session.query("SELECT queue_state, items FROM queue_count WHERE organization_id = $1 AND brand_id = $2", tenant, brand))
        counts.emplace(row.get<std::string>(0), row.get<std::int64_t>(1));
    return counts;
}

} // namespace portico::social
