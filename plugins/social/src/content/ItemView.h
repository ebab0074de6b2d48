#pragma once

#include "audit/AuditEvent.h"
#include "content/ContentItem.h"
#include "content/PublishAttempt.h"
#include "content/SafeActions.h"

#include "portico/Caller.h"

namespace portico::social
{

/// When something happened to an item.
struct ItemTimestamps
{
    Instant createdAt{};
    std::optional<Instant> lastEditedAt, submittedAt, approvedAt, rejectedAt, scheduledAt, lastRescheduledAt, publishStartedAt, publishedAt,
        failedAt, cancelledAt;
};
constexpr auto schemaOf(const ItemTimestamps*)
{
    using T = ItemTimestamps;
    return describe(field("createdAt", &T::createdAt), field("lastEditedAt", &T::lastEditedAt), field("submittedAt", &T::submittedAt),
                    field("approvedAt", &T::approvedAt), field("rejectedAt", &T::rejectedAt),
                    field("scheduledAt", &T::scheduledAt).description("The first time that the item entered the queue"),
                    field("lastRescheduledAt", &T::lastRescheduledAt), field("publishStartedAt", &T::publishStartedAt),
                    field("publishedAt", &T::publishedAt), field("failedAt", &T::failedAt), field("cancelledAt", &T::cancelledAt));
}

struct AttemptCounts
{
    /// Automatic retries since the last start by time or by a person.
    std::int64_t automatic = 0;
    std::int64_t total = 0;
    std::optional<Instant> nextAttemptAt;
};
constexpr auto schemaOf(const AttemptCounts*)
{
    return describe(field("automatic", &AttemptCounts::automatic), field("total", &AttemptCounts::total),
                    field("nextAttemptAt", &AttemptCounts::nextAttemptAt));
}

/// An item as a caller sees it. Members that no PATCH changes are accepted there and ignored.
struct ItemView : Versioned
{
    ContentId contentId;
    BrandId brandId;
    ContentKind kind = ContentKind::Post;
    std::optional<PostId> postId;
    std::optional<TargetId> targetId;
    std::optional<IntegrationId> integrationId;
    Platform platform = Platform::Bluesky;
    std::string text;
    std::vector<MediaId> mediaIds;
    std::map<std::string, std::string> altTexts;
    std::vector<ThreadPart> thread;
    std::string linkUrl;
    Json settings{"{}"};
    ApprovalState approvalState = ApprovalState::NotRequired;
    PublishStatus publishStatus = PublishStatus::None;
    std::optional<BlockedReason> blockedReason;
    std::optional<Instant> scheduledFor;
    /// Of a request: `next`.
    std::optional<std::string> slot;
    ItemTimestamps timestamps;
    std::vector<Approval> approvals;
    std::int64_t approvalSteps = 0;
    std::optional<Failure> failure;
    AttemptCounts attempts;
    std::optional<PublishResult> result;
    ContentSource source;
    Generator generator = Generator::None;
    std::optional<Instant> expiresAt;
    std::vector<SafeAction> safeActions;
    std::int64_t revision = 1;
    std::string createdBy;
    std::optional<std::vector<PublishAttempt>> attemptList;
    std::optional<std::vector<AuditEvent>> events;
};

bool isNextSlot(std::string_view text);

constexpr auto schemaOf(const ItemView*)
{
    using I = ItemView;
    return describe(
        field("contentId", &I::contentId).readOnly(), field("brandId", &I::brandId).readOnly(), field("kind", &I::kind).readOnly(),
        field("postId", &I::postId).readOnly(), field("targetId", &I::targetId).readOnly(), field("integrationId", &I::integrationId),
        field("platform", &I::platform).readOnly(), field("text", &I::text).maxLength(100'000),
        field("mediaIds", &I::mediaIds).maxItems(20), field("altTexts", &I::altTexts).description("By the id of the file"),
        field("thread", &I::thread).readOnly(), field("linkUrl", &I::linkUrl).maxLength(2000), field("settings", &I::settings),
        field("approvalState", &I::approvalState).readOnly(), field("publishStatus", &I::publishStatus).readOnly(),
        field("blockedReason", &I::blockedReason).readOnly(), field("scheduledFor", &I::scheduledFor),
        field("slot", &I::slot).writeOnly().matches(isNextSlot, "invalid_slot", "next"), field("timestamps", &I::timestamps).readOnly(),
        field("approvals", &I::approvals).readOnly(),
        field("approvalSteps", &I::approvalSteps).readOnly().description("Approvals that the item needs; 0: none"),
        field("failure", &I::failure).readOnly(), field("attempts", &I::attempts).readOnly(), field("result", &I::result).readOnly(),
        field("source", &I::source).readOnly(), field("generator", &I::generator).readOnly(), field("expiresAt", &I::expiresAt).readOnly(),
        field("safeActions", &I::safeActions).readOnly(), field("revision", &I::revision).readOnly(),
        field("createdBy", &I::createdBy).readOnly(),
        field("attemptList", &I::attemptList).readOnly().omitEmpty().description("With include=attempts"),
        field("events", &I::events).readOnly().omitEmpty().description("With include=events"), versioned<I>());
}

ItemView viewOf(const ContentItem& item, const Rights& rights);
Rights rightsOf(const Caller& caller);

} // namespace portico::social
