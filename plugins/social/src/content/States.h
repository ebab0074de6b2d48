#pragma once

#include "portico/Schema.h"

#include <cstdint>

namespace portico::social
{

/// Kind of a content item: a suggestion, or a post at one of its targets.
enum class ContentKind : std::uint8_t
{
    Suggestion,
    Post
};
constexpr auto schemaOf(const ContentKind*)
{
    return portico::choices<ContentKind>({{"suggestion", ContentKind::Suggestion}, {"post", ContentKind::Post}});
}

enum class ApprovalState : std::uint8_t
{
    NotRequired,
    NotSubmitted,
    Pending,
    Approved,
    Rejected,
    Expired
};
constexpr auto schemaOf(const ApprovalState*)
{
    using enum ApprovalState;
    return portico::choices<ApprovalState>({{"not_required", NotRequired},
                                            {"not_submitted", NotSubmitted},
                                            {"pending", Pending},
                                            {"approved", Approved},
                                            {"rejected", Rejected},
                                            {"expired", Expired}});
}

enum class PublishStatus : std::uint8_t
{
    None,
    Queued,
    Publishing,
    Retrying,
    Verifying,
    Published,
    Failed,
    Cancelled
};
constexpr auto schemaOf(const PublishStatus*)
{
    using enum PublishStatus;
    return portico::choices<PublishStatus>({{"none", None},
                                            {"queued", Queued},
                                            {"publishing", Publishing},
                                            {"retrying", Retrying},
                                            {"verifying", Verifying},
                                            {"published", Published},
                                            {"failed", Failed},
                                            {"cancelled", Cancelled}});
}

/// Follows from the items of a post: `postStatusOf`.
enum class PostStatus : std::uint8_t
{
    Draft,
    PendingApproval,
    Scheduled,
    Publishing,
    Published,
    PartiallyPublished,
    Failed,
    Cancelled
};
constexpr auto schemaOf(const PostStatus*)
{
    using enum PostStatus;
    return portico::choices<PostStatus>({{"draft", Draft},
                                         {"pending_approval", PendingApproval},
                                         {"scheduled", Scheduled},
                                         {"publishing", Publishing},
                                         {"published", Published},
                                         {"partially_published", PartiallyPublished},
                                         {"failed", Failed},
                                         {"cancelled", Cancelled}});
}

/// Why an item waits although it has a time or an approval.
enum class BlockedReason : std::uint8_t
{
    ApprovalPending,
    SchedulePassed,
    NoAccount,
    ReconnectRequired,
    PlatformNotReady,
    RateLimited
};
constexpr auto schemaOf(const BlockedReason*)
{
    using enum BlockedReason;
    return portico::choices<BlockedReason>({{"approval_pending", ApprovalPending},
                                            {"schedule_passed", SchedulePassed},
                                            {"no_account", NoAccount},
                                            {"reconnect_required", ReconnectRequired},
                                            {"platform_not_ready", PlatformNotReady},
                                            {"rate_limited", RateLimited}});
}

enum class Decision : std::uint8_t
{
    Approved,
    Rejected
};
constexpr auto schemaOf(const Decision*)
{
    return portico::choices<Decision>({{"approved", Decision::Approved}, {"rejected", Decision::Rejected}});
}

/// Author of an item's text.
enum class Generator : std::uint8_t
{
    None,
    Model,
    Template
};
constexpr auto schemaOf(const Generator*)
{
    return portico::choices<Generator>({{"none", Generator::None}, {"model", Generator::Model}, {"template", Generator::Template}});
}

/// Why an attempt to publish was made.
enum class Trigger : std::uint8_t
{
    Schedule,
    Retry,
    PublishNow,
    Reconcile
};
constexpr auto schemaOf(const Trigger*)
{
    using enum Trigger;
    return portico::choices<Trigger>({{"schedule", Schedule}, {"retry", Retry}, {"publish_now", PublishNow}, {"reconcile", Reconcile}});
}

enum class AttemptOutcome : std::uint8_t
{
    Running,
    Published,
    WillRetry,
    Failed,
    /// The request may have arrived and no answer came.
    Unknown
};
constexpr auto schemaOf(const AttemptOutcome*)
{
    using enum AttemptOutcome;
    return portico::choices<AttemptOutcome>(
        {{"running", Running}, {"published", Published}, {"will_retry", WillRetry}, {"failed", Failed}, {"unknown", Unknown}});
}

} // namespace portico::social
