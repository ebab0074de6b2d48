#include "installs/AssignmentRoutes.h"

#include "common/News.h"
#include "common/Roles.h"
#include "common/Slice.h"

#include "portico/Json.h"
#include "portico/interfaces/Directory.h"

#include <map>

namespace portico::launchpad
{

namespace
{
struct AssignmentNews
{
    std::string assignmentId;
    std::string serviceId;
};

constexpr auto schemaOf(const AssignmentNews*) { return describe(members<&AssignmentNews::assignmentId, &AssignmentNews::serviceId>()); }

Assignment shownAssignment(Assignment assignment, Tenant tenant)
{
    assignment.organizationId = tenant.text();
    assignment.subject.type = assignment.subjectType;
    if (assignment.subjectType != SubjectType::Everyone) assignment.subject.id = assignment.subjectId;
    return assignment;
}

Problem notInOrganization() { return Problem(404, "subject_not_in_org", "The organization has no such member."); }
} // namespace

void AssignmentRoutes::declare(Routes& routes)
{
    const auto read = access::bearerOrKey("assignments:read", "apps.read");
    const auto manage = access::bearerOrKey("assignments:manage", "apps.write");
    routes.get("/api/assignments", read, &AssignmentRoutes::list, this, {.summary = "List the rules about apps"})
        .post("/api/assignments", manage, &AssignmentRoutes::create, this,
              {.summary = "Require, offer or block an app",
               .problems = {"404 subject_not_in_org", "409 assignment_exists", "409 too_many_actions"}})
        .get("/api/assignments/effective", access::bearerOrKey({}, "apps.read"), &AssignmentRoutes::effective, this,
             {.summary = "List the assignments that apply to a person", .problems = {"404 subject_not_in_org"}})
        .patch("/api/assignments/{id}", manage, &AssignmentRoutes::change, this,
               {.summary = "Change the mode of a rule", .problems = {"409 too_many_actions"}})
        .del("/api/assignments/{id}", manage, &AssignmentRoutes::remove, this, {.summary = "Remove a rule"});
}

Page<Assignment> AssignmentRoutes::list(const Caller& caller, const Query<AssignmentFilter>& filter, const Paging& paging) const
{
    const auto tenant = caller.tenant();
    auto session = _context.database().session();
    auto select = assignmentTable.select(tenant);
    if (filter->serviceId) select.where(&Assignment::serviceId, *filter->serviceId);
    if (filter->userId) select.where(&Assignment::subjectType, SubjectType::User).where(&Assignment::subjectId, *filter->userId);
    auto page = select.orderBy(&Assignment::serviceId).page(session, paging);
    for (auto& assignment : page.items) assignment = shownAssignment(std::move(assignment), tenant);
    return page;
}

std::string AssignmentRoutes::requireSubject(Tenant tenant, const AssignmentSubject& subject) const
{
    const auto id = subject.id.value_or("");
    if (subject.type == SubjectType::Everyone) return {};
    if (subject.type == SubjectType::Role)
    {
        if (!isRole(id)) throw Problem::invalid("subject.id", "unknown_role", "Expected a role");
        return id;
    }
    const auto directory = _context.services().find<interfaces::Directory>();
    if (!directory) throw Problem::unavailable("directory_unavailable", "Members cannot be read at the moment. Try again later.");
    if (!directory->member(tenant, id)) throw notInOrganization();
    return id;
}

void AssignmentRoutes::tell(Transaction& transaction, Tenant tenant, const Assignment& assignment) const
{
    publishNews(_context, transaction, tenant, "launchpad.assignment.changed",
                toJson(AssignmentNews{assignment.id.text(), assignment.serviceId}));
}

Created<Assignment> AssignmentRoutes::create(const Caller& caller, const Body<NewAssignment>& body) const
{
    const auto tenant = caller.tenant();
    const auto apps = _registry.apps();
    const auto* app = apps->find(body->serviceId);
    if (!app || app->shown.serviceId == ownServiceId || app->shown.surfaceKind == "internal")
        throw Problem::invalid("service_id", "unknown_service", "There is no such app");
    Assignment assignment;
    assignment.serviceId = body->serviceId;
    assignment.subjectType = body->subject.type;
    assignment.subjectId = requireSubject(tenant, body->subject);
    assignment.mode = body->mode;
    const Stamp stamp{_context.clock().now(), caller.apiKeyId.empty() ? caller.principalId : caller.apiKeyId};
    return _context.database().transact(
        [&](Transaction& transaction)
        {
            const auto made = assignmentTable.stamped(assignment, stamp);
            if (!assignmentTable.insertIfAbsent(transaction, tenant, made))
                throw Problem::conflict("assignment_exists", "This app already has an assignment for this subject. Change it instead.");
            tell(transaction, tenant, made);
            _requiredApps.follow(transaction, tenant, made, app->shown);
            return Created<Assignment>{shownAssignment(made, tenant), "/api/assignments/" + made.id.text()};
        });
}

Assignment AssignmentRoutes::change(const Caller& caller, const Path<AssignmentId>& id, const Body<Patch<Assignment>>& patch,
                                    const IfMatch& ifMatch) const
{
    const auto tenant = caller.tenant();
    const auto apps = _registry.apps();
    return _context.database().transact(
        [&](Transaction& transaction)
        {
            const Assignment after = assignmentTable.change(transaction, tenant, *id, ifMatch, {_context.clock().now(), {}}, *patch);
            tell(transaction, tenant, after);
            if (const auto* app = apps->find(after.serviceId))
                _requiredApps.follow(transaction, tenant, after, app->shown);
            else
                _requiredApps.removed(transaction, tenant, after);
            return shownAssignment(after, tenant);
        });
}

NoContent AssignmentRoutes::remove(const Caller& caller, const Path<AssignmentId>& id, const IfMatch& ifMatch) const
{
    const auto tenant = caller.tenant();
    _context.database().transact(
        [&](Transaction& transaction)
        {
            const Assignment rule = assignmentTable.remove(transaction, tenant, *id, ifMatch);
            tell(transaction, tenant, rule);
            _requiredApps.removed(transaction, tenant, rule);
        });
    return {};
}

std::string AssignmentRoutes::roleOf(Tenant tenant, const Caller& caller, const std::string& userId) const
{
    if (userId == caller.principalId) return caller.role;
    if (!caller.may("launchpad.assignments:read"))
        throw Problem::forbidden("permission_denied", "The permission launchpad.assignments:read is needed.");
    const auto directory = _context.services().find<interfaces::Directory>();
    if (!directory) throw Problem::unavailable("directory_unavailable", "Members cannot be read at the moment. Try again later.");
    const auto member = directory->member(tenant, userId);
    if (!member) throw notInOrganization();
    return member->role;
}

Page<EffectiveAssignment> AssignmentRoutes::effective(const Caller& caller, const Query<EffectiveFilter>& filter,
                                                      const Paging& paging) const
{
    const auto tenant = caller.tenant();
    const auto userId = filter->userId.value_or(caller.principalId);
    const auto role = roleOf(tenant, caller, userId);
    auto session = _context.database().session();
    std::map<std::string, std::vector<Assignment>> byService;
    for (auto& rule : assignmentTable.select(tenant).all(session))
    {
        auto service = rule.serviceId;
        byService[std::move(service)].push_back(std::move(rule));
    }
    std::vector<EffectiveAssignment> assignments;
    for (const auto& [service, rules] : byService)
        if (auto rule = strongest(rules, userId, role)) assignments.push_back({service, rule->mode, std::move(rule->because)});
    return sortedPageOf(std::move(assignments), paging, &EffectiveAssignment::serviceId);
}

} // namespace portico::launchpad
