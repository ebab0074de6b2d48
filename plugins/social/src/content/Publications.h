#pragma once

#include "content/BrandContent.h"
#include "content/PublishAttempt.h"

#include "portico/Plugin.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::social
{

/// An item that the worker has to look at, of any organization.
struct DueItem
{
    std::string organization;
    BrandId brandId;
    ContentId contentId;
    std::optional<IntegrationId> integrationId;
    Platform platform = Platform::Bluesky;
    PublishStatus publishStatus = PublishStatus::None;
    Instant dueAt{};
    Instant scheduledFor{};
};

/// What the worker took over.
struct Lease
{
    enum class Work : std::uint8_t
    {
        /// A new attempt.
        Publish,
        /// The attempt of a worker that vanished: its last step may have taken effect.
        Resume,
        /// Ask the network whether the attempt took effect.
        Verify
    };
    Work work = Work::Publish;
    ContentItem item;
    PublishAttempt attempt;
    Brand brand;
};

/// How an attempt ended, for its row.
struct AttemptEnd
{
    std::optional<std::int64_t> httpStatus;
    std::string platformCode;
    std::string message;
    std::string requestDigest;
};

/// Names an item and the worker that holds its lease.
struct Held
{
    Tenant tenant;
    BrandId brandId;
    ContentId contentId;
    /// Unique among all workers of all hosts.
    std::string worker;
};

/// What the worker does to items: each function is one transaction's worth of work and leaves item, attempt, post status, audit trail and
/// events in line with each other. A function that needs the lease returns false, and changes nothing, when the worker no longer has it
/// (the lease ran out and another worker took the item, or a person deleted the post). The caller commits. Thread-safe.
class Publications
{
public:
    /// Type of the jobs in which the worker publishes what is due. A change that makes an item due soon enqueues one.
    static constexpr std::string_view slotJob = "publish";
    /// How far ahead the worker looks for due items by itself, at least every ten seconds.
    static constexpr std::chrono::seconds lookAhead{15};

    explicit Publications(PluginContext& context) : _context(context) {}

    /// Items that are due at `now`, oldest first, by index.
    std::vector<DueItem> due(Session& session, Instant now, std::int64_t most) const;
    /// Items that should have been looked at `late` ago, for metrics and readiness.
    std::int64_t overdue(Session& session, Instant now, std::chrono::seconds late) const;

    /// Takes a due item for `lease`. Begins an attempt where the item was queued or retrying; a queued item that is later than the brand's
    /// grace time fails with `missed_schedule` here. Empty: nothing to do now (not due any more, another worker has it, or another item of
    /// the same account is being published).
    std::optional<Lease> take(Transaction& transaction, Tenant tenant, const BrandId& brand, const ContentId& item, std::string_view worker,
                              std::chrono::seconds lease) const;
    /// Ends all leases of workers whose names do not begin with `process`: for a database that no other process writes.
    void endOtherLeases(Transaction& transaction, std::string_view process) const;
    bool renew(Transaction& transaction, const Held& held, std::chrono::seconds lease) const;
    /// Ends the lease: another worker may take the item now.
    bool giveBack(Transaction& transaction, const Held& held) const;
    /// Ends the leases of all workers whose names begin with `workers`: they have stopped.
    void giveBackAll(Transaction& transaction, std::string_view workers) const;
    /// Stores the steps of the publication and their results: JSON in the worker's form. They stay for later attempts of the same revision.
    bool saveProgress(Transaction& transaction, const Held& held, std::string_view json) const;

    bool succeed(Transaction& transaction, const Held& held, PublishResult result, const AttemptEnd& end) const;
    /// Ends the attempt with `retrying` or `failed`, see `Setback`. A thread keeps what is out in `partial`.
    bool setBack(Transaction& transaction, const Held& held, Setback setback, const AttemptEnd& end,
                 std::optional<PublishResult> partial = {}) const;
    /// The request may have arrived: `verifying`.
    bool loseTrack(Transaction& transaction, const Held& held, const AttemptEnd& end) const;
    /// After a look: the network has the post.
    bool found(Transaction& transaction, const Held& held, PublishResult result) const;
    /// After a look: the network does not have it. The third time the item is sent again.
    bool absent(Transaction& transaction, const Held& held) const;
    /// After a look that decided nothing: look again then, or `failed` with `outcome_unknown` after 15 minutes.
    bool unsure(Transaction& transaction, const Held& held, Instant nextLook) const;
    /// A queued item that nobody has taken waits for another reason than its time. False when it is not queued any more.
    bool wait(Transaction& transaction, Tenant tenant, const BrandId& brand, const ContentId& item, BlockedReason reason,
              Instant until) const;

    /// When the next automatic attempt is made, with a jitter of a fifth; empty: all retries are used.
    /// @param jitter from -1 to 1
    static std::optional<Instant> nextAttempt(const ContentItem& item, Instant now, double jitter);

    /// Fails what waits for an account that was disconnected. Called in the transaction that disconnects it.
    void loseAccount(Transaction& transaction, Tenant tenant, const BrandId& brand, const IntegrationId& account, const Doer& doer) const;
    /// Lets items that wait for an account to be connected again be looked at now.
    void wakeAccount(Transaction& transaction, Tenant tenant, const BrandId& brand, const IntegrationId& account) const;
    /// Whether an item of a brand is publishing, retrying or verifying.
    static bool isPublishing(Session& session, Tenant tenant, const BrandId& brand);

private:
    template <class F>
    bool held(Transaction& transaction, const Held& held, const F& work) const;
    bool finish(Transaction& transaction, const Held& held, const Move& move, const AttemptEnd& end, AttemptOutcome outcome) const;

    PluginContext& _context;
};

} // namespace portico::social
