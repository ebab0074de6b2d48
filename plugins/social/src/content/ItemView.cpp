#include "content/ItemView.h"

namespace portico::social
{

ItemView viewOf(const ContentItem& item, const Rights& rights)
{
    ItemView view;
    static_cast<Versioned&>(view) = item;
    view.contentId = item.contentId;
    view.brandId = item.brandId;
    view.kind = item.kind;
    view.postId = item.postId;
    view.targetId = item.targetId;
    view.integrationId = item.integrationId;
    view.platform = item.platform;
    view.text = item.text;
    view.mediaIds = item.mediaIds;
    view.altTexts = item.altTexts;
    view.thread = item.thread;
    view.linkUrl = item.linkUrl;
    view.settings = item.settings;
    view.approvalState = item.approvalState;
    view.publishStatus = item.publishStatus;
    view.blockedReason = item.blockedReason;
    view.scheduledFor = item.scheduledFor;
    view.timestamps = {item.createdAt,         item.lastEditedAt,     item.submittedAt, item.approvedAt, item.rejectedAt, item.scheduledAt,
                       item.lastRescheduledAt, item.publishStartedAt, item.publishedAt, item.failedAt,   item.cancelledAt};
    view.approvals = item.approvals;
    view.approvalSteps = item.approvalSteps;
    view.failure = item.failure;
    view.attempts = {item.automaticAttempts, item.totalAttempts, item.nextAttemptAt};
    view.result = item.result;
    view.source = item.source;
    view.generator = item.generator;
    view.expiresAt = item.expiresAt;
    view.safeActions = safeActionsOf(item, rights);
    view.revision = item.revision;
    view.createdBy = item.createdBy;
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
