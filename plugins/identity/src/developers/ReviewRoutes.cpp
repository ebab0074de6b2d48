#include "developers/ReviewRoutes.h"

#include "audit/Audit.h"
#include "sessions/SessionEvents.h"
#include "users/User.h"

#include "portico/Problem.h"

#include <algorithm>

namespace portico::identity
{

namespace
{

/// Returns the new status of an approved developer's workspace; empty: unchanged.
std::optional<OrganizationStatus> workspaceStatus(DeveloperStatus status)
{
    switch (status)
    {
    case DeveloperStatus::Approved:
        return OrganizationStatus::Active;
    case DeveloperStatus::Suspended:
        return OrganizationStatus::Suspended;
    case DeveloperStatus::Revoked:
        return OrganizationStatus::Revoked;
    default:
        return std::nullopt;
    }
}

} // namespace

ReviewRoutes::ReviewRoutes(Core& core, Workspaces& workspaces)
    : _core(core), _workspaces(workspaces), _moved(core.mails.bind<ApplicationMail>("application"))
{
}

void ReviewRoutes::declare(Routes& routes)
{
    const auto access = access::bearer("developers:review");
    routes.get("/api/developers", access, &ReviewRoutes::developerList, this, {.summary = "List developers"})
        .get("/api/developers/{developerId}", access, &ReviewRoutes::show, this, {.summary = "Read a developer with their submitted apps"})
        .patch("/api/developers/{developerId}/status", access, &ReviewRoutes::reviewDeveloper, this,
               {.summary = "Update the status of a developer", .problems = {"403 step_up_required", "409 invalid_transition"}})
        .get("/api/app-reviews", access, &ReviewRoutes::submissionList, this, {.summary = "List submitted apps"})
        .patch("/api/app-reviews/{submissionId}/status", access, &ReviewRoutes::reviewSubmission, this,
               {.summary = "Update the status of a submitted app", .problems = {"409 invalid_transition"}});
}

Page<Developer> ReviewRoutes::developerList(const Query<DeveloperFilterQuery>& filter, const Paging& paging) const
{
    auto session = _core.database.snapshot();
    auto developers = developerTable.select();
    if (!filter->status.empty()) developers.whereIn(&Developer::status, filter->status);
    if (!filter->q.empty())
        developers.where("LOWER(applicant_name || ' ' || email || ' ' || company) LIKE ? ESCAPE '\\'", likePattern(emailKey(filter->q)));
    return developers.orderBy(descending(&Developer::id)).page(session, paging);
}

DeveloperFile ReviewRoutes::show(const Path<DeveloperId>& id) const
{
    auto session = _core.database.snapshot();
    auto developer = developerTable.require(session, *id);
    auto submissions = appSubmissionTable.select()
                           .where(&AppSubmission::emailKey, developer.emailKey)
                           .orderBy(descending(&AppSubmission::id))
                           .all(session);
    return {std::move(developer), std::move(submissions)};
}

Developer ReviewRoutes::reviewDeveloper(const Caller& caller, const Request& request, const Path<DeveloperId>& id,
                                        const Body<DeveloperReviewInput>& input, const IfMatch& match)
{
    const auto to = input->status;
    std::vector<std::string> ended;
    auto reviewed = _core.changes.run(
        [&](Transaction& transaction)
        {
            const auto now = _core.clock.now();
            auto developer = developerTable.require(transaction, *id);
            match.require(developer.version);
            if (to == DeveloperStatus::Revoked) requireElevation(transaction, caller, now);
            const auto from = developer.status;
            if (to == DeveloperStatus::Approved && std::ranges::count(review::nextOf(from), to) > 0)
                developer.workspaceOrganizationId =
                    _workspaces.open(transaction, developer, *users::find(transaction, caller.principalId), now);
            review::move(transaction, developer, to, caller.principalId, input->reason, now);
            if (const auto status = workspaceStatus(to); status && developer.workspaceOrganizationId)
                ended = _workspaces.follow(transaction, request, *developer.workspaceOrganizationId, *status, input->reason, now);
            AuditLog::personal(request, now, developer.workspaceOrganizationId)
                .record(transaction, "developer.status_changed", developer.id, {{"from", from}, {"to", to}});
            if (input->notify)
                _moved.send(transaction, {developer.email, developer.applicantName, developer.locale},
                            ApplicationMail::of(to, input->reason, {}));
            return developer;
        });
    _core.sessionEvents.ended(ended);
    return reviewed;
}

Page<AppSubmission> ReviewRoutes::submissionList(const Query<SubmissionFilterQuery>& filter, const Paging& paging) const
{
    auto session = _core.database.snapshot();
    auto submissions = appSubmissionTable.select();
    if (!filter->status.empty()) submissions.whereIn(&AppSubmission::status, filter->status);
    return submissions.orderBy(descending(&AppSubmission::id)).page(session, paging);
}

AppSubmission ReviewRoutes::reviewSubmission(const Caller& caller, const Request& request, const Path<AppSubmissionId>& id,
                                             const Body<SubmissionReviewInput>& input, const IfMatch& match)
{
    return _core.database.transact(
        [&](Transaction& transaction)
        {
            const auto now = _core.clock.now();
            auto submission = appSubmissionTable.require(transaction, *id);
            match.require(submission.version);
            review::move(transaction, submission, input->status, caller.principalId, input->reason, now);
            AuditLog::personal(request, now).record(transaction, "app.status_changed", submission.id, {{"to", input->status}});
            auto mail = ApplicationMail::of(input->status, input->reason, {});
            mail.appName = submission.appName;
            _moved.send(transaction, {submission.developerEmail, {}, submission.locale}, mail);
            return submission;
        });
}

} // namespace portico::identity
