#pragma once

#include "common/FailureCode.h"
#include "common/Ids.h"
#include "common/Platform.h"
#include "content/States.h"

#include "portico/Table.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace portico::social
{

/// The order of what has no time: after everything that has one.
inline constexpr Instant withoutTime{std::chrono::milliseconds(253'402'300'799'999)};

/// A follow-up post, sent as a reply to the one before.
struct ThreadPart
{
    std::string text;
    std::vector<MediaId> mediaIds;
    bool operator==(const ThreadPart&) const = default;
};
constexpr auto schemaOf(const ThreadPart*)
{
    return describe(field<&ThreadPart::text>().maxLength(100'000), field<&ThreadPart::mediaIds>().maxItems(20));
}

/// A decision of one person about one step.
struct Approval
{
    std::int64_t step = 1;
    std::string userId;
    Decision decision = Decision::Approved;
    Instant at{};
    std::string comment;
    bool operator==(const Approval&) const = default;
};
constexpr auto schemaOf(const Approval*)
{
    return describe(members<&Approval::step, &Approval::userId, &Approval::decision, &Approval::at, &Approval::comment>());
}

/// Reason why the last attempt did not publish. Never contains a secret.
struct Failure
{
    FailureCode code = FailureCode::Internal;
    /// At most 500 characters.
    std::string message;
    /// HTTP status of the network; empty: there was no answer.
    std::optional<std::int64_t> platformStatus;
    std::string platformCode;
    /// Number of the attempt; 0: it failed before one.
    std::int64_t attempt = 0;
    /// The part of the thread, from 0.
    std::optional<std::int64_t> part;
    Instant at{};
    bool retryable = false;
    bool operator==(const Failure&) const = default;
};
constexpr auto schemaOf(const Failure*)
{
    return describe(members<&Failure::code, &Failure::message, &Failure::platformStatus, &Failure::platformCode, &Failure::attempt>(),
                    field<&Failure::part>().omitEmpty().description("The part of the thread that failed, from 0"),
                    members<&Failure::at, &Failure::retryable>());
}

/// One published post of a thread.
struct PublishedPart
{
    std::string platformPostId;
    std::string platformUrl;
    bool operator==(const PublishedPart&) const = default;
};
constexpr auto schemaOf(const PublishedPart*) { return describe(members<&PublishedPart::platformPostId, &PublishedPart::platformUrl>()); }

/// Answer of a network to a publication.
struct PublishResult
{
    std::string platformPostId;
    std::string platformUrl;
    /// Published parts of a thread, including the first one.
    std::vector<PublishedPart> parts;
    bool operator==(const PublishResult&) const = default;
};
constexpr auto schemaOf(const PublishResult*)
{
    return describe(members<&PublishResult::platformPostId, &PublishResult::platformUrl>(), field<&PublishResult::parts>().omitEmpty());
}

enum class SourceKind : std::uint8_t
{
    Manual,
    Suggestion,
    Seed,
    Api,
    Import
};
constexpr auto schemaOf(const SourceKind*)
{
    using enum SourceKind;
    return portico::choices<SourceKind>({{"manual", Manual}, {"suggestion", Suggestion}, {"seed", Seed}, {"api", Api}, {"import", Import}});
}

/// Source of a text.
struct ContentSource
{
    SourceKind kind = SourceKind::Manual;
    std::optional<ContentId> contentId;
    std::optional<SourceItemId> sourceItemId;
    bool operator==(const ContentSource&) const = default;
};
constexpr auto schemaOf(const ContentSource*)
{
    return describe(members<&ContentSource::kind, &ContentSource::contentId, &ContentSource::sourceItemId>());
}

/// The part of an item that is published.
struct PostContent
{
    std::string text;
    std::vector<MediaId> mediaIds;
    std::vector<ThreadPart> thread;
    std::string linkUrl;
    Json settings{"{}"};
    bool operator==(const PostContent&) const = default;
};

/// A suggestion, or a post at one target: what is approved, queued and published. The row; callers see `ItemView`.
struct ContentItem : Versioned, PostContent
{
    ContentId contentId;
    BrandId brandId;
    ContentKind kind = ContentKind::Post;
    std::optional<PostId> postId;
    std::optional<TargetId> targetId;
    std::optional<IntegrationId> integrationId;
    Platform platform = Platform::Bluesky;

    /// By the id of the file.
    std::map<std::string, std::string> altTexts;
    bool valid = true;

    ApprovalState approvalState = ApprovalState::NotRequired;
    /// Approvals that the policy required when the item was last edited or submitted; 0: none.
    std::int64_t approvalSteps = 0;
    bool allowSelfApproval = false;
    /// Since the last content edit.
    std::vector<Approval> approvals;
    /// The creator, and everyone who edited the content since the last approval.
    std::vector<std::string> authors;

    PublishStatus publishStatus = PublishStatus::None;
    std::optional<BlockedReason> blockedReason;
    Trigger nextTrigger = Trigger::Schedule;
    std::optional<Instant> scheduledFor;
    Instant scheduleOrder = withoutTime;

    std::optional<Instant> lastEditedAt, submittedAt, approvedAt, rejectedAt, scheduledAt, lastRescheduledAt, publishStartedAt, publishedAt,
        failedAt, cancelledAt;

    std::optional<Failure> failure;
    std::int64_t automaticAttempts = 0;
    std::int64_t totalAttempts = 0;
    std::optional<Instant> nextAttemptAt;
    std::optional<PublishResult> result;

    ContentSource source;
    std::optional<Instant> sourceObservedAt;
    Generator generator = Generator::None;
    std::optional<Instant> expiresAt;
    std::int64_t revision = 1;
    std::string createdBy;

    std::string queueState;
    std::optional<Instant> dueAt;
    std::optional<Instant> leasedUntil;
    std::string leasedBy;
    std::optional<Instant> verifyingSince;
    std::int64_t looks = 0;
    /// JSON in the form of the worker.
    std::optional<std::string> progress;
    std::optional<Instant> deletedAt;

    bool operator==(const ContentItem&) const = default;
};

constexpr auto schemaOf(const ContentItem*)
{
    using I = ContentItem;
    return describe(
        field<&I::contentId>().column("id"),
        members<&I::brandId, &I::kind, &I::postId, &I::targetId, &I::integrationId, &I::platform, &I::text, &I::mediaIds, &I::altTexts,
                &I::thread, &I::linkUrl, &I::settings, &I::valid, &I::approvalState, &I::approvalSteps, &I::allowSelfApproval,
                &I::approvals, &I::authors, &I::publishStatus, &I::blockedReason, &I::nextTrigger, &I::scheduledFor, &I::scheduleOrder,
                &I::lastEditedAt, &I::submittedAt, &I::approvedAt, &I::rejectedAt, &I::scheduledAt, &I::lastRescheduledAt,
                &I::publishStartedAt, &I::publishedAt, &I::failedAt, &I::cancelledAt, &I::failure, &I::automaticAttempts, &I::totalAttempts,
                &I::nextAttemptAt, &I::result, &I::source, &I::sourceObservedAt, &I::generator, &I::expiresAt, &I::revision, &I::createdBy,
                &I::queueState, &I::dueAt, &I::leasedUntil, &I::leasedBy, &I::verifyingSince, &I::looks, &I::progress, &I::deletedAt>(),
        versioned<I>());
}

/// Items that are not deleted.
inline constexpr Table itemTable{"content_item", {.where = "deleted_at IS NULL"}, &ContentItem::brandId, &ContentItem::contentId};

} // namespace portico::social
