#pragma once

#include "portico/Services.h"
#include "portico/Tenant.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace portico::interfaces
{

/// A service, and whether a plan includes it.
struct PlanGrant
{
    std::string serviceId;
    bool granted = false;
};

/// Controls the access of organizations to services by their plans. Provided by identity. Thread-safe.
class PlanAccess : public ServiceInterface
{
public:
    static constexpr std::string_view interfaceName = "identity.plan-access";
    static constexpr std::string_view interfaceVersion = "1.0";

    /// Grants an organization access to services, or suspends it. Writes and audits only differences. The next request of a member
    /// sees the change.
    /// @param plan stored with each granted service; may be empty
    /// @return number of services whose access changed; 0 for an organization that is not active. @throws DatabaseError
    virtual std::size_t apply(Tenant organization, const std::vector<PlanGrant>& grants, std::string_view plan) = 0;
    /// IDs of the active business organizations after one, in their order. @param limit at most 1,000 @throws DatabaseError
    virtual std::vector<std::string> organizations(std::string_view afterId, std::size_t limit) = 0;
    /// ID of the organization whose members operate the platform; empty if there is none. @throws DatabaseError
    virtual std::string adminOrganization() = 0;
    /// Returns whether a user is an agent: a program that is a member of an organization. @throws DatabaseError
    virtual bool isAgent(std::string_view userId) = 0;
};

} // namespace portico::interfaces
