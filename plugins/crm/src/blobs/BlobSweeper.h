#pragma once

#include "blobs/UnownedBlobs.h"

#include "portico/Plugin.h"

#include <cstddef>
#include <stop_token>

namespace portico::crm
{

/// Removes the files of blobs that no attachment has. Thread-safe; two at once do no harm.
class BlobSweeper
{
public:
    explicit BlobSweeper(PluginContext& context) : _context(context) {}

    /// Has `sweep` run as a job; call it in `start`.
    void schedule();
    /// Removes due blobs. Returns their number. @throws std::runtime_error if a file cannot be removed; it is retried later
    std::size_t sweep(const std::stop_token& stop);

    /// Has blobs that the caller's transaction releases removed soon after its commit.
    static void request(Jobs& jobs, Session& session);

private:
    std::vector<BlobReference> removeFiles(const std::vector<BlobReference>& due);

    PluginContext& _context;
};

} // namespace portico::crm
