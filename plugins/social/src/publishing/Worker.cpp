#include "publishing/Worker.h"

#include "portico/Crypto.h"

#include <algorithm>
#include <cstring>
#include <map>

namespace portico::social
{

namespace
{
constexpr std::chrono::seconds sweepInterval{20};
constexpr std::chrono::seconds longestSilence{60};
constexpr std::int64_t maxDue = 500;
/// Wait of an item that needs a change by an operator or a user.
constexpr std::chrono::minutes longWait{15};

/// Returns a number that is unique among all processes, also after a restart.
std::string processName(std::atomic<std::uint64_t>& counter)
{
    std::uint64_t random = 0;
    const auto bytes = randomBytes(sizeof random);
    std::memcpy(&random, bytes.data(), sizeof random);
    std::uint64_t known = 0;
    if (counter.compare_exchange_strong(known, random | 1)) known = random | 1;
    return std::to_string(known);
}
} // namespace

Worker::Worker(PluginContext& context, const Networks& networks, const Accounts& accounts, const MediaLinks& links,
               const MediaCopies& copies)
    : _context(context),
      _networks(networks),
      _accounts(accounts),
      _publications(context),
      _budgets(context.state(), context.clock()),
      _parts{context, networks, accounts, _publications, _budgets, links, copies},
      _slots(static_cast<std::size_t>(context.config().integer("social.publish.slots"))),
      _process(processName(context.hostCounter("publishing-process"))),
      _generation(_process + "." + std::to_string(++context.hostCounter("publishing-generation")) + "."),
      _started(context.clock().steady())
{
}

void Worker::start()
{
    auto& jobs = _context.jobs();
    jobs.handle(Publications::slotJob, &Worker::runSlot, this);
    jobs.waitsForServers(Publications::slotJob);
    jobs.handle(sweepJob, [this](const Job&) { sweep(); });
    jobs.every(sweepJob, sweepInterval);
    if (_context.database().dialect() != Dialect::SQLite) return;
    // No other process writes to this database, so leases of earlier processes are void.
    _context.database().transact([&](Transaction& transaction) { _publications.endOtherLeases(transaction, _process + "."); });
}

void Worker::stop() noexcept
{
    try
    {
        _context.database().transact([&](Transaction& transaction) { _publications.giveBackAll(transaction, _generation); });
    }
    catch (const std::exception& error)
    {
        _context.logger().warning("leases of posts could not be given back", {{"error", error.what()}});
    }
}

HealthCheck Worker::health() const
{
    HealthCheck check{.name = "publishing", .detail = "the worker gives signs of life"};
    if (_context.clock().steady() - _started < longestSilence) return check;
    auto session = _context.database().session();
    const auto at = session.value<Instant>("SELECT at FROM publishing_heartbeat WHERE id = 1");
    check.healthy = at && _context.clock().now() - *at < longestSilence;
    if (!check.healthy) check.detail = "the worker has given no sign of life for a minute";
    return check;
}

void Worker::sweep()
{
    const auto now = _context.clock().now();
    std::int64_t overdue = 0;
    _context.database().transact(
        [&](Transaction& transaction)
        {
            transaction.execute("INSERT INTO publishing_heartbeat (id, at) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET at = excluded.at",
                                now);
            overdue = _publications.overdue(transaction, now, longestSilence);
            startSlots(transaction, now);
        });
    _context.metrics().gauge("publishing_overdue", static_cast<double>(overdue));
}

void Worker::startSlots(Transaction& transaction, Instant now)
{
    // Slots by the second at which they are needed; 0: now.
    std::map<std::int64_t, std::pair<Instant, std::size_t>> needed;
    for (const auto& item : _publications.due(transaction, now + Publications::lookAhead, maxDue))
    {
        const auto at = std::max(item.dueAt, now);
        const auto second = at == now ? 0 : toMillis(at) / 1000;
        auto& [first, count] = needed.try_emplace(second, at, 0).first->second;
        first = std::min(first, at);
        ++count;
    }
    for (const auto& [second, slots] : needed)
        for (std::size_t i = 0; i < std::min(slots.second, 2 * _slots); ++i)
            _context.jobs().enqueue(
                transaction, Publications::slotJob,
                JobOptions{.dedupeKey = "publish:" + std::to_string(second) + ":" + std::to_string(i), .dueAt = slots.first});
}

void Worker::runSlot(const Job& job)
{
    struct Busy
    {
        explicit Busy(std::atomic<std::size_t>& counted) : count(counted), number(counted.fetch_add(1)) {}
        ~Busy() { count.fetch_sub(1); }
        std::atomic<std::size_t>& count;
        const std::size_t number;
    } const busy(_busySlots);
    if (busy.number >= _slots) return;
    publishDue(job);
    // The plugin is being replaced: its successor continues at once.
    if (job.stop.stop_requested()) throw JobRetry::after(std::chrono::milliseconds(0)).uncounted();
}

std::size_t Worker::publishDue(const Job& job)
{
    std::size_t count = 0;
    for (std::set<ContentId> refused; !job.stop.stop_requested() && publishNext(job, refused);) ++count;
    return count;
}

bool Worker::publishNext(const Job& job, std::set<ContentId>& refused)
{
    // The worker reads the long list only when it can take none of the short one.
    for (const auto most : {std::min(static_cast<std::int64_t>(4 * _slots), maxDue), maxDue})
    {
        auto due = [&]
        {
            auto session = _context.database().session();
            return _publications.due(session, _context.clock().now(), most);
        }();
        const bool isAll = due.size() < static_cast<std::size_t>(most);
        if (publishFirstOf(job, std::move(due), refused)) return true;
        if (isAll) return false;
    }
    return false;
}

bool Worker::publishFirstOf(const Job& job, std::vector<DueItem> due, std::set<ContentId>& refused)
{
    std::erase_if(due, [&](const DueItem& item) { return refused.contains(item.contentId); });
    const auto worker = _generation + std::to_string(++_workers);
    for (const auto& item : _running.inOrder(std::move(due), _slots))
    {
        const RunningItems::Place place(_running, item);
        if (!place) continue;
        if (mustWait(item))
        {
            refused.insert(item.contentId);
            continue;
        }
        auto lease = take(item, worker);
        if (!lease)
        {
            refused.insert(item.contentId);
            continue;
        }
        carryOut(job, item, *std::move(lease), worker);
        // Others of the same account may be taken now.
        refused.clear();
        return true;
    }
    return false;
}

void Worker::carryOut(const Job& job, const DueItem& item, Lease lease, const std::string& worker)
{
    const auto lateness = std::chrono::duration<double>(_context.clock().now() - item.dueAt).count();
    _context.metrics().observe("publishing_lateness", std::max(lateness, 0.0));
    PublicationRun run(_parts, Tenant::fromStored(item.organization), std::move(lease), worker);
    const JobHeartbeat heartbeat(job, [&run] { run.renewLease(); });
    try
    {
        run.run(job.stop);
    }
    catch (const std::exception&)
    {
        // The item's steps say how far it came.
        run.giveBack();
        throw;
    }
}

std::optional<Lease> Worker::take(const DueItem& item, const std::string& worker)
{
    try
    {
        return _context.database().transact(
            [&](Transaction& transaction) {
                return _publications.take(transaction, Tenant::fromStored(item.organization), item.brandId, item.contentId, worker,
                                          publishingLease);
            });
    }
    catch (const Problem& problem)
    {
        if (problem.status() != 404) throw;
        return std::nullopt; // the brand went to another organization
    }
}

bool Worker::mustWait(const DueItem& item)
{
    if (item.publishStatus != PublishStatus::Queued) return false;
    const auto now = _context.clock().now();
    if (!item.integrationId)
    {
        wait(item, BlockedReason::NoAccount, now + longWait);
        return true;
    }
    const bool isReady = [&]
    {
        auto session = _context.database().session();
        return hasReadyAccount(session, item);
    }();
    if (!isReady && waitForAccount(item, now + longWait)) return true;
    const auto* network = _networks.find(item.platform);
    if (network == nullptr || !network->missing().empty())
    {
        wait(item, BlockedReason::PlatformNotReady, now + longWait);
        return true;
    }
    if (const auto later = _budgets.freeFrom(*network, *item.integrationId))
    {
        // Not longer, so that an item that gets too late fails in time.
        wait(item, BlockedReason::RateLimited, std::min(*later, now + longWait));
        return true;
    }
    return false;
}

bool Worker::hasReadyAccount(Session& session, const DueItem& item) const
{
    const auto account = integrationTable.find(session, Tenant::fromStored(item.organization), item.brandId, *item.integrationId);
    return account && _accounts.open(*account).state == OpenedAccount::State::Ready;
}

bool Worker::waitForAccount(const DueItem& item, Instant until)
{
    return _context.database().transact(
        [&](Transaction& transaction)
        {
            const auto tenant = Tenant::fromStored(item.organization);
            // A user who connects the account has this lock, too, and wakes only items that wait already.
            audit::lock(transaction, tenant, item.brandId);
            if (hasReadyAccount(transaction, item)) return false;
            _publications.wait(transaction, tenant, item.brandId, item.contentId, BlockedReason::ReconnectRequired, until);
            return true;
        });
}

void Worker::wait(const DueItem& item, BlockedReason reason, Instant until)
{
    _context.database().transact(
        [&](Transaction& transaction)
        { _publications.wait(transaction, Tenant::fromStored(item.organization), item.brandId, item.contentId, reason, until); });
}

} // namespace portico::social
