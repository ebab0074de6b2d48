#include "content/Workflow.h"

namespace portico::social::workflow
{

namespace
{
Move notNow(const ContentItem& item) { return {item, {}, Refusal::NotAllowed}; }

Move attempted(ContentItem item, std::vector<AuditKind> events) { return {settled(std::move(item)), std::move(events), std::nullopt}; }

bool isOut(const ContentItem& item)
{
    return item.publishStatus == PublishStatus::Publishing || item.publishStatus == PublishStatus::Verifying;
}

Failure failureOf(FailureCode code, std::string message, std::int64_t attempt, bool retryable)
{
    Failure failure;
    failure.code = code;
    failure.message = std::move(message);
    failure.attempt = attempt;
    failure.retryable = retryable;
    return failure;
}

void endLease(ContentItem& item)
{
    item.leasedUntil.reset();
    item.leasedBy.clear();
}

void becomeFailed(ContentItem& item, Failure failure, Instant now)
{
    endLease(item);
    item.publishStatus = PublishStatus::Failed;
    item.blockedReason.reset();
    item.nextAttemptAt.reset();
    item.verifyingSince.reset();
    item.looks = 0;
    failure.at = now;
    item.failure = std::move(failure);
    item.failedAt = now;
}
} // namespace

Move begin(const ContentItem& item, std::chrono::minutes grace, Instant now)
{
    const bool queued = item.publishStatus == PublishStatus::Queued;
    if (!item.dueAt || *item.dueAt > now || (!queued && item.publishStatus != PublishStatus::Retrying)) return notNow(item);
    ContentItem after = item;
    if (queued && now - item.scheduledFor.value_or(now) > grace)
    {
        becomeFailed(after,
                     failureOf(FailureCode::MissedSchedule,
                               "The time of the post passed more than " + std::to_string(grace.count()) + " minutes ago.", 0, true),
                     now);
        return attempted(std::move(after), {AuditKind::ContentPublishFailed});
    }
    after.publishStatus = PublishStatus::Publishing;
    after.blockedReason.reset();
    after.nextAttemptAt.reset();
    after.publishStartedAt = now;
    ++after.totalAttempts;
    return attempted(std::move(after), {AuditKind::ContentPublishStarted});
}

Move succeed(const ContentItem& item, PublishResult result, Instant now)
{
    ContentItem after = item;
    const bool verified = item.publishStatus == PublishStatus::Verifying;
    endLease(after);
    after.publishStatus = PublishStatus::Published;
    after.blockedReason.reset();
    after.nextAttemptAt.reset();
    after.verifyingSince.reset();
    after.looks = 0;
    after.failure.reset();
    after.result = std::move(result);
    after.publishedAt = now;
    return attempted(std::move(after), {verified ? AuditKind::ContentOutcomeVerified : AuditKind::ContentPublishSucceeded});
}

Move setBack(const ContentItem& item, Setback setback, Instant now)
{
    if (!isOut(item)) return notNow(item);
    ContentItem after = item;
    if (setback.usesAttempt && after.automaticAttempts >= static_cast<std::int64_t>(retryWaits.size())) setback.nextAttemptAt.reset();
    if (!setback.nextAttemptAt)
    {
        becomeFailed(after, std::move(setback.failure), now);
        return attempted(std::move(after), {AuditKind::ContentPublishFailed});
    }
    endLease(after);
    setback.failure.at = now;
    after.failure = std::move(setback.failure);
    after.publishStatus = PublishStatus::Retrying;
    after.nextAttemptAt = setback.nextAttemptAt;
    after.verifyingSince.reset();
    after.looks = 0;
    if (setback.usesAttempt) ++after.automaticAttempts;
    return attempted(std::move(after), {AuditKind::ContentPublishRetryScheduled});
}

Move loseTrack(const ContentItem& item, Instant now)
{
    if (item.publishStatus != PublishStatus::Publishing) return notNow(item);
    ContentItem after = item;
    endLease(after);
    after.publishStatus = PublishStatus::Verifying;
    after.verifyingSince = now;
    after.looks = 0;
    after.nextAttemptAt = now + lookWaits.front();
    return attempted(std::move(after), {});
}

Move lookInVain(const ContentItem& item, Instant now)
{
    if (item.publishStatus != PublishStatus::Verifying) return notNow(item);
    ContentItem after = item;
    ++after.looks;
    endLease(after);
    if (after.looks < static_cast<std::int64_t>(lookWaits.size()))
    {
        // The waits count from the moment at which the outcome became unknown.
        after.nextAttemptAt = item.verifyingSince.value_or(now) + lookWaits[static_cast<std::size_t>(after.looks)];
        return attempted(std::move(after), {});
    }
    after.publishStatus = PublishStatus::Retrying;
    after.nextAttemptAt = now;
    after.verifyingSince.reset();
    after.looks = 0;
    return attempted(std::move(after), {AuditKind::ContentPublishRetryScheduled});
}

Move stayUnsure(const ContentItem& item, Instant nextLook, Instant now)
{
    if (item.publishStatus != PublishStatus::Verifying) return notNow(item);
    ContentItem after = item;
    if (now - item.verifyingSince.value_or(now) >= longestVerification)
    {
        becomeFailed(after,
                     failureOf(FailureCode::OutcomeUnknown, "The network did not respond, so it is unknown whether the post was published.",
                               item.totalAttempts, false),
                     now);
        return attempted(std::move(after), {AuditKind::ContentPublishFailed});
    }
    endLease(after);
    after.nextAttemptAt = nextLook;
    return attempted(std::move(after), {});
}

Move wait(const ContentItem& item, BlockedReason reason, Instant until)
{
    if (item.publishStatus != PublishStatus::Queued) return notNow(item);
    ContentItem after = item;
    after.blockedReason = reason;
    after.nextAttemptAt = until;
    return attempted(std::move(after), {});
}

Move loseAccount(const ContentItem& item, Instant now)
{
    if (item.publishStatus != PublishStatus::Queued && item.publishStatus != PublishStatus::Retrying) return notNow(item);
    ContentItem after = item;
    becomeFailed(after, failureOf(FailureCode::ReconnectRequired, "The account was disconnected.", item.totalAttempts, false), now);
    return attempted(std::move(after), {AuditKind::ContentPublishFailed});
}

} // namespace portico::social::workflow
