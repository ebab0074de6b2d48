#pragma once

#include "actions/ActionQueue.h"
#include "common/IdentityEvent.h"

#include "portico/Plugin.h"
#include "portico/interfaces/Directory.h"

#include <string>

namespace portico::launchpad
{

/// Opens and closes actions in a user's personal context: pending invitations, and a second factor that an organization requires. Without
/// the factor the user cannot enter that organization's context. Thread-safe.
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
