#include "installs/InstallService.h"

#include "common/News.h"

#include "portico/Json.h"

#include <chrono>

namespace portico::launchpad
{

namespace
{
constexpr auto requestLife = std::chrono::days(30);
constexpr std::string_view installPermission = "launchpad.apps:install";

struct InstallNews
{
    std::string serviceId;
    std::string userId;
};

constexpr auto schemaOf(const InstallNews*)
{
    return describe(members<&InstallNews::serviceId>(), field<&InstallNews::userId>().omitEmpty());
}

/// Member `details` of 402.
struct PlanDetails
{
    std::vector<std::string> bundles;
    std::string checkoutUrl;
};

constexpr auto schemaOf(const PlanDetails*) { return describe(members<&PlanDetails::bundles, &PlanDetails::checkoutUrl>()); }

Problem planRequired(const App& app)
{
    return Problem(402, "plan_required", "The active context has no access to this app.")
        .withDetails(PlanDetails{app.shown.commerce.bundles, "/pricing"});
}

Problem lacking(std::string_view permission)
{
    return Problem::forbidden("permission_denied", "The permission " + std::string(permission) + " is needed.");
}

std::string keyOf(const std::string& serviceId, const std::string& userId) { return "install:" + serviceId + ":" + userId; }

const std::string& doerOf(const Caller& caller) { return caller.apiKeyId.empty() ? caller.principalId : caller.apiKeyId; }
} // namespace

InstallService::InstallService(PluginContext& context, const Registry& registry, ActionQueue& queue, const Notifications& notifications,
                               CatalogQuestions questions)
    : _context(context), _registry(registry), _queue(queue), _notifications(notifications), _questions(std::move(questions))
{
    ActionEffect effect;
    effect.require = [](const Caller& caller, const Action&, std::string_view decision)
    {
        if (decision == "approve" && !caller.may(installPermission)) throw lacking(installPermission);
    };
    effect.apply = [this](Transaction& transaction, Tenant tenant, const Action& action, const Resolution& resolution)
    { decide(transaction, tenant, action, resolution); };
    effect.expire = [this](Transaction& transaction, Tenant tenant, const Action& action)
    { end(transaction, tenant, action, RequestStatus::Expired); };
    effect.dismissible = false;
    _queue.on(ActionKind::InstallRequest, std::move(effect));
}

const App& InstallService::requireApp(const AppCatalog& apps, const Standing& standing, const std::string& serviceId) const
{
    const auto* app = apps.find(serviceId);
    if (!app || !app->listed || !standing.sees(*app)) throw Problem::notFound("There is no such app.");
    if (!standing.inContext(*app)) throw Problem(404, "not_in_context", "The app does not serve the active context.");
    return *app;
}

void InstallService::set(Transaction& transaction, Tenant tenant, const std::string& serviceId, const std::string& userId,
                         InstallState state, const std::string& by) const
{
    const auto now = _context.clock().now();
    Install install;
    install.serviceId = serviceId;
    install.userId = userId;
    install.state = state;
    install.installedBy = by;
    install.createdAt = install.updatedAt = now;
    if (!installTable.insertIfAbsent(transaction, tenant, install))
        installTable.change(transaction, tenant, serviceId, userId, IfMatch(std::string_view()), {now, {}},
                            [&](Install& row)
                            {
                                if (row.state == state) return;
                                row.state = state;
                                row.installedBy = by;
                                row.createdAt = now;
                            });
    publishNews(_context, transaction, tenant, state == InstallState::Installed ? "launchpad.app.installed" : "launchpad.app.removed",
                toJson(InstallNews{serviceId, userId}));
}

void InstallService::install(const Caller& caller, const std::string& serviceId, InstallScope scope) const
{
    const auto tenant = caller.tenantOrSelf();
    const auto apps = _registry.apps();
    _context.database().transact(
        [&](Transaction& transaction)
        {
            const Standing standing(_context, transaction, caller, _questions);
            const bool forAll = scope == InstallScope::Organization;
            const auto* wanted = apps->find(serviceId);
            const bool mayForSelf = wanted ? standing.of(*wanted).mayInstall : standing.mayInstallForSelf();
            if (forAll ? !standing.mayInstallForOrganization() : !mayForSelf) throw lacking(installPermission);
            if (!forAll && standing.userId().empty())
                throw Problem::invalid("scope", "not_a_person", "A key of an organization installs for the organization only");
            // A blocked app has its own problem, also for callers who do not see it in the catalog.
            if (const auto* rule = standing.rule(serviceId); rule && rule->mode == AssignmentMode::Blocked)
                throw Problem::forbidden("blocked_by_assignment", "The organization blocks this app.");
            const auto& app = requireApp(*apps, standing, serviceId);
            const auto circumstances = standing.of(app);
            const auto by = installedBy(circumstances);
            if (by != InstalledBy::Nobody && !(forAll && by == InstalledBy::User))
                throw Problem::conflict("already_installed", "The app is already installed.");
            if (circumstances.comingSoon) throw Problem::conflict("service_not_active", "The app is not available yet.");
            if (!circumstances.entitled) throw planRequired(app);
            set(transaction, tenant, serviceId, forAll ? std::string() : standing.userId(), InstallState::Installed, doerOf(caller));
            if (!forAll) _queue.close(transaction, tenant, keyOf(serviceId, standing.userId()), "The app was installed.");
            for (const auto& request : installRequestTable.select(tenant)
                                           .where(&InstallRequest::serviceId, serviceId)
                                           .where(&InstallRequest::status, RequestStatus::Pending)
                                           .all(transaction))
            {
                if (!forAll && request.userId != standing.userId()) continue;
                installRequestTable.change(transaction, tenant, request.id, IfMatch(std::string_view()), {_context.clock().now(), {}},
                                           [](InstallRequest& row) { row.status = RequestStatus::Approved; });
                if (forAll) _queue.close(transaction, tenant, keyOf(serviceId, request.userId), "The app was installed.");
                notify(transaction, tenant, request, true, {});
            }
        });
}

void InstallService::remove(const Caller& caller, const std::string& serviceId) const
{
    const auto tenant = caller.tenantOrSelf();
    const auto apps = _registry.apps();
    _context.database().transact(
        [&](Transaction& transaction)
        {
            const Standing standing(_context, transaction, caller, _questions);
            const auto& app = requireApp(*apps, standing, serviceId);
            const auto by = installedBy(standing.of(app));
            if (by == InstalledBy::Nobody) throw Problem::notFound("The app is not installed.");
            if (by == InstalledBy::Assignment) throw Problem::conflict("required_by_assignment", "The organization requires this app.");
            const bool ofUser = by == InstalledBy::User || (by == InstalledBy::Default && !standing.mayInstallForOrganization());
            if (!ofUser && !standing.mayInstallForOrganization()) throw lacking(installPermission);
            set(transaction, tenant, serviceId, ofUser ? standing.userId() : std::string(), InstallState::Removed, doerOf(caller));
        });
}

InstallRequest InstallService::request(const Caller& caller, const std::string& serviceId, const std::string& reason) const
{
    const auto tenant = caller.tenant();
    const auto apps = _registry.apps();
    return _context.database().transact(
        [&](Transaction& transaction)
        {
            const Standing standing(_context, transaction, caller, _questions);
            if (standing.userId().empty()) throw Problem::forbidden("permission_denied", "Only users can request apps.");
            if (!standing.rules().allowRequests)
                throw Problem::forbidden("permission_denied", "This organization does not allow app requests.");
            if (const auto* rule = standing.rule(serviceId); rule && rule->mode == AssignmentMode::Blocked)
                throw Problem::forbidden("blocked_by_assignment", "The organization blocks this app.");
            const auto& app = requireApp(*apps, standing, serviceId);
            const auto circumstances = standing.of(app);
            if (installedBy(circumstances) != InstalledBy::Nobody)
                throw Problem::conflict("already_installed", "The app is already installed.");
            if (circumstances.comingSoon) throw Problem::conflict("service_not_active", "The app is not available yet.");
            if (!circumstances.entitled) throw planRequired(app);
            if (circumstances.requested) throw Problem::conflict("already_requested", "You have already requested this app.");
            const auto now = _context.clock().now();
            InstallRequest made;
            made.serviceId = serviceId;
            made.userId = standing.userId();
            made.reason = reason;
            made = installRequestTable.stamped(std::move(made), {now, {}});
            Action action;
            action.kind = ActionKind::InstallRequest;
            action.title = caller.displayName.empty() ? app.shown.name : caller.displayName + " requests " + app.shown.name;
            action.body = reason;
            action.source = {std::string(ownServiceId), "install", made.id.text()};
            action.assigneeId = "admin";
            action.decisions = {{"approve", "Approve", "primary", false, false}, {"reject", "Reject", "danger", false, true}};
            action.expiresAt = now + requestLife;
            action.dedupeKey = keyOf(serviceId, standing.userId());
            made.actionId = _queue.open(transaction, tenant, std::move(action), made.userId).first.id.text();
            if (!installRequestTable.insertIfAbsent(transaction, tenant, made))
                throw Problem::conflict("already_requested", "You have already requested this app.");
            return made;
        });
}

void InstallService::end(Transaction& transaction, Tenant tenant, const Action& action, RequestStatus status) const
{
    const auto id = InstallRequestId::parse(action.source.resourceId);
    if (!id || !installRequestTable.exists(transaction, tenant, *id)) return;
    installRequestTable.change(transaction, tenant, *id, IfMatch(std::string_view()), {_context.clock().now(), {}},
                               [&](InstallRequest& row)
                               {
                                   if (row.status == RequestStatus::Pending) row.status = status;
                               });
}

void InstallService::decide(Transaction& transaction, Tenant tenant, const Action& action, const Resolution& resolution) const
{
    const auto id = InstallRequestId::parse(action.source.resourceId);
    if (!id) return;
    const auto request = installRequestTable.find(transaction, tenant, *id);
    if (!request) return;
    const bool approved = resolution.decision == "approve";
    end(transaction, tenant, action, approved ? RequestStatus::Approved : RequestStatus::Rejected);
    if (approved) set(transaction, tenant, request->serviceId, request->userId, InstallState::Installed, resolution.by);
    notify(transaction, tenant, *request, approved, resolution.reason);
}

void InstallService::notify(Transaction& transaction, Tenant tenant, const InstallRequest& request, bool approved,
                            const std::string& reason) const
{
    const auto* app = _registry.apps()->find(request.serviceId);
    const auto name = app ? app->shown.name : request.serviceId;
    Notification notification;
    notification.userId = request.userId;
    notification.title = approved ? name + " is installed" : "Your request for " + name + " was rejected";
    notification.body = reason;
    notification.href = "/apps";
    notification.severity = approved ? NotificationSeverity::Success : NotificationSeverity::Info;
    notification.source = ownServiceId;
    notification.dedupeKey = "install-request:" + request.id.text();
    _notifications.notify(transaction, tenant, std::move(notification));
}

} // namespace portico::launchpad
