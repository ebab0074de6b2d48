#pragma once

#include "portico/Table.h"

#include <optional>
#include <string>
#include <string_view>

namespace portico::identity
{

/// Access of an organization to a service: a row of `service_access`.
struct ServiceAccess : Versioned
{
    std::string serviceId;
    /// `active` or `suspended`.
    std::string status = "active";
    std::optional<std::string> plan;
};

constexpr auto schemaOf(const ServiceAccess*)
{
    return describe(field<&ServiceAccess::serviceId>("service_id"), members<&ServiceAccess::status, &ServiceAccess::plan>(),
                    versioned<ServiceAccess>());
}

inline constexpr Table serviceAccessTable{"service_access", &ServiceAccess::serviceId};

/// Rows of which services an organization may use.
namespace service_access
{
/// Grants a service to an organization. Changes nothing if a row exists.
void grant(Session& session, const OrganizationId& id, std::string_view serviceId, Instant now);
/// Grants a service to all existing organizations.
void grantToAll(Session& session, std::string_view serviceId, Instant now);
bool has(Session& session, const OrganizationId& id, std::string_view serviceId);
} // namespace service_access

} // namespace portico::identity
