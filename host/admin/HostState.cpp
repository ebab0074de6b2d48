#include "host/admin/HostState.h"

#include <array>
#include <fstream>
#include <unistd.h>

namespace portico::host::admin
{

std::string_view name(HostPhase phase) noexcept
{
    constexpr std::array<std::string_view, 3> names{"starting", "serving", "stopping"};
    return names[static_cast<std::size_t>(phase)];
}

std::uint64_t residentBytes()
{
    std::ifstream statm("/proc/self/statm");
    std::uint64_t total = 0;
    std::uint64_t resident = 0;
    statm >> total >> resident;
    return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

namespace
{

template <class Ping>
routing::DependencyHealth ask(const char* name, Ping ping)
{
    routing::DependencyHealth health;
    health.name = name;
    const auto begin = std::chrono::steady_clock::now();
    try
    {
        ping();
    }
    catch (const std::exception&)
    {
        // The error text may contain addresses and users. It is in the log, not here.
        health.healthy = false;
        health.detail = "does not answer";
    }
    health.latency = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin);
    return health;
}

} // namespace

std::vector<routing::DependencyHealth> HealthReporter::dependencies(std::string_view serviceId)
{
    std::vector<routing::DependencyHealth> all;
    if (const auto database = _platform.database(serviceId)) all.push_back(ask("database", [&] { database->ping(); }));
    if (auto* states = _platform.states())
    {
        all.push_back(ask("state", [&] { states->ping(); }));
        all.back().neededToServe = false;
    }
    if (const auto* bucket = _platform.bucket())
    {
        all.push_back(ask("blobs",
                          [&]
                          {
                              if (!bucket->isUp()) throw std::runtime_error("the last probe failed");
                          }));
        all.back().neededToServe = false;
    }
    return all;
}

std::vector<std::string> HealthReporter::notReady(std::string_view)
{
    const auto phase = _state.phase.load();
    if (phase == HostPhase::Serving) return {};
    return {std::string(name(phase))};
}

} // namespace portico::host::admin
