#include "host/platform/context/JobBoard.h"

#include "host/platform/context/ServiceResources.h"

#include <algorithm>

namespace portico::host::platform
{

JobBoard::JobBoard(std::function<std::vector<ServiceResources*>()> services) : _services(std::move(services)) {}

std::vector<JobSummary> JobBoard::list(std::string_view serviceId, JobState state, std::size_t limit) const
{
    std::vector<JobSummary> all;
    for (auto* service : _services())
    {
        const auto durables = service->openDurables();
        if (!durables || (!serviceId.empty() && service->serviceId() != serviceId)) continue;
        for (auto& job : durables->jobs().list(state, limit))
        {
            job.serviceId = service->serviceId();
            all.push_back(std::move(job));
        }
    }
    std::stable_sort(all.begin(), all.end(), [](const JobSummary& left, const JobSummary& right) { return left.id > right.id; });
    if (all.size() > limit) all.resize(limit);
    return all;
}

bool JobBoard::retry(std::string_view id) const
{
    for (auto* service : _services())
    {
        const auto durables = service->openDurables();
        if (!durables || !durables->jobs().retryNow(id)) continue;
        durables->poke();
        return true;
    }
    return false;
}

bool JobBoard::discard(std::string_view id) const
{
    const auto services = _services();
    return std::any_of(services.begin(), services.end(),
                       [&](ServiceResources* service)
                       {
                           const auto durables = service->openDurables();
                           return durables && durables->jobs().discard(id);
                       });
}

} // namespace portico::host::platform
