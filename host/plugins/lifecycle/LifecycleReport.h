#pragma once

#include "host/plugins/runtime/Generation.h"

#include "portico/Instant.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::plugins
{

/// State of a service or of one generation of it.
enum class State : std::uint8_t
{
    Discovered,
    Verified,
    Migrated,
    Starting,
    Serving,
    Draining,
    Stopped,
    Resident, ///< code that could not be unmapped
    Failed,
    Waiting, ///< failed because a dependency is unavailable; retried automatically
    Quarantined,
    Disabled
};

/// `serving`, as the control socket and the log write it.
constexpr std::string_view name(State state) noexcept
{
    constexpr std::string_view names[]{"discovered", "verified", "migrated", "starting", "serving",     "draining",
                                       "stopped",    "resident", "failed",   "waiting",  "quarantined", "disabled"};
    return names[static_cast<std::size_t>(state)];
}

/// Nothing serves, because something is away that the start needs.
struct Waiting
{
    /// In words that fit behind "waits for": `the database`.
    std::string what;
    /// Since an operator last asked.
    unsigned tries = 0;
    std::chrono::steady_clock::time_point nextTry{};
};

struct GenerationReport
{
    std::uint64_t number = 0;
    std::string version;
    State state = State::Starting;
    /// Requests, jobs and calls inside, at the time of the report.
    std::uint64_t inFlight = 0;
    /// SHA-256 of the library's file.
    std::string sha256;
    /// Why it is trusted: `built-in`, `signed by acme`, `unsigned`.
    std::string provenance;
    Instant since{};
    /// Why it is resident.
    std::string reason;
};

struct ServiceReport
{
    std::string serviceId;
    State state = State::Discovered;
    bool enabled = false;
    /// Version that serves, otherwise the installed one; empty if the manifest cannot be read.
    std::string version;
    std::string manifestFile;
    Instant since{};
    /// The last failure; kept until a transition succeeds.
    std::string lastError;
    /// Only in the state `Waiting`.
    std::optional<Waiting> waiting;
    /// False if the registry of services rejects it as incomplete, with the reason.
    bool registered = true;
    std::string registrationReport;
    std::size_t routes = 0;
    /// The one that serves, the one that starts, the one that drains, and those that stay in memory: the newest first.
    std::vector<GenerationReport> generations;
};

struct OperationStep
{
    /// `verify`, `migrate`, `load`, `start`, `check`, `publish`, `drain`, `stop`, `unmap`, `register`.
    std::string name;
    std::string serviceId;
    bool succeeded = false;
    std::chrono::microseconds took{0};
    std::string message;
};

/// Result of a command.
struct OperationResult
{
    std::uint64_t id = 0;
    /// `start-all`, `enable`, `disable`, `reload`, `migrate`, `reload-all`, `stop-all`, `retry`.
    std::string command;
    /// Empty for those about all services.
    std::string serviceId;
    std::string requestedBy;
    bool succeeded = false;
    std::vector<OperationStep> steps;
    /// For people: what was refused and why, and what is worth knowing.
    std::vector<std::string> messages;
};

/// The lifecycle thread's latest report of each service, for all readers. Thread-safe.
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
