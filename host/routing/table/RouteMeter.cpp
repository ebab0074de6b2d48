#include "host/routing/table/RouteMeter.h"

#include <algorithm>
#include <thread>

namespace portico::host::routing
{

namespace
{

std::size_t statusIndex(int status) noexcept
{
    const auto found = std::find(countedStatuses.begin(), countedStatuses.end() - 1, status);
    return static_cast<std::size_t>(found - countedStatuses.begin());
}

} // namespace

RouteMeter::~RouteMeter()
{
    for (const auto& stripe : _stripes) delete stripe.load();
}

RouteMeter::Stripe& RouteMeter::stripeOfThisThread()
{
    auto& place = _stripes[std::hash<std::thread::id>{}(std::this_thread::get_id()) % stripeCount];
    auto* stripe = place.load(std::memory_order_acquire);
    if (stripe) return *stripe;
    auto made = std::make_unique<Stripe>();
    if (place.compare_exchange_strong(stripe, made.get(), std::memory_order_acq_rel)) stripe = made.release();
    return *stripe;
}

void RouteMeter::record(int status, std::chrono::steady_clock::duration latency) noexcept
{
    const auto micros =
        static_cast<std::uint64_t>(std::max<std::int64_t>(0, std::chrono::duration_cast<std::chrono::microseconds>(latency).count()));
    const auto bucket = std::lower_bound(latencyBoundsMicros.begin(), latencyBoundsMicros.end(), micros) - latencyBoundsMicros.begin();
    Stripe& stripe = stripeOfThisThread();
    stripe.answers[statusIndex(status)].fetch_add(1, std::memory_order_relaxed);
    stripe.latency[static_cast<std::size_t>(bucket)].fetch_add(1, std::memory_order_relaxed);
    stripe.latencySumMicros.fetch_add(micros, std::memory_order_relaxed);
}

bool RouteMeter::mayRunOnLoop() noexcept
{
    if (_workersFor.load(std::memory_order_relaxed) <= 0) return true;
    _workersFor.fetch_sub(1, std::memory_order_relaxed);
    return false;
}

RouteSample RouteMeter::sample() const
{
    RouteSample sample{_service, _route, {}, {}, 0};
    addTo(sample);
    return sample;
}

void RouteMeter::addTo(RouteSample& sum) const
{
    for (const auto& place : _stripes)
    {
        const Stripe* stripe = place.load(std::memory_order_acquire);
        if (!stripe) continue;
        for (std::size_t i = 0; i < countedStatuses.size(); ++i)
            if (const auto count = stripe->answers[i].load(std::memory_order_relaxed); count != 0) sum.answers[countedStatuses[i]] += count;
        for (std::size_t i = 0; i < sum.latency.size(); ++i) sum.latency[i] += stripe->latency[i].load(std::memory_order_relaxed);
        sum.latencySumMicros += stripe->latencySumMicros.load(std::memory_order_relaxed);
    }
}

std::shared_ptr<RouteMeter> RouteMeters::find(std::string_view service, std::string_view route)
{
    const std::lock_guard lock(_mutex);
    auto& meter = _meters[{std::string(service), std::string(route)}];
    if (!meter) meter = std::make_shared<RouteMeter>(std::string(service), std::string(route));
    return meter;
}

std::vector<RouteSample> RouteMeters::samples() const
{
    std::vector<std::shared_ptr<RouteMeter>> meters;
    {
        const std::lock_guard lock(_mutex);
        for (const auto& entry : _meters) meters.push_back(entry.second);
    }
    std::vector<RouteSample> samples;
    samples.reserve(meters.size());
    for (const auto& meter : meters) samples.push_back(meter->sample());
    return samples;
}

RouteSample RouteMeters::total() const
{
    RouteSample sum;
    const std::lock_guard lock(_mutex);
    for (const auto& entry : _meters) entry.second->addTo(sum);
    return sum;
}

} // namespace portico::host::routing
