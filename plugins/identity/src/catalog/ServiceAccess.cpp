#include "catalog/ServiceAccess.h"

namespace portico::identity::service_access
{

void grant(Session& session, const OrganizationId& id, std::string_view serviceId, Instant now)
{
    session.execute("INSERT INTO service_access (organization_id, service_id, status, version, created_at, updated_at) "
                    "VALUES ($1, $2, 'active', 1, $3, $3) ON CONFLICT (organization_id, service_id) DO NOTHING",
                    id, serviceId, now);
}

void grantToAll(Session& session, std::string_view serviceId, Instant now)
{
    // SQLite accepts ON CONFLICT after a SELECT only if that has a WHERE. PostgreSQL takes bare parameters there for text.
    session.execute("INSERT INTO service_access (organization_id, service_id, status, version, created_at, updated_at) "
                    "SELECT id, CAST($1 AS TEXT), 'active', 1, CAST($2 AS BIGINT), CAST($2 AS BIGINT) FROM organizations WHERE TRUE "
                    "ON CONFLICT (organization_id, service_id) DO NOTHING",
                    serviceId, now);
}

bool has(Session& session, const OrganizationId& id, std::string_view serviceId)
{
    return session
        .value<std::int64_t>("SELECT 1 FROM service_access WHERE organization_id = $1 AND service_id = $2 AND status = 'active'", id,
                             serviceId)
        .has_value();
}

} // namespace portico::identity::service_access
