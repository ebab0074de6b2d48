#include "installs/RequiredApps.h"

#include <string>

namespace portico::launchpad
{

namespace
{
std::string requirementOf(std::string_view userId, std::string_view serviceId)
{
    return std::string(toString(ActionKind::AssignmentRequired)) + ':' + std::string(serviceId) + ':' + std::string(userId);
}

bool hasOpened(Session& session, Tenant tenant, const Assignment& rule)
{
    return session
        .value<std::int64_t>("SELECT 1 FROM launch WHERE organization_id = $1 AND user_id = $2 AND service_id = $3 LIMIT 1", tenant,
                             rule.subjectId, rule.serviceId)
        .has_value();
}
} // namespace

void RequiredApps::follow(Transaction& transaction, Tenant tenant, const Assignment& rule, const StoreApp& app) const
{
    if (rule.subjectType != SubjectType::User) return;
    if (rule.mode != AssignmentMode::Required || !app.launchable || hasOpened(transaction, tenant, rule))
    {
        removed(transaction, tenant, rule);
        return;
    }
    Action action;
    action.kind = ActionKind::AssignmentRequired;
    action.title = "Open \"" + app.name + '"';
    action.body = "Your organization requires this app.";
    action.source = {rule.serviceId, "assignment", rule.id.text()};
    action.assigneeType = AssigneeType::User;
    action.assigneeId = rule.subjectId;
    action.dedupeKey = requirementOf(rule.subjectId, rule.serviceId);
    _queue.open(transaction, tenant, std::move(action), rule.createdBy);
}

void RequiredApps::removed(Transaction& transaction, Tenant tenant, const Assignment& rule) const
{
    if (rule.subjectType == SubjectType::User)
        _queue.close(transaction, tenant, requirementOf(rule.subjectId, rule.serviceId), "The app is not required any more.");
}

void RequiredApps::opened(Transaction& transaction, Tenant tenant, std::string_view userId, std::string_view serviceId) const
{
    const auto cause = requirementOf(userId, serviceId);
    // Most launches close nothing and must not wait for the lock of the queue.
    if (!tenant.isUser() && ActionQueue::waits(transaction, tenant, cause)) _queue.close(transaction, tenant, cause, "The app was opened.");
}

} // namespace portico::launchpad
