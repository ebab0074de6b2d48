#pragma once

#include "notifications/Notification.h"

#include "portico/Plugin.h"

namespace portico::launchpad
{

/// Writes notifications and removes them after 90 days. Thread-safe.
class Notifications
{
public:
    explicit Notifications(PluginContext& context) : _context(context) {}
    /// Registers the job that removes old notifications.
    void start();

    /// Stores a notification, unless the person has one with its dedupe key in this context.
    /// @return the stored notification, and whether it is new
    std::pair<Notification, bool> notify(Transaction& transaction, Tenant tenant, Notification notification) const;

private:
    void removeOld() const;

    PluginContext& _context;
};

} // namespace portico::launchpad
