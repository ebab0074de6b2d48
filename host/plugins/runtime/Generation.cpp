#include "host/plugins/runtime/Generation.h"

#include "portico/Plugin.h"

namespace portico::host::plugins
{

Generation::Generation(std::shared_ptr<const Manifest> manifest, std::uint64_t number) : _manifest(std::move(manifest)), _number(number)
{
    _tag.setServiceId(_manifest->serviceId);
    _tag.generation = number;
}

std::vector<HealthCheck> Generation::askHealth() const { return _plugin ? _plugin->health() : std::vector<HealthCheck>(); }

std::vector<HealthCheck> Generation::health() const
{
    const std::lock_guard lock(_healthMutex);
    return _health;
}

void Generation::noteHealth(std::vector<HealthCheck> checks)
{
    const std::lock_guard lock(_healthMutex);
    _health.swap(checks);
}

bool Generation::tryEnter() noexcept
{
    _inFlight.fetch_add(1);
    if (_phase.load() == Phase::Serving) return true;
    leave();
    return false;
}

void Generation::leave() noexcept
{
    if (_inFlight.fetch_sub(1) != 1 || _phase.load() == Phase::Serving) return;
    // Under the mutex: the drainer may have looked at the count and not be asleep yet.
    const std::lock_guard lock(_mutex);
    _left.notify_all();
}

bool Generation::drain(std::chrono::milliseconds patience)
{
    _phase.store(Phase::Draining);
    _stop.request_stop();
    std::unique_lock lock(_mutex);
    return _left.wait_for(lock, patience, [this] { return _inFlight.load() == 0; });
}

Lease Lease::take(const std::shared_ptr<Generation>& generation) noexcept
{
    Lease lease;
    if (generation && generation->tryEnter()) lease._generation = generation;
    return lease;
}

Lease& Lease::operator=(Lease&& other) noexcept
{
    if (this == &other) return *this;
    release();
    _generation = std::move(other._generation);
    return *this;
}

void Lease::release() noexcept
{
    if (!_generation) return;
    _generation->leave();
    _generation.reset();
}

} // namespace portico::host::plugins
