#include "actions/ActionRoutes.h"

#include "common/Roles.h"

#include "portico/CrossOrigin.h"
#include "portico/Text.h"
#include "portico/interfaces/Directory.h"

#include <algorithm>
#include <set>

namespace portico::launchpad
{

namespace
{
/// Origin of an absolute URL; empty for a text that has none.
std::string originOf(std::string_view url)
{
    const auto scheme = url.find("://");
    if (scheme == std::string_view::npos) return {};
    return normalOrigin(url.substr(0, url.find_first_of("/?#", scheme + 3)));
}

Problem unknownTarget()
{
    return Problem::badRequest("unknown_decision_target", "Decisions are sent to an origin of the source service only.")
        .with({"decisionCallback.url", "unknown_decision_target", "Not on an origin of the source service"});
}

/// The organization that an action of a service or a key belongs to.
OrganizationId organizationOf(const Caller& caller, const std::optional<ActionContext>& context, bool ofPlatform)
{
    auto wanted = caller.organizationId;
    if (context)
    {
        if (context->kind != "organization" || !context->organizationId)
            throw Problem::invalid("context", "invalid_context", "Expected an organization");
        // A service of the platform speaks to every organization, all others to their own.
        if (!ofPlatform && *context->organizationId != wanted) throw Problem::notFound("There is no such organization.");
        wanted = *context->organizationId;
    }
    const auto id = OrganizationId::parse(wanted);
    if (!id) throw Problem::invalid("context", "required", "Expected an organization");
    return *id;
}

void requireDistinct(const std::vector<ActionDecision>& decisions)
{
    std::set<std::string_view> seen;
    for (std::size_t i = 0; i < decisions.size(); ++i)
        if (!seen.insert(decisions[i].id).second)
            throw Problem::invalid("decisions[" + std::to_string(i) + "].id", "duplicate", "Another decision has the same id");
}
} // namespace

bool isOwnPath(std::string_view text)
{
    return text.empty() || (text.starts_with('/') && !namesAnotherHost(text) && text.find('\\') == std::string_view::npos);
}

void ActionRoutes::declare(Routes& routes)
{
    const auto read = access::bearerOrKey("actions:read", "workflows.read");
    // Rights on other people's actions are checked in the queue.
    const auto decide = access::bearer("actions:read").inPerson();
    Access create;
    create.apiKey = true;
    create.permission = "actions:create";
    create.scope = "workflows.write";
    const auto option = [](std::string_view summary, std::vector<std::string_view> problems) -> RouteOptions
    { return {.summary = summary, .idempotencyKey = false, .problems = std::move(problems)}; };
    routes.get("/api/actions", read, &ActionRoutes::list, this, {.summary = "List the actions that need a decision"})
        .get("/api/actions/{id}", read, &ActionRoutes::show, this, {.summary = "Read an action with its history"})
        .post("/api/actions", create.orService(), &ActionRoutes::create, this,
              {.summary = "Create an action, as a service or with a key",
               .problems = {"400 unknown_decision_target", "409 too_many_actions"},
               .statuses = {201, 200}})
        .post("/api/actions/{id}/resolve", decide, &ActionRoutes::resolve, this,
              option("Decide on an action", {"400 reason_required", "409 already_resolved"}))
        .post("/api/actions/{id}/dismiss", decide, &ActionRoutes::dismiss, this,
              option("Dismiss an action without a decision", {"409 not_dismissible", "409 already_resolved"}))
        .post("/api/actions/{id}/snooze", decide, &ActionRoutes::snooze, this,
              option("Hide an action until later", {"409 already_resolved"}))
        .post("/api/actions/{id}/assign", decide, &ActionRoutes::assign, this,
              option("Assign an action to a person or a role", {"409 already_resolved"}));
}

Page<Action, ActionListExtra> ActionRoutes::list(const Caller& caller, const Query<ActionFilter>& filter, const Paging& paging) const
{
    const auto tenant = caller.tenantOrSelf();
    const auto now = _context.clock().now();
    auto session = _context.database().snapshot();
    std::vector<std::string> roles;
    for (const auto* role : {"owner", "super_admin", "admin", "member", "guest"})
        if (!tenant.isUser() && rankOf(caller.role) >= rankOf(role)) roles.emplace_back(role);
    roles.resize(5);
    const auto onlyMine = [&](Select<Action>& select) -> Select<Action>&
    {
        if (!filter->assignee.empty())
            select.where("((assignee_type = 'user' AND assignee_id = ?) OR (assignee_type = 'role' AND assignee_id IN (?, ?, ?, ?, ?)))",
                         caller.principalId, roles[0], roles[1], roles[2], roles[3], roles[4]);
        return select;
    };
    const auto onlyOpen = [&](Select<Action>& select) -> Select<Action>&
    { return select.where("(status = 'open' OR (status = 'snoozed' AND snoozed_until <= ?))", now); };
    auto select = actionTable.select(tenant);
    onlyMine(select);
    if (filter->status.empty() || (filter->status.size() == 1 && filter->status[0] == ActionStatus::Open))
        onlyOpen(select);
    else
        select.whereIn(&Action::status, filter->status);
    if (!filter->kind.empty()) select.whereIn(&Action::kind, filter->kind);
    if (!filter->severity.empty()) select.whereIn(&Action::severity, filter->severity);
    Page<Action, ActionListExtra> page;
    static_cast<Page<Action>&>(page) = select.orderBy(descending(&Action::id)).page(session, paging);
    for (auto& action : page.items) action = ActionQueue::shown(std::move(action), tenant, now);
    auto& counts = page.extra.counts;
    auto open = actionTable.select(tenant), overdue = actionTable.select(tenant), critical = actionTable.select(tenant);
    counts.open = onlyOpen(onlyMine(open)).count(session);
    counts.overdue = onlyOpen(onlyMine(overdue)).where("due_at < ?", now).count(session);
    counts.critical = onlyOpen(onlyMine(critical)).where(&Action::severity, Severity::Critical).count(session);
    return page;
}

ActionDetail ActionRoutes::show(const Caller& caller, const Path<ActionId>& id) const
{
    const auto tenant = caller.tenantOrSelf();
    auto session = _context.database().snapshot();
    ActionDetail detail;
    static_cast<Action&>(detail) = ActionQueue::shown(actionTable.require(session, tenant, *id), tenant, _context.clock().now());
    detail.history = actionEventTable.select(tenant).where(&ActionEvent::actionId, id->text()).orderBy(&ActionEvent::position).all(session);
    return detail;
}

void ActionRoutes::requireAssignee(Tenant tenant, const Assignee& assignee) const
{
    if (assignee.type == AssigneeType::Role)
    {
        if (!isRole(assignee.id)) throw Problem::invalid("assignee.id", "unknown_role", "Expected a role");
        return;
    }
    const auto directory = _context.services().find<interfaces::Directory>();
    if (!directory) throw Problem::unavailable("directory_unavailable", "Members cannot be read at the moment. Try again later.");
    const auto member = directory->member(tenant, assignee.id);
    if (!member || !member->active) throw Problem::invalid("assignee.id", "unknown_member", "Not a member of the organization");
}

void ActionRoutes::requireSource(const Caller& caller, const NewAction& action) const
{
    if (caller.isServicePrincipal() && action.source.serviceId != caller.ownServiceId)
        throw Problem::forbidden("permission_denied", "A service creates actions about its records only.");
    const auto apps = _registry.apps();
    const auto* app = apps->find(action.source.serviceId);
    if (!app) throw Problem::invalid("source.service_id", "unknown_service", "There is no such service");
    if (!action.decisionCallback) return;
    const auto origin = originOf(action.decisionCallback->url);
    const auto isOrigin = [&](const std::string& each) { return normalOrigin(each) == origin; };
    if (origin.empty() || std::ranges::none_of(app->origins, isOrigin)) throw unknownTarget();
    if (action.decisions.empty()) throw Problem::invalid("decisions", "required", "A callback needs decisions");
}

Created<Action> ActionRoutes::create(const Caller& caller, const Body<NewAction>& body) const
{
    requireSource(caller, *body);
    requireDistinct(body->decisions);
    const auto apps = _registry.apps();
    const auto organization = organizationOf(
        caller, body->context, caller.isServicePrincipal() && apps->find(caller.ownServiceId)->shown.publisher.type == "platform");
    const Tenant tenant(organization);
    requireAssignee(tenant, body->assignee);
    Action action;
    static_cast<ActionContent&>(action) = *body;
    action.assigneeType = body->assignee.type;
    action.assigneeId = body->assignee.id;
    if (body->decisionCallback)
    {
        action.callbackUrl = body->decisionCallback->url;
        action.callbackSecret = body->decisionCallback->secret;
    }
    const auto by = caller.apiKeyId.empty() ? caller.principalId : caller.apiKeyId;
    const auto now = _context.clock().now();
    return _context.database().transact(
        [&](Transaction& transaction)
        {
            auto [opened, isNew] = _queue.open(transaction, tenant, action, by);
            auto answer = Created<Action>{ActionQueue::shown(std::move(opened), tenant, now)};
            answer.existed = !isNew;
            return answer;
        });
}

Action ActionRoutes::resolve(const Caller& caller, const Path<ActionId>& id, const Body<DecisionInput>& input, const IfMatch& ifMatch) const
{
    return _queue.resolve(caller, *id, ifMatch, input->decision, input->reason);
}

Action ActionRoutes::dismiss(const Caller& caller, const Path<ActionId>& id, const Body<DismissInput>& input, const IfMatch& ifMatch) const
{
    return _queue.dismiss(caller, *id, ifMatch, input->reason);
}

Action ActionRoutes::snooze(const Caller& caller, const Path<ActionId>& id, const Body<SnoozeInput>& input, const IfMatch& ifMatch) const
{
    return _queue.snooze(caller, *id, ifMatch, input->until);
}

Action ActionRoutes::assign(const Caller& caller, const Path<ActionId>& id, const Body<AssignInput>& input, const IfMatch& ifMatch) const
{
    const auto tenant = caller.tenantOrSelf();
    if (tenant.isUser()) throw Problem::invalid("assignee", "unknown_member", "Actions in personal context stay with the person");
    requireAssignee(tenant, input->assignee);
    return _queue.assign(caller, *id, ifMatch, input->assignee);
}

} // namespace portico::launchpad
