#pragma once

#include "actions/ActionQueue.h"
#include "common/IdentityEvent.h"

#include "portico/Plugin.h"

#include <string>
#include <string_view>

namespace portico::launchpad
{

/// Opens and closes review actions for operators: applications of developers, submitted apps, and services with an incomplete
/// registration. They belong to the organization that operates the platform; for a service of another publisher, to the publisher.
/// Thread-safe.
class ReviewCauses
{
public:
    ReviewCauses(PluginContext& context, ActionQueue& queue) : _context(context), _queue(queue) {}
    /// Subscribes to identity's events.
    void start();

private:
    void developerChanged(const Event& event) const;
    void appChanged(const Event& event, bool submitted) const;
    void serviceChanged(const Event& event, bool incomplete) const;
    /// Opens or closes the action of a record. @param owner an organization; empty: nothing happens
    void follow(std::string owner, Action action, bool waits, std::string_view why) const;

    PluginContext& _context;
    ActionQueue& _queue;
};

} // namespace portico::launchpad
