#pragma once

#include "host/plugins/lifecycle/LifecycleReport.h"
#include "host/plugins/runtime/Generation.h"

#include <memory>
#include <mutex>
#include <vector>

namespace portico::host::plugins
{

/// What the lifecycle thread last wrote about each service, for everyone to read. Thread-safe.
class StatusBoard
{
public:
    struct Entry
    {
        ServiceReport report;
        /// Beside `report.generations`, for the live count; null where the generation is over.
        std::vector<std::shared_ptr<const Generation>> generations;
    };

    void write(std::vector<Entry> entries)
    {
        const std::lock_guard lock(_mutex);
        _entries = std::move(entries);
    }

    std::vector<ServiceReport> read() const
    {
        const std::lock_guard lock(_mutex);
        std::vector<ServiceReport> reports;
        for (const auto& entry : _entries)
        {
            reports.push_back(entry.report);
            for (std::size_t i = 0; i < entry.generations.size(); ++i)
                if (entry.generations[i]) reports.back().generations[i].inFlight = entry.generations[i]->inFlight();
        }
        return reports;
    }

private:
    mutable std::mutex _mutex;
    std::vector<Entry> _entries;
};

} // namespace portico::host::plugins
