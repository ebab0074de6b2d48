#include "widgets/OwnFigures.h"

#include "common/Roles.h"

namespace portico::launchpad
{

namespace
{

std::int64_t openActionsOf(Session& session, const Caller& caller, Instant now)
{
    auto select = actionTable.select(caller.tenantOrSelf());
    select.where("(status = 'open' OR (status = 'snoozed' AND snoozed_until <= ?))", now);
    std::vector<std::string> roles;
    for (const auto* role : {"owner", "super_admin", "admin", "member", "guest"})
        if (!caller.organizationId.empty() && rankOf(caller.role) >= rankOf(role)) roles.emplace_back(role);
    roles.resize(5);
    select.where("((assignee_type = 'user' AND assignee_id = ?) OR (assignee_type = 'role' AND assignee_id IN (?, ?, ?, ?, ?)))",
                 caller.principalId, roles[0], roles[1], roles[2], roles[3], roles[4]);
    return select.count(session);
}

} // namespace

OwnFigures ownFigures(PluginContext& context, const Registry& registry, const InstallService& installs, const Caller& caller)
{
    const auto apps = registry.apps();
    auto session = context.database().snapshot();
    OwnFigures figures;
    figures.openActions = openActionsOf(session, caller, context.clock().now());
    figures.unread = notificationTable.select(caller.tenantOrSelf())
                         .where(&Notification::userId, caller.principalId)
                         .where("read_at IS NULL")
                         .count(session);
    const auto& questions = installs.questions();
    const Standing standing(context, session, caller, questions);
    const auto uses = questions.uses ? questions.uses(session, caller) : std::map<std::string, AppUse>();
    for (const auto& app : apps->all())
    {
        if (!app.listed || !app.shown.launchable || !standing.inContext(app)) continue;
        const auto use = uses.find(app.shown.serviceId);
        const bool used = use != uses.end() && use->second.launches30d > 0;
        if (!used && installedBy(standing.of(app)) != InstalledBy::Nobody) ++figures.unusedApps;
    }
    return figures;
}

} // namespace portico::launchpad
