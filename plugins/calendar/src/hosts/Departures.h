#pragma once

#include "records/Host.h"

#include "portico/Events.h"
#include "portico/Plugin.h"

namespace portico::calendar
{

/// Pauses the host of somebody who has left the organization or is suspended, or whose organization is deleted: they would hear of no
/// booking or could not see it, and nobody else either. Who comes back opens it again by hand. Thread-safe.
class Departures
{
public:
    explicit Departures(PluginContext& context) : _context(context) {}
    void start();

private:
    /// An event `identity.membership.changed`, which tells whose.
    void membershipChanged(const Event& event) const;
    /// An event `identity.user.updated`: an operator may suspend an account everywhere.
    void userChanged(const Event& event) const;
    /// An event `identity.organization.updated`.
    void organizationChanged(const Event& event) const;
    void pauseIfLeft(Tenant tenant, const Host& host) const;

    PluginContext& _context;
};

} // namespace portico::calendar
