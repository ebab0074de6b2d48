#pragma once

#include "records/Host.h"

#include "portico/Events.h"
#include "portico/Plugin.h"

namespace portico::calendar
{

/// Pauses the host of a user who has left the organization or is suspended, or whose organization is deleted. Otherwise guests would book
/// appointments of which the user learns nothing. A user who returns reactivates the host manually. Thread-safe.
class Departures
{
public:
    explicit Departures(PluginContext& context) : _context(context) {}
    void start();

private:
    /// Handles `identity.membership.changed`.
    void membershipChanged(const Event& event) const;
    /// Handles `identity.user.updated`: an operator may suspend an account in all organizations.
    void userChanged(const Event& event) const;
    /// Handles `identity.organization.updated`.
    void organizationChanged(const Event& event) const;
    void pauseIfLeft(Tenant tenant, const Host& host) const;

    PluginContext& _context;
};

} // namespace portico::calendar
