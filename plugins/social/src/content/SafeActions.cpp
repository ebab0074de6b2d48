#include "content/SafeActions.h"

#include <algorithm>

namespace portico::social
{

namespace
{
using Actions = std::vector<Action>;
using enum Action;

Actions actionsOfSuggestion(const ContentItem& item)
{
    if (item.approvalState == ApprovalState::Pending) return {Edit, Approve, Reject};
    return {Edit, Duplicate, Delete};
}

Actions actionsOfFailure(const Failure& failure)
{
    if (failure.code == FailureCode::OutcomeUnknown) return {ViewOnPlatform, MarkPublished, Retry};
    if (failure.code == FailureCode::ReconnectRequired) return {Reconnect, Retry, Reschedule, RevertToDraft};
    if (failure.retryable) return {Retry, Edit, Reschedule, RevertToDraft, Duplicate};
    return {Edit, Reschedule, RevertToDraft, Duplicate};
}

Actions actionsOfDraft(const ContentItem& item)
{
    if (item.approvalState == ApprovalState::Pending) return {Edit, Approve, Reject, RevertToDraft};
    if (item.approvalState == ApprovalState::Rejected) return {Edit, RevertToDraft, Duplicate, Delete};
    if (!item.valid) return {Edit, Duplicate, Delete};
    if (item.approvalState == ApprovalState::NotSubmitted) return {Edit, Schedule, Submit, Duplicate, Delete};
    return {Edit, Schedule, PublishNow, Duplicate, Delete};
}

std::string itemPath(const ContentItem& item, std::string_view step)
{
    return "/api/content-ops/items/" + item.contentId.text() + std::string(step);
}

std::string postPath(const ContentItem& item, std::string_view step) { return "/api/posts/" + item.postId->text() + std::string(step); }

bool mayApprove(const ContentItem& item, const Rights& rights)
{
    if (!rights.approves) return false;
    if (item.allowSelfApproval) return true;
    return std::ranges::find(item.authors, rights.userId) == item.authors.end() &&
           std::ranges::none_of(item.approvals, [&](const Approval& approval) { return approval.userId == rights.userId; });
}

/// Returns how a caller does it; an empty path: not with this credential.
SafeAction wayOf(const ContentItem& item, Action action, const Rights& rights)
{
    const auto step = [&](bool may, std::string_view method, std::string path, std::vector<std::string> members = {}) {
        return may ? SafeAction{action, std::string(method), std::move(path), std::move(members)} : SafeAction{};
    };
    const bool ofPost = item.postId.has_value();
    switch (action)
    {
    case Edit:
        return step(rights.writesContent, "PATCH", itemPath(item, ""));
    case Approve:
        return step(mayApprove(item, rights), "POST", itemPath(item, "/approve"));
    case Reject:
        return step(rights.approves, "POST", itemPath(item, "/reject"));
    case Schedule:
        return step(rights.writesContent, "PATCH", itemPath(item, ""), {"scheduledFor"});
    case PublishNow:
        return step(rights.writesPosts, "POST", postPath(item, "/publish"));
    case Submit:
        return step(rights.writesContent, "POST", itemPath(item, "/submit"));
    case Reschedule:
        return step(rights.reschedules, "POST", itemPath(item, "/reschedule"), {"scheduledFor"});
    case RevertToDraft:
        return step(rights.writesPosts, "PUT", postPath(item, ""), {"status"});
    case Cancel:
        return step(rights.writesContent, "POST", itemPath(item, "/cancel"));
    case ViewOnPlatform:
        return step(item.result && !item.result->platformUrl.empty(), "GET", item.result ? item.result->platformUrl : "");
    case MarkPublished:
        return step(rights.writesContent, "POST", itemPath(item, "/mark-published"));
    case Retry:
        return step(rights.writesContent, "POST", itemPath(item, "/retry"),
                    item.failure && item.failure->code == FailureCode::OutcomeUnknown ? std::vector<std::string>{"confirm"}
                                                                                      : std::vector<std::string>{});
    case Reconnect:
        return step(rights.writesAccounts, "POST", "/api/integrations/" + std::string(toString(item.platform)) + "/connect",
                    {"brandId", "returnUrl"});
    case Duplicate:
        return ofPost ? step(rights.writesPosts, "POST", postPath(item, "/duplicate"))
                      : step(rights.writesContent, "POST", itemPath(item, "/duplicate"));
    case Delete:
        return ofPost ? step(rights.writesPosts, "DELETE", postPath(item, "")) : step(rights.writesContent, "DELETE", itemPath(item, ""));
    }
    return {};
}
} // namespace

std::vector<Action> actionsOf(const ContentItem& item)
{
    switch (item.publishStatus)
    {
    case PublishStatus::None:
        return item.kind == ContentKind::Suggestion ? actionsOfSuggestion(item) : actionsOfDraft(item);
    case PublishStatus::Queued:
        return {Edit, Reschedule, PublishNow, RevertToDraft, Cancel};
    case PublishStatus::Publishing:
    case PublishStatus::Verifying:
        return {};
    case PublishStatus::Retrying:
        return {Reschedule, RevertToDraft, Cancel};
    case PublishStatus::Published:
        return {ViewOnPlatform, Duplicate};
    case PublishStatus::Failed:
        return actionsOfFailure(item.failure.value_or(Failure{}));
    case PublishStatus::Cancelled:
        return {Duplicate, Delete};
    }
    return {};
}

bool allows(const ContentItem& item, Action action)
{
    const auto actions = actionsOf(item);
    return std::ranges::find(actions, action) != actions.end();
}

std::string stateName(const ContentItem& item)
{
    return std::string(item.publishStatus == PublishStatus::None ? toString(item.approvalState) : toString(item.publishStatus));
}

std::vector<SafeAction> safeActionsOf(const ContentItem& item, const Rights& rights)
{
    std::vector<SafeAction> safe;
    for (const auto action : actionsOf(item))
        if (auto way = wayOf(item, action, rights); !way.path.empty()) safe.push_back(std::move(way));
    return safe;
}

} // namespace portico::social
