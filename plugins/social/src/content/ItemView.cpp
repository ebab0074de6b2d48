#include "content/ItemView.h"

namespace portico::social
{

ItemView viewOf(const ContentItem& item, const Rights& rights)
{
    ItemView view;
    static_cast<ContentItem&>(view) = item;
    view.timestamps = {item.createdAt,         item.lastEditedAt,     item.submittedAt, item.approvedAt, item.rejectedAt, item.scheduledAt,
                       item.lastRescheduledAt, item.publishStartedAt, item.publishedAt, item.failedAt,   item.cancelledAt};
    view.attempts = {item.automaticAttempts, item.totalAttempts, item.nextAttemptAt};
    view.safeActions = safeActionsOf(item, rights);
    return view;
}

Rights rightsOf(const Caller& caller)
{
    const bool key = caller.credential == CredentialKind::ApiKey;
    const bool writes = caller.may("social.content:write");
    const auto scoped = [&](std::string_view scope) { return !key || caller.hasScope(scope); };
    Rights rights;
    rights.userId = caller.principalId;
    rights.writesPosts = !key && caller.may("social.posts:write");
    rights.writesAccounts = !key && caller.may("social.accounts:write");
    rights.writesContent = writes && scoped("posts.write");
    rights.reschedules = writes && scoped("calendar.write");
    rights.approves = caller.may("social.content:approve") && scoped("posts.write");
    return rights;
}

} // namespace portico::social
