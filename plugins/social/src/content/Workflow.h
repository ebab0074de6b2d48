#pragma once

#include "audit/AuditEvent.h"
#include "brands/Brand.h"
#include "content/ContentItem.h"

#include <array>
#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

namespace portico::social
{

/// Why a move is not made.
enum class Refusal : std::uint8_t
{
    /// 409 `action_not_allowed`: the state does not have this action.
    NotAllowed,
    /// 409 `conflict`: an attempt to publish is under way.
    Publishing,
    /// 403 `self_approval`.
    SelfApproval,
    /// 409 `revision_changed`.
    RevisionChanged
};

/// An item after a move, with its audit events in order. After a rejected move the item is unchanged and there are no events.
struct Move
{
    ContentItem item;
    std::vector<AuditKind> events;
    std::optional<Refusal> refusal;
};

/// Decision of an approver.
struct Verdict
{
    std::string_view userId;
    std::string_view comment;
    /// Revision that the approver has seen; empty: the current one.
    std::optional<std::int64_t> revision;
    /// Replaces the item's time.
    std::optional<Instant> scheduledFor;
};

/// How an attempt ended without publishing.
struct Setback
{
    Failure failure;
    /// Time of the next attempt; empty: none.
    std::optional<Instant> nextAttemptAt;
    /// False for a wait that the network asked for.
    bool usesAttempt = true;
};

/// The two state machines of an item (2.A.3): approval and publishing. Pure functions from an item to the next one; no clock, no database.
namespace workflow
{
/// Retries after the first attempt, and the waits before them.
inline constexpr std::array<std::chrono::seconds, 5> retryWaits{std::chrono::seconds(30), std::chrono::minutes(2), std::chrono::minutes(10),
                                                                std::chrono::minutes(30), std::chrono::hours(2)};
/// Waits before each look-up. After the last one without a result, an item counts as absent.
inline constexpr std::array<std::chrono::seconds, 3> lookWaits{std::chrono::seconds(0), std::chrono::seconds(60),
                                                               std::chrono::seconds(300)};
/// How long an outcome may stay unknown.
inline constexpr std::chrono::minutes longestVerification{15};

/// Fills in what follows from the state: `queueState`, `dueAt`, `scheduleOrder`.
ContentItem settled(ContentItem item);

/// How long a suggestion waits for its approval.
inline constexpr std::chrono::hours suggestionLife{7 * 24};

// Moves by people.
// A new item of a post, with its content, creator and creation time filled in. A time schedules it.
Move create(ContentItem item, const ApprovalPolicy& policy, std::optional<Instant> time, Instant now);
/// A new suggestion, with its content, creator and creation time filled in.
Move suggest(ContentItem item, const ApprovalPolicy& policy, Instant now);
/// `after` is `before` with other content. The revision increases, approvals are void, and a scheduled item waits for approval again.
/// The progress of publishing is kept: the worker drops it if it opens another account of the network.
Move edit(const ContentItem& before, ContentItem after, const ApprovalPolicy& policy, std::string_view userId, Instant now);
/// Schedules a draft, or reschedules a waiting item.
Move schedule(const ContentItem& item, const ApprovalPolicy& policy, Instant time, Instant now);
Move submit(const ContentItem& item, const ApprovalPolicy& policy, Instant now);
Move approve(const ContentItem& item, const Verdict& verdict, Instant now);
Move reject(const ContentItem& item, const Verdict& verdict, Instant now);
Move reschedule(const ContentItem& item, Instant time, Instant now);
/// @param confirmed the person knows that the post may be out already
Move retry(const ContentItem& item, bool confirmed, Instant now);
Move publishNow(const ContentItem& item, Instant now);
Move revertToDraft(const ContentItem& item, Instant now);
Move cancel(const ContentItem& item, Instant now);
Move markPublished(const ContentItem& item, std::string_view platformUrl, Instant now);
Move remove(const ContentItem& item, Instant now);
/// An approved suggestion becomes an item of a post; `item` has its post, target and account by now.
Move adopt(const ContentItem& item, Instant now);

// Moves by time and by the worker.
Move expire(const ContentItem& item, Instant now);
/// Begins an attempt, or fails a queued item that is later than the grace time.
Move begin(const ContentItem& item, std::chrono::minutes grace, Instant now);
Move succeed(const ContentItem& item, PublishResult result, Instant now);
/// Ends an attempt: `retrying` with a next attempt, else `failed`.
Move setBack(const ContentItem& item, Setback setback, Instant now);
/// The outcome of an attempt is unknown: the network is asked.
Move loseTrack(const ContentItem& item, Instant now);
/// The network does not have the post. After three look-ups it is sent again.
Move lookInVain(const ContentItem& item, Instant now);
/// The network could not be asked, or its answer does not decide. After `longestVerification` a person must decide.
Move stayUnsure(const ContentItem& item, Instant nextLook, Instant now);
/// A queued item waits for a reason other than its time; `until` is when the worker looks again.
Move wait(const ContentItem& item, BlockedReason reason, Instant until);
/// The account of a waiting item was disconnected.
Move loseAccount(const ContentItem& item, Instant now);
} // namespace workflow

} // namespace portico::social
