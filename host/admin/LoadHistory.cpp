#include "host/admin/LoadHistory.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace portico::host::admin
{

namespace
{

using Latency = decltype(LoadCounts::latency);

/// Returns the quantile of the answers, interpolated within its bucket; the last bound for values beyond it.
std::uint64_t quantile(const Latency& latency, double share)
{
    const auto all = std::accumulate(latency.begin(), latency.end(), std::uint64_t{0});
    const auto rank = share * static_cast<double>(all);
    double below = 0;
    double lower = 0;
    for (std::size_t i = 0; i < routing::latencyBoundsMicros.size(); ++i)
    {
        const auto here = static_cast<double>(latency[i]);
        const auto upper = static_cast<double>(routing::latencyBoundsMicros[i]);
        if (here > 0 && below + here >= rank) return static_cast<std::uint64_t>(lower + (upper - lower) * (rank - below) / here);
        below += here;
        lower = upper;
    }
    return all == 0 ? 0 : routing::latencyBoundsMicros.back();
}

LoadSample between(const LoadCounts& before, const LoadCounts& after, Instant at)
{
    Latency latency{};
    std::ranges::transform(after.latency, before.latency, latency.begin(), std::minus());
    return {at,
            after.requests - before.requests,
            after.errors - before.errors,
            after.refusals - before.refusals,
            quantile(latency, 0.5),
            quantile(latency, 0.99),
            after.connections,
            after.busyWorkers,
            after.databaseSessions,
            after.residentBytes};
}

} // namespace

LoadCounts loadOf(const MetricsSources& sources)
{
    LoadCounts counts;
    const auto routes = sources.routes.total();
    for (const auto& [status, answers] : routes.answers)
    {
        counts.requests += answers;
        if (status >= 500) counts.errors += answers;
        if (status == 429) counts.refusals += answers;
    }
    counts.latency = routes.latency;
    const auto server = sources.server();
    counts.refusals += std::accumulate(server.refused.begin(), server.refused.end(), server.connectionsRefused);
    counts.connections = server.connections;
    counts.busyWorkers = server.workers.busy + server.heavyWorkers.busy + server.longWorkers.busy;
    for (const auto& [service, stats] : sources.databases())
        counts.databaseSessions += static_cast<std::uint64_t>(stats.sessions.inUse + stats.writer.inUse);
    counts.residentBytes = residentBytes();
    return counts;
}

void LoadHistory::add(Instant now, const LoadCounts& counts)
{
    const std::lock_guard lock(_mutex);
    if (_last)
    {
        const auto sample = between(*_last, counts, now);
        if (_samples.size() < maxSamples)
            _samples.push_back(sample);
        else
            _samples[std::exchange(_oldest, (_oldest + 1) % maxSamples)] = sample;
    }
    _last = counts;
}

std::vector<LoadSample> LoadHistory::samples() const
{
    const std::lock_guard lock(_mutex);
    auto samples = _samples;
    std::ranges::rotate(samples, samples.begin() + static_cast<std::ptrdiff_t>(_oldest));
    return samples;
}

} // namespace portico::host::admin
