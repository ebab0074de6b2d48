#pragma once

#include "actions/ActionQueue.h"
#include "catalog/StoreApp.h"
#include "installs/Assignment.h"

#include <string_view>

namespace portico::launchpad
{

/// Actions that ask a person to open an app which a rule of the organization requires of that person by name. Rules for roles and for
/// everyone open none, because an organization can have more members than its queue allows actions. Thread-safe.
class RequiredApps
{
public:
    explicit RequiredApps(ActionQueue& queue) : _queue(queue) {}

    /// Opens the action of a rule that requires an app, unless the person has opened the app before; closes it for any other rule. Call it
    /// in the transaction that writes the rule.
    void follow(Transaction& transaction, Tenant tenant, const Assignment& rule, const StoreApp& app) const;
    /// Closes the action of a rule that was removed.
    void removed(Transaction& transaction, Tenant tenant, const Assignment& rule) const;
    /// Closes the action when the person opens the app.
    void opened(Transaction& transaction, Tenant tenant, std::string_view userId, std::string_view serviceId) const;

private:
    ActionQueue& _queue;
};

} // namespace portico::launchpad
