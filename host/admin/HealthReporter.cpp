#include "host/admin/HealthReporter.h"

namespace portico::host::admin
{

std::vector<routing::DependencyHealth> HealthReporter::dependencies(std::string_view serviceId)
{
    auto* database = _platform.database(serviceId);
    if (!database) return {};
    routing::DependencyHealth health{"database", true, {}, {}};
    const auto begin = std::chrono::steady_clock::now();
    try
    {
        database->ping();
    }
    catch (const std::exception&)
    {
        // The text may hold addresses and users: it is in the log of whoever needs the database, not here.
        health.healthy = false;
        health.detail = "does not answer";
    }
    health.latency = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin);
    return {health};
}

std::vector<std::string> HealthReporter::notReady(std::string_view)
{
    const auto phase = _state.phase.load();
    if (phase == HostPhase::Serving) return {};
    return {std::string(name(phase))};
}

} // namespace portico::host::admin
