#include "content/Workflow.h"

#include "content/SafeActions.h"

#include "portico/Text.h"

#include <algorithm>

namespace portico::social::workflow
{

namespace
{
Move refused(const ContentItem& item, Refusal refusal) { return {item, {}, refusal}; }

Move moved(ContentItem item, std::vector<AuditKind> events) { return {settled(std::move(item)), std::move(events), std::nullopt}; }

bool isUnderWay(const ContentItem& item)
{
    return item.publishStatus == PublishStatus::Publishing || item.publishStatus == PublishStatus::Verifying;
}

/// Why an action is not allowed, if it is not.
std::optional<Refusal> refusalOf(const ContentItem& item, Action action)
{
    if (isUnderWay(item)) return Refusal::Publishing;
    return allows(item, action) ? std::nullopt : std::optional(Refusal::NotAllowed);
}

void takePolicy(ContentItem& item, const ApprovalPolicy& policy)
{
    item.approvalSteps = policy.required ? policy.steps : 0;
    item.allowSelfApproval = policy.allowSelfApproval;
}

/// A suggestion needs one approval in any case; if the policy requires none, its author may approve it.
void takePolicyOfSuggestion(ContentItem& item, const ApprovalPolicy& policy)
{
    item.approvalSteps = policy.required ? policy.steps : 1;
    item.allowSelfApproval = policy.allowSelfApproval || !policy.required;
}

/// Removes the item from publishing.
void leaveAttempts(ContentItem& item)
{
    item.automaticAttempts = 0;
    item.nextAttemptAt.reset();
    item.leasedUntil.reset();
    item.leasedBy.clear();
    item.verifyingSince.reset();
    item.looks = 0;
}

void enqueue(ContentItem& item, Instant time, Trigger trigger, Instant now)
{
    leaveAttempts(item);
    item.publishStatus = PublishStatus::Queued;
    item.blockedReason.reset();
    item.scheduledFor = time;
    item.nextTrigger = trigger;
    item.failure.reset();
    if (!item.scheduledAt) item.scheduledAt = now;
}

void askApproval(ContentItem& item, Instant now)
{
    item.approvalState = ApprovalState::Pending;
    item.approvals.clear();
    item.submittedAt = now;
    if (item.kind == ContentKind::Post && item.scheduledFor) item.blockedReason = BlockedReason::ApprovalPending;
}

void becomeDraft(ContentItem& item)
{
    leaveAttempts(item);
    item.publishStatus = PublishStatus::None;
    item.blockedReason.reset();
    item.scheduledFor.reset();
    item.failure.reset();
}

/// Queues an approved item of a post if its time has not passed.
void followApproval(ContentItem& item, std::vector<AuditKind>& events, Instant now)
{
    item.blockedReason.reset();
    if (!item.scheduledFor || item.kind != ContentKind::Post) return;
    if (*item.scheduledFor < now)
    {
        item.blockedReason = BlockedReason::SchedulePassed;
        return;
    }
    enqueue(item, *item.scheduledFor, Trigger::Schedule, now);
    events.push_back(AuditKind::ContentScheduled);
}

bool isOwnWork(const ContentItem& item, std::string_view userId)
{
    return std::ranges::find(item.authors, userId) != item.authors.end() ||
           std::ranges::any_of(item.approvals, [&](const Approval& approval) { return approval.userId == userId; });
}

std::optional<Refusal> refusalOf(const ContentItem& item, Action action, const Verdict& verdict)
{
    if (const auto refusal = refusalOf(item, action)) return refusal;
    if (verdict.revision && *verdict.revision != item.revision) return Refusal::RevisionChanged;
    return std::nullopt;
}

void decide(ContentItem& item, const Verdict& verdict, Decision decision, Instant now)
{
    item.approvals.push_back(
        {static_cast<std::int64_t>(item.approvals.size()) + 1, std::string(verdict.userId), decision, now, std::string(verdict.comment)});
}

std::string queueStateOf(const ContentItem& item)
{
    switch (item.publishStatus)
    {
    case PublishStatus::None:
        return item.approvalState == ApprovalState::Pending ? "pending" : "";
    case PublishStatus::Published:
    case PublishStatus::Cancelled:
        return "";
    default:
        return std::string(toString(item.publishStatus));
    }
}

std::optional<Instant> dueTime(const ContentItem& item)
{
    switch (item.publishStatus)
    {
    case PublishStatus::Queued:
        return item.nextAttemptAt ? item.nextAttemptAt : item.scheduledFor;
    case PublishStatus::Retrying:
    case PublishStatus::Verifying:
        return item.leasedUntil ? item.leasedUntil : item.nextAttemptAt;
    case PublishStatus::Publishing:
        return item.leasedUntil;
    default:
        return std::nullopt;
    }
}
} // namespace

ContentItem settled(ContentItem item)
{
    const bool gone = item.deletedAt.has_value();
    item.queueState = gone ? std::string() : queueStateOf(item);
    item.dueAt = gone ? std::nullopt : dueTime(item);
    item.scheduleOrder = item.scheduledFor.value_or(withoutTime);
    return item;
}

Move create(ContentItem item, const ApprovalPolicy& policy, std::optional<Instant> time, Instant now)
{
    takePolicy(item, policy);
    item.authors = {item.createdBy};
    item.approvalState = policy.required ? ApprovalState::NotSubmitted : ApprovalState::NotRequired;
    std::vector<AuditKind> events{AuditKind::ContentCreated};
    if (!time) return moved(std::move(item), std::move(events));
    auto scheduled = schedule(item, policy, *time, now);
    events.insert(events.end(), scheduled.events.begin(), scheduled.events.end());
    return {std::move(scheduled.item), std::move(events), scheduled.refusal};
}

Move suggest(ContentItem item, const ApprovalPolicy& policy, Instant now)
{
    takePolicyOfSuggestion(item, policy);
    item.kind = ContentKind::Suggestion;
    item.authors = {item.createdBy};
    item.approvalState = ApprovalState::Pending;
    item.submittedAt = now;
    if (!item.expiresAt) item.expiresAt = now + suggestionLife;
    return moved(std::move(item), {AuditKind::SuggestionGenerated});
}

Move edit(const ContentItem& before, ContentItem after, const ApprovalPolicy& policy, std::string_view userId, Instant now)
{
    if (const auto refusal = refusalOf(before, Action::Edit)) return refused(before, *refusal);
    std::vector<AuditKind> events{AuditKind::ContentEdited};
    after.revision = before.revision + 1;
    after.lastEditedAt = now;
    if (after.integrationId != before.integrationId && after.publishStatus == PublishStatus::Queued)
    {
        // The item waited for the former account.
        after.blockedReason.reset();
        after.nextAttemptAt.reset();
    }
    after.approvals.clear();
    if (std::ranges::find(after.authors, userId) == after.authors.end()) after.authors.emplace_back(userId);
    const auto state = before.approvalState;
    if (after.kind == ContentKind::Suggestion)
    {
        takePolicyOfSuggestion(after, policy);
        if (state == ApprovalState::Expired) after.expiresAt = now + suggestionLife;
        if (state != ApprovalState::Pending)
        {
            askApproval(after, now);
            after.blockedReason.reset();
            events.push_back(AuditKind::ContentSubmitted);
        }
        return moved(std::move(after), std::move(events));
    }
    takePolicy(after, policy);
    if (!policy.required)
    {
        after.approvalState = ApprovalState::NotRequired;
        if (after.publishStatus == PublishStatus::None && state != ApprovalState::NotRequired) followApproval(after, events, now);
        return moved(std::move(after), std::move(events));
    }
    const bool waited = before.publishStatus != PublishStatus::None;
    if (state == ApprovalState::NotSubmitted || (state == ApprovalState::NotRequired && !waited))
        after.approvalState = ApprovalState::NotSubmitted;
    else if (state == ApprovalState::Pending)
        askApproval(after, before.submittedAt.value_or(now));
    else
    {
        // It leaves the queue and keeps its time.
        leaveAttempts(after);
        after.publishStatus = PublishStatus::None;
        after.failure.reset();
        after.blockedReason.reset();
        askApproval(after, now);
        events.push_back(AuditKind::ContentSubmitted);
    }
    return moved(std::move(after), std::move(events));
}

Move schedule(const ContentItem& item, const ApprovalPolicy& policy, Instant time, Instant now)
{
    if (item.publishStatus != PublishStatus::None) return reschedule(item, time, now);
    ContentItem after = item;
    const bool again = item.scheduledFor.has_value();
    std::vector<AuditKind> events;
    if (item.approvalState == ApprovalState::Pending)
    {
        if (item.scheduledFor == time) return {item, {}, {}};
        after.scheduledFor = time;
        if (item.kind == ContentKind::Post) after.blockedReason = BlockedReason::ApprovalPending;
        if (again) after.lastRescheduledAt = now;
        return moved(std::move(after), {again ? AuditKind::ContentRescheduled : AuditKind::ContentEdited});
    }
    if (!allows(item, Action::Schedule)) return refused(item, Refusal::NotAllowed);
    if (item.approvalState == ApprovalState::NotSubmitted)
    {
        after.scheduledFor = time;
        takePolicy(after, policy);
        if (policy.required)
        {
            askApproval(after, now);
            return moved(std::move(after), {AuditKind::ContentSubmitted});
        }
        after.approvalState = ApprovalState::NotRequired;
    }
    if (again) after.lastRescheduledAt = now;
    enqueue(after, time, Trigger::Schedule, now);
    return moved(std::move(after), {again ? AuditKind::ContentRescheduled : AuditKind::ContentScheduled});
}

Move submit(const ContentItem& item, const ApprovalPolicy& policy, Instant now)
{
    const bool open =
        item.approvalState == ApprovalState::NotSubmitted || (item.approvalState == ApprovalState::NotRequired && policy.required);
    if (isUnderWay(item)) return refused(item, Refusal::Publishing);
    if (!open || !item.valid || item.publishStatus != PublishStatus::None || item.kind != ContentKind::Post)
        return refused(item, Refusal::NotAllowed);
    ContentItem after = item;
    takePolicy(after, policy);
    if (policy.required)
        askApproval(after, now);
    else
        after.approvalState = ApprovalState::NotRequired;
    after.submittedAt = now;
    return moved(std::move(after), {AuditKind::ContentSubmitted});
}

Move approve(const ContentItem& item, const Verdict& verdict, Instant now)
{
    if (const auto refusal = refusalOf(item, Action::Approve, verdict)) return refused(item, *refusal);
    if (!item.allowSelfApproval && isOwnWork(item, verdict.userId)) return refused(item, Refusal::SelfApproval);
    ContentItem after = item;
    std::vector<AuditKind> events{AuditKind::ContentApproved};
    if (verdict.scheduledFor) after.scheduledFor = verdict.scheduledFor;
    decide(after, verdict, Decision::Approved, now);
    if (static_cast<std::int64_t>(after.approvals.size()) < after.approvalSteps)
    {
        if (after.kind == ContentKind::Post && after.scheduledFor) after.blockedReason = BlockedReason::ApprovalPending;
        return moved(std::move(after), std::move(events));
    }
    after.approvalState = ApprovalState::Approved;
    after.approvedAt = now;
    after.authors = {after.createdBy};
    if (after.kind == ContentKind::Suggestion)
        after.blockedReason = BlockedReason::NoAccount;
    else
        followApproval(after, events, now);
    return moved(std::move(after), std::move(events));
}

Move adopt(const ContentItem& item, Instant now)
{
    if (item.kind != ContentKind::Suggestion || item.approvalState != ApprovalState::Approved) return refused(item, Refusal::NotAllowed);
    ContentItem after = item;
    std::vector<AuditKind> events;
    after.kind = ContentKind::Post;
    after.expiresAt.reset();
    followApproval(after, events, now);
    return moved(std::move(after), std::move(events));
}

Move reject(const ContentItem& item, const Verdict& verdict, Instant now)
{
    if (const auto refusal = refusalOf(item, Action::Reject, verdict)) return refused(item, *refusal);
    ContentItem after = item;
    after.approvalState = ApprovalState::Rejected;
    after.blockedReason.reset();
    after.rejectedAt = now;
    decide(after, verdict, Decision::Rejected, now);
    return moved(std::move(after), {AuditKind::ContentRejected});
}

Move reschedule(const ContentItem& item, Instant time, Instant now)
{
    if (const auto refusal = refusalOf(item, Action::Reschedule)) return refused(item, *refusal);
    ContentItem after = item;
    enqueue(after, time, Trigger::Schedule, now);
    after.lastRescheduledAt = now;
    return moved(std::move(after), {AuditKind::ContentRescheduled});
}

Move retry(const ContentItem& item, bool confirmed, Instant now)
{
    if (const auto refusal = refusalOf(item, Action::Retry)) return refused(item, *refusal);
    if (item.failure && item.failure->code == FailureCode::OutcomeUnknown && !confirmed) return refused(item, Refusal::NotAllowed);
    ContentItem after = item;
    enqueue(after, now, Trigger::Retry, now);
    return moved(std::move(after), {AuditKind::ContentRetryRequested});
}

Move publishNow(const ContentItem& item, Instant now)
{
    if (const auto refusal = refusalOf(item, Action::PublishNow)) return refused(item, *refusal);
    ContentItem after = item;
    const bool waited = item.publishStatus == PublishStatus::Queued;
    enqueue(after, now, Trigger::PublishNow, now);
    if (waited) after.lastRescheduledAt = now;
    return moved(std::move(after), {waited ? AuditKind::ContentRescheduled : AuditKind::ContentScheduled});
}

Move revertToDraft(const ContentItem& item, Instant now)
{
    static_cast<void>(now);
    if (isUnderWay(item)) return refused(item, Refusal::Publishing);
    const bool waits = item.publishStatus == PublishStatus::None && item.scheduledFor;
    if (!allows(item, Action::RevertToDraft) && !waits) return refused(item, Refusal::NotAllowed);
    ContentItem after = item;
    becomeDraft(after);
    if (item.approvalState == ApprovalState::Pending || item.approvalState == ApprovalState::Rejected)
    {
        after.approvalState = ApprovalState::NotSubmitted;
        after.approvals.clear();
    }
    return moved(std::move(after), {AuditKind::ContentRevertedToDraft});
}

Move cancel(const ContentItem& item, Instant now)
{
    if (const auto refusal = refusalOf(item, Action::Cancel)) return refused(item, *refusal);
    ContentItem after = item;
    leaveAttempts(after);
    after.publishStatus = PublishStatus::Cancelled;
    after.blockedReason.reset();
    after.cancelledAt = now;
    return moved(std::move(after), {AuditKind::ContentCancelled});
}

Move markPublished(const ContentItem& item, std::string_view platformUrl, Instant now)
{
    if (const auto refusal = refusalOf(item, Action::MarkPublished)) return refused(item, *refusal);
    auto result = item.result.value_or(PublishResult{});
    if (!platformUrl.empty()) result.platformUrl = platformUrl;
    auto move = succeed(item, std::move(result), now);
    move.events = {AuditKind::ContentMarkedPublished};
    return move;
}

Move remove(const ContentItem& item, Instant now)
{
    if (isUnderWay(item) || item.publishStatus == PublishStatus::Retrying) return refused(item, Refusal::Publishing);
    ContentItem after = item;
    std::vector<AuditKind> events;
    if (item.publishStatus == PublishStatus::Queued)
    {
        after = cancel(item, now).item;
        events.push_back(AuditKind::ContentCancelled);
    }
    after.deletedAt = now;
    events.push_back(AuditKind::ContentDeleted);
    return moved(std::move(after), std::move(events));
}

Move expire(const ContentItem& item, Instant now)
{
    if (item.kind != ContentKind::Suggestion || item.approvalState != ApprovalState::Pending || !item.expiresAt || *item.expiresAt > now)
        return refused(item, Refusal::NotAllowed);
    ContentItem after = item;
    after.approvalState = ApprovalState::Expired;
    after.blockedReason.reset();
    return moved(std::move(after), {AuditKind::ContentExpired});
}

} // namespace portico::social::workflow
