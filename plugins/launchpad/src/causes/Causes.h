#pragma once

#include "actions/ActionQueue.h"
#include "common/IdentityEvent.h"

#include "portico/Plugin.h"

namespace portico::launchpad
{

/// Opens and closes actions whose causes are changes at identity: keys that leak, lose scopes or expire, and recovery addresses.
/// Thread-safe.
class Causes
{
public:
    Causes(PluginContext& context, ActionQueue& queue);
    /// Subscribes to identity's events.
    void start();

private:
    void keyNeedsCare(const Event& event, ActionKind kind) const;
    void keyEnded(const Event& event) const;
    void recoveryEmailChanged(const Event& event, bool verified) const;

    PluginContext& _context;
    ActionQueue& _queue;
};

} // namespace portico::launchpad
