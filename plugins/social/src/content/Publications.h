#pragma once

#include "content/BrandContent.h"
#include "content/PublishAttempt.h"

#include "portico/Flight.h"
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

/// An item that the worker has leased.
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

/// State changes of items by the worker. Each function is the work of one transaction and keeps item, attempt, post status, audit trail and
/// events consistent. A function that needs the lease returns false, and changes nothing, if the worker has lost it (it expired and another
/// worker leased the item, or a user deleted the post). The caller commits. Thread-safe.
class Publications
{
public:
    /// Type of the jobs in which the worker publishes due items. A change that makes an item due soon enqueues one.
    static constexpr std::string_view slotJob = "publish";
    /// A sweep every twenty seconds starts slots for items that become due within this time.
    static constexpr std::chrono::seconds lookAhead{25};
    /// Slot jobs that are enqueued for the items of one millisecond.
    static constexpr std::size_t maxJobsAtOneTime = 16;

    explicit Publications(PluginContext& context) : _context(context) {}

    /// Items that are due at `now`, oldest first, by index.
    std::vector<DueItem> due(Session& session, Instant now, std::int64_t most) const;
    /// Items that should have been looked at `late` ago, for metrics and readiness.
    std::int64_t overdue(Session& session, Instant now, std::chrono::seconds late) const;

    /// Leases a due item to a worker. Begins an attempt if the item was queued or retrying. A queued item that is later than the brand's
    /// grace time fails with `missed_schedule`. Returns none if the item is no longer due, another worker has it, or another item of the
    /// same account is being published.
    std::optional<Lease> take(Transaction& transaction, Tenant tenant, const BrandId& brand, const ContentId& item, std::string_view worker,
                              std::chrono::seconds lease) const;
    /// Ends all leases of workers whose names do not begin with `process`. For a database that no other process writes.
    void endOtherLeases(Transaction& transaction, std::string_view process) const;
    bool renew(Transaction& transaction, const Held& held, std::chrono::seconds lease) const;
    /// Ends the lease: another worker may take the item now.
    bool giveBack(Transaction& transaction, const Held& held) const;
    /// Ends the leases of stopped workers whose names begin with `workers`.
    void giveBackAll(Transaction& transaction, std::string_view workers) const;
    /// Stores the steps of the publication and their results: JSON in the worker's form. They stay for later attempts of the same revision.
    bool saveProgress(Transaction& transaction, const Held& held, std::string_view json) const;
    /// Stores the steps and renews the lease, before a step is sent. @return 1, or 0 if the worker has lost the lease; ask after the commit
    InFlight<std::int64_t> beginStep(Transaction& transaction, const Held& held, std::chrono::seconds lease, std::string_view json) const;

    bool succeed(Transaction& transaction, const Held& held, PublishResult result, const AttemptEnd& end) const;
    /// Ends the attempt with `retrying` or `failed`, see `Setback`. For a thread, `partial` contains the published parts.
    bool setBack(Transaction& transaction, const Held& held, Setback setback, const AttemptEnd& end,
                 std::optional<PublishResult> partial = {}) const;
    /// The request may have arrived: `verifying`.
    bool loseTrack(Transaction& transaction, const Held& held, const AttemptEnd& end) const;
    /// After a look: the network has the post.
    bool found(Transaction& transaction, const Held& held, PublishResult result) const;
    /// Records a look-up in which the network did not have the post. After the third one the item is sent again.
    bool absent(Transaction& transaction, const Held& held) const;
    /// Records an inconclusive look-up: repeats it at a time, or fails with `outcome_unknown` after 15 minutes.
    bool unsure(Transaction& transaction, const Held& held, Instant nextLook) const;
    /// Records why a queued item that is not leased waits beyond its time. False if it is no longer queued.
    bool wait(Transaction& transaction, Tenant tenant, const BrandId& brand, const ContentId& item, BlockedReason reason,
              Instant until) const;

    /// Returns the time of the next automatic attempt, with a jitter of a fifth; empty: all retries are used.
    /// @param jitter from -1 to 1
    static std::optional<Instant> nextAttempt(const ContentItem& item, Instant now, double jitter);

    /// Fails what waits for an account that was disconnected. Called in the transaction that disconnects it.
    void loseAccount(Transaction& transaction, Tenant tenant, const BrandId& brand, const IntegrationId& account, const Doer& doer) const;
    /// Makes items due that wait for an account to be connected again. Called in the transaction that connects it.
    void wakeAccount(Transaction& transaction, Tenant tenant, const BrandId& brand, const IntegrationId& account) const;
    /// Returns true if an item of a brand is publishing, retrying or verifying.
    static bool isPublishing(Session& session, Tenant tenant, const BrandId& brand);

private:
    template <class F>
    bool held(Transaction& transaction, const Held& held, const F& work) const;
    bool finish(Transaction& transaction, const Held& held, const Move& move, const AttemptEnd& end, AttemptOutcome outcome) const;

    PluginContext& _context;
};

} // namespace portico::social
