#include "host/daemon/ServiceManagerLink.h"

#include "host/daemon/ServiceManager.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <time.h>

namespace portico::host::daemon
{

void ServiceManagerLink::ready(const std::string& status) const { service_manager::notify("READY=1\nSTATUS=" + status); }

void ServiceManagerLink::reloading() const
{
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    const auto microseconds =
        static_cast<unsigned long long>(now.tv_sec) * 1000000ULL + static_cast<unsigned long long>(now.tv_nsec) / 1000ULL;
    service_manager::notify("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(microseconds));
}

void ServiceManagerLink::stopping() const { service_manager::notify("STOPPING=1\nSTATUS=Waiting for running requests"); }

void ServiceManagerLink::watch(std::function<bool()> alive)
{
    const auto period = service_manager::watchdogPeriod();
    if (!period) return;
    // Three times in each period, so that one late round does no harm.
    const auto interval = *period / 3;
    _watchdog = std::jthread(
        [interval, alive = std::move(alive)](const std::stop_token& stop)
        {
            std::mutex mutex;
            std::condition_variable_any bell;
            std::unique_lock lock(mutex);
            while (!bell.wait_for(lock, stop, interval, [&stop] { return stop.stop_requested(); }))
                if (alive()) service_manager::notify("WATCHDOG=1");
        });
}

} // namespace portico::host::daemon
