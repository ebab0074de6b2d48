#pragma once

#include "portico/Events.h"
#include "portico/Plugin.h"

namespace portico::calendar
{

/// Pauses the host of somebody who has left the organization: they would hear of no booking, and nobody else either. Who comes back opens
/// it again by hand. Thread-safe.
class Departures
{
public:
    explicit Departures(PluginContext& context) : _context(context) {}
    void start();

private:
    /// An event `identity.membership.changed`, which tells whose.
    void membershipChanged(const Event& event) const;

    PluginContext& _context;
};

} // namespace portico::calendar
