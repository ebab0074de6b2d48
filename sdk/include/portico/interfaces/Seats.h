#pragma once

#include "portico/Services.h"
#include "portico/Tenant.h"

#include <cstdint>
#include <string_view>

namespace portico::interfaces
{

/// Seats and subscriptions of owners, provided by the service that sells plans. Thread-safe.
class Seats : public ServiceInterface
{
public:
    static constexpr std::string_view interfaceName = "launchpad.seats";
    static constexpr std::string_view interfaceVersion = "1.0";

    /// Returns whether the plan of an organization allows one more member, agent or invitation.
    /// @param occupied members, agents and pending invitations that the organization has now. @throws DatabaseError
    virtual bool hasRoom(Tenant organization, std::int64_t occupied) = 0;
    /// Returns whether an organization or a household has a paid subscription that has not ended.
    /// @param ownerId `org_…` or `hh_…`. @throws DatabaseError
    virtual bool hasLiveSubscription(std::string_view ownerId) = 0;
};

} // namespace portico::interfaces
