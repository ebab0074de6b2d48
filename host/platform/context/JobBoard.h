#pragma once

#include "host/platform/jobs/JobStore.h"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::platform
{

class ServiceResources;

/// The operator's view of background work, across services. Thread-safe.
class JobBoard
{
public:
    /// @param services gives the services that the host knows, in order of their ids.
    explicit JobBoard(std::function<std::vector<ServiceResources*>()> services);

    /// Newest first; an empty service means all. @throws DatabaseError
    std::vector<JobSummary> list(std::string_view serviceId, JobState state, std::size_t limit) const;
    /// Runs a waiting or dead job soon, with all its attempts again. False if there is none of that id that does not run.
    /// @throws Problem 409 when a newer job has its dedupe key
    bool retry(std::string_view id) const;
    /// Deletes a job that does not run; false as for retry.
    bool discard(std::string_view id) const;

private:
    const std::function<std::vector<ServiceResources*>()> _services;
};

} // namespace portico::host::platform
