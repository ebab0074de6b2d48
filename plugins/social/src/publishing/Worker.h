#pragma once

#include "publishing/PublicationRun.h"
#include "publishing/SlotChoice.h"

#include "portico/Health.h"
#include "portico/Jobs.h"

#include <atomic>
#include <cstdint>
#include <set>
#include <string>

namespace portico::social
{

/// Publishes due items. A slot is a job that processes one item after the other until none is due. A sweep every ten seconds enqueues
/// slots for upcoming items and updates the heartbeat. Thread-safe; lives as long as its generation of the plugin.
class Worker
{
public:
    static constexpr std::string_view sweepJob = "publish-sweep";

    /// All outlive it.
    Worker(PluginContext& context, const Networks& networks, const Accounts& accounts, const MediaLinks& links, const MediaCopies& copies);

    /// Registers the jobs. To be called in the plugin's `start`.
    void start();
    /// Ends the leases of its slots. Call it in the plugin's `stop`, after all jobs have ended.
    void stop() noexcept;
    /// Fails when no worker of any host has given a sign of life for a minute.
    HealthCheck health() const;
    /// Processes due items one after the other on the calling thread until none is left or the job must end. The job's heartbeat
    /// renews the lease of the item. @return number of processed items
    std::size_t publishDue(const Job& job);
    /// Updates the heartbeat, and enqueues slots for upcoming items.
    void sweep();

private:
    void runSlot(const Job& job);
    bool publishNext(const Job& job, std::set<ContentId>& refused);
    /// Publishes the first item that it can take. @param refused gets those that it cannot
    bool publishFirstOf(const Job& job, std::vector<DueItem> due, std::set<ContentId>& refused);
    void carryOut(const Job& job, const DueItem& item, Lease lease, const std::string& worker);
    std::optional<Lease> take(const DueItem& item, const std::string& worker);
    bool mustWait(const DueItem& item);
    bool hasReadyAccount(Session& session, const DueItem& item) const;
    /// Records that an item waits for its account. @return false if the account has been connected since
    bool waitForAccount(const DueItem& item, Instant until);
    void wait(const DueItem& item, BlockedReason reason, Instant until);
    void startSlots(Transaction& transaction, Instant now);

    PluginContext& _context;
    const Networks& _networks;
    const Accounts& _accounts;
    const Publications _publications;
    const RateBudgets _budgets;
    const PublishingParts _parts;
    const std::size_t _slots;
    /// The same for all generations of this process.
    const std::string _process;
    /// Prefix of the names of the workers of this generation.
    const std::string _generation;
    const std::chrono::steady_clock::time_point _started;
    RunningItems _running;
    std::atomic<std::size_t> _busySlots{0};
    std::atomic<std::uint64_t> _workers{0};
};

} // namespace portico::social
