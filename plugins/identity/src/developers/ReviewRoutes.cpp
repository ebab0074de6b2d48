#include "developers/ReviewRoutes.h"

#include "audit/Audit.h"
#include "users/User.h"

#include "portico/Problem.h"

#include <algorithm>

namespace portico::identity
{

namespace
{

/// `,submitted,in_review,` of a filter; empty: all.
template <class S>
std::string listed(const std::vector<S>& statuses)
{
    std::string text;
    for (const auto status : statuses) text.append(text.empty() ? "," : "").append(toString(status)).append(",");
    return text;
}

/// Finds the words anywhere, in lower case.
std::string searchPattern(std::string_view words)
{
    std::string pattern = "%";
    for (const char c : emailKey(words))
    {
        if (c == '%' || c == '_' || c == '\\') pattern += '\\';
        pattern += c;
    }
    return pattern + '%';
}

/// Reads newest first; the last id is the cursor. @param text SQL expression that the search words match
template <class T>
Page<T> read(Session& session, std::string_view table, std::string_view text, std::string_view statuses, std::string_view words,
             const Paging& paging)
{
    const auto rows = " FROM " + std::string(table) + " WHERE ($1 = '' OR $1 LIKE '%,' || status || ',%') AND ($2 = '' OR " +
                      std::string(text) + " LIKE $2 ESCAPE '\\')";
    const auto pattern = words.empty() ? std::string() : searchPattern(words);
    Page<T> page;
    page.items = session.all<T>("SELECT " + columns<T>() + rows + " AND ($3 = '' OR id < $3) ORDER BY id DESC LIMIT $4", statuses, pattern,
                                paging.cursor, paging.limit + 1);
    if (page.items.size() > static_cast<std::size_t>(paging.limit))
    {
        page.items.pop_back();
        page.nextCursor = page.items.back().id.text();
    }
    if (paging.includeTotal) page.total = session.value<std::int64_t>("SELECT COUNT(*)" + rows, statuses, pattern);
    return page;
}

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
    : _core(core), _workspaces(workspaces), _events(core.context.channels()), _moved(core.mails.bind<ApplicationMail>("application"))
{
}

void ReviewRoutes::declare(Routes& routes)
{
    const auto access = access::bearer("developers:review");
    routes.get("/api/developers", access, &ReviewRoutes::developerList, this, {.summary = "Who applied to the developer programme"})
        .get("/api/developers/{developerId}", access, &ReviewRoutes::show, this, {.summary = "A developer, with their submitted apps"})
        .patch("/api/developers/{developerId}/status", access, &ReviewRoutes::reviewDeveloper, this,
               {.summary = "Decide on a developer", .problems = {"403 step_up_required", "409 invalid_transition"}})
        .get("/api/app-reviews", access, &ReviewRoutes::submissionList, this, {.summary = "Submitted apps"})
        .patch("/api/app-reviews/{submissionId}/status", access, &ReviewRoutes::reviewSubmission, this,
               {.summary = "Decide on a submitted app", .problems = {"409 invalid_transition"}});
}

Page<Developer> ReviewRoutes::developerList(const Query<DeveloperFilterQuery>& filter, const Paging& paging) const
{
    auto session = _core.database.snapshot();
    return read<Developer>(session, "developers", "LOWER(applicant_name || ' ' || email || ' ' || company)", listed(filter->status),
                           filter->q, paging);
}

DeveloperFile ReviewRoutes::show(const Path<DeveloperId>& id) const
{
    auto session = _core.database.snapshot();
    auto developer = developers::find(session, id->text());
    if (!developer) throw Problem::notFound();
    return {*developer, app_submissions::ofDeveloper(session, developer->emailKey)};
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
            auto developer = developers::find(transaction, id->text());
            if (!developer) throw Problem::notFound();
            match.require(developer->version);
            if (to == DeveloperStatus::Revoked) requireElevation(transaction, caller, now);
            const auto from = developer->status;
            if (to == DeveloperStatus::Approved && std::ranges::count(review::nextOf(from), to) > 0)
                developer->workspaceOrganizationId =
                    _workspaces.open(transaction, *developer, *users::find(transaction, caller.principalId), now);
            review::move(transaction, *developer, to, caller.principalId, input->reason, now);
            if (const auto status = workspaceStatus(to); status && developer->workspaceOrganizationId)
                ended = _workspaces.follow(transaction, request, *developer->workspaceOrganizationId, *status, input->reason, now);
            AuditLog::personal(request, now, developer->workspaceOrganizationId)
                .record(transaction, "developer.status_changed", developer->id, {{"from", from}, {"to", to}});
            if (input->notify)
                _moved.send(transaction, {developer->email, developer->applicantName, developer->locale},
                            ApplicationMail::of(to, input->reason, {}));
            return *std::move(developer);
        });
    _events.ended(ended);
    return reviewed;
}

Page<AppSubmission> ReviewRoutes::submissionList(const Query<SubmissionFilterQuery>& filter, const Paging& paging) const
{
    auto session = _core.database.snapshot();
    return read<AppSubmission>(session, "app_submissions", "app_name", listed(filter->status), {}, paging);
}

AppSubmission ReviewRoutes::reviewSubmission(const Caller& caller, const Request& request, const Path<AppSubmissionId>& id,
                                             const Body<SubmissionReviewInput>& input, const IfMatch& match)
{
    return _core.database.transact(
        [&](Transaction& transaction)
        {
            const auto now = _core.clock.now();
            auto submission = app_submissions::find(transaction, id->text());
            if (!submission) throw Problem::notFound();
            match.require(submission->version);
            review::move(transaction, *submission, input->status, caller.principalId, input->reason, now);
            AuditLog::personal(request, now).record(transaction, "app.status_changed", submission->id, {{"to", input->status}});
            auto mail = ApplicationMail::of(input->status, input->reason, {});
            mail.appName = submission->appName;
            _moved.send(transaction, {submission->developerEmail, {}, submission->locale}, mail);
            return *std::move(submission);
        });
}

} // namespace portico::identity
