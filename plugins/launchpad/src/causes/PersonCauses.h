#pragma once

#include "actions/ActionQueue.h"
#include "common/IdentityEvent.h"

#include "portico/Plugin.h"
#include "portico/interfaces/Directory.h"

#include <string>

namespace portico::launchpad
{

/// Opens and closes what a person has to do in their personal context: answer invitations, and set up a second factor that an organization
/// requires. Without the factor that organization's context is closed to the person. Thread-safe.
class PersonCauses
{
public:
    PersonCauses(PluginContext& context, ActionQueue& queue);
    /// Subscribes to identity's events.
    void start();

private:
    /// @throws Problem 503: the event is delivered again
    Leased<interfaces::Directory> directory() const;
    void demandChanged(Tenant organization) const;
    void membershipChanged(const Event& event) const;
    void reviewFactors(const UserId& person) const;
    void invitationsChanged(const Event& event) const;

    PluginContext& _context;
    ActionQueue& _queue;
};

} // namespace portico::launchpad
