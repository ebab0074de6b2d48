#pragma once

#include "host/admin/Commands.h"

#include <mutex>
#include <string>

namespace portico::host::admin
{

/// The daemon's part in a backup that porticoctl makes: tells it what belongs to one, keeps the files of removed blobs meanwhile, and
/// writes down how it ended. The copying is the other process's, so that it can stand behind in the queues for processor and disk, write
/// where the daemon must not, and fail alone. Thread-safe.
class BackupDesk
{
public:
    /// `parts` outlives this.
    explicit BackupDesk(const CommandDependencies& parts) : _parts(parts) {}

    /// @throws ControlError `busy`
    boost::json::value begin(const ControlRequest& request);
    /// A sign of life from the one who copies. @throws ControlError `lost` if none came for too long
    boost::json::value renew(const ControlRequest& request);
    boost::json::value end(const ControlRequest& request);

private:
    boost::json::object plan() const;
    /// Whoever was killed need not be waited for.
    void forgetDeadHolder();
    void keep(const ControlRequest& request, bool succeeded, const std::string& message);

    const CommandDependencies& _parts;
    std::mutex _mutex;
    Peer _holder;
    std::string _token;
    std::chrono::steady_clock::time_point _begun;
};

} // namespace portico::host::admin
