#pragma once

#include "actions/ActionQueue.h"
#include "catalog/Registry.h"
#include "installs/Standing.h"
#include "notifications/Notifications.h"

#include "portico/Plugin.h"

#include <functional>
#include <string>
#include <utility>

namespace portico::launchpad
{

enum class InstallScope
{
    Me,
    Organization
};

constexpr auto schemaOf(const InstallScope*)
{
    return portico::choices<InstallScope>({{"me", InstallScope::Me}, {"organization", InstallScope::Organization}});
}

/// Installs, removes and requests apps. Decides the requests by actions of the kind `install_request`. Thread-safe.
class InstallService
{
public:
    InstallService(PluginContext& context, const Registry& registry, ActionQueue& queue, const Notifications& notifications,
                   CatalogQuestions questions);

    const CatalogQuestions& questions() const noexcept { return _questions; }

    /// @throws Problem 404 `not_found`, `not_in_context`; 402 `plan_required`; 403 `permission_denied`, `blocked_by_assignment`; 409
    /// `already_installed`, `service_not_active`
    void install(const Caller& caller, const std::string& serviceId, InstallScope scope) const;
    /// Removes the caller's own install; where that is not what installs the app, the organization's.
    /// @throws Problem 404; 403 `permission_denied`; 409 `required_by_assignment`
    void remove(const Caller& caller, const std::string& serviceId) const;
    /// @return the request. @throws Problem as `install`; 409 `already_requested`; 403 where the organization does not accept requests
    InstallRequest request(const Caller& caller, const std::string& serviceId, const std::string& reason) const;

private:
    const App& requireApp(const AppCatalog& apps, const Standing& standing, const std::string& serviceId) const;
    void set(Transaction& transaction, Tenant tenant, const std::string& serviceId, const std::string& userId, InstallState state,
             const std::string& by) const;
    void decide(Transaction& transaction, Tenant tenant, const Action& action, const Resolution& resolution) const;
    void end(Transaction& transaction, Tenant tenant, const Action& action, RequestStatus status) const;
    void notify(Transaction& transaction, Tenant tenant, const InstallRequest& request, bool approved, const std::string& reason) const;

    PluginContext& _context;
    const Registry& _registry;
    ActionQueue& _queue;
    const Notifications& _notifications;
    const CatalogQuestions _questions;
};

} // namespace portico::launchpad
