#include "host/daemon/ServiceManagerLink.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <systemd/sd-daemon.h>
#include <time.h>

namespace portico::host::daemon
{

void ServiceManagerLink::ready(const std::string& status) const { ::sd_notifyf(0, "READY=1\nSTATUS=%s", status.c_str()); }

void ServiceManagerLink::reloading() const
{
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    ::sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%llu",
                 static_cast<unsigned long long>(now.tv_sec) * 1000000ULL + static_cast<unsigned long long>(now.tv_nsec) / 1000ULL);
}

void ServiceManagerLink::stopping() const { ::sd_notify(0, "STOPPING=1\nSTATUS=Waiting for running requests"); }

void ServiceManagerLink::watch(std::function<bool()> alive)
{
    std::uint64_t microseconds = 0;
    if (::sd_watchdog_enabled(0, &microseconds) <= 0) return;
    // Three times in each period, so that one late round does no harm.
    const auto interval = std::chrono::microseconds(microseconds / 3);
    _watchdog = std::jthread(
        [interval, alive = std::move(alive)](const std::stop_token& stop)
        {
            std::mutex mutex;
            std::condition_variable_any bell;
            std::unique_lock lock(mutex);
            while (!bell.wait_for(lock, stop, interval, [&stop] { return stop.stop_requested(); }))
                if (alive()) ::sd_notify(0, "WATCHDOG=1");
        });
}

} // namespace portico::host::daemon
