#include "blobs/BlobSweeper.h"

#include <chrono>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>

namespace portico::crm
{

namespace
{

constexpr std::string_view sweepJob = "crm.attachments.sweep";
constexpr std::string_view removeJob = "crm.attachments.remove";
constexpr int filesPerSweep = 100;

} // namespace

void BlobSweeper::schedule()
{
    const auto run = [this](const Job& job) { sweep(job.stop); };
    _context.jobs().handle(removeJob, run);
    _context.jobs().handle(sweepJob, run);
    // Each released blob has a separate job. This one finds blobs that a crash or a client has left behind.
    _context.jobs().every(sweepJob, std::chrono::minutes(15));
}

void BlobSweeper::request(Jobs& jobs, Session& session) { jobs.enqueue(session, removeJob); }

std::size_t BlobSweeper::sweep(const std::stop_token& stop)
{
    std::size_t removed = 0;
    while (!stop.stop_requested())
    {
        const auto due = _context.database().transact([&](Transaction& transaction)
                                                      { return takeDueBlobs(transaction, _context.clock().now(), filesPerSweep); });
        if (due.empty()) break;
        const auto gone = removeFiles(due);
        _context.database().transact([&](Transaction& transaction) { forgetBlobs(transaction, gone); });
        removed += gone.size();
        if (gone.size() < due.size()) throw std::runtime_error(std::to_string(due.size() - gone.size()) + " files could not be removed");
    }
    return removed;
}

std::vector<BlobReference> BlobSweeper::removeFiles(const std::vector<BlobReference>& due)
{
    std::vector<BlobReference> gone;
    for (const auto& blob : due)
    {
        try
        {
            // Not there: an earlier run was cut off, or its writer gave up before the commit.
            _context.blobs().remove(blob.key);
            gone.push_back(blob);
        }
        catch (const std::exception& error)
        {
            _context.logger().warning("A file of an attachment cannot be removed", {{"key", blob.key}, {"error", error.what()}});
        }
    }
    return gone;
}

} // namespace portico::crm
