#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace portico::host::data
{

/// Notifies the hosts that share a database server of work (jobs, events) that one of them has written. Notifications may be lost or come
/// twice: from time to time the notifier also looks for work itself, with one statement for all services. Thread-safe.
class WorkNotifier
{
public:
    /// Called with the service that may have work; empty: any service, also when `isReceiving` has changed. On the notifier's thread, or on
    /// several: it must be quick and must not throw.
    using OnWork = std::function<void(std::string_view serviceId)>;

    virtual ~WorkNotifier() = default;

    virtual void start() = 0;
    /// `OnWork` is not called afterwards.
    virtual void stop() noexcept = 0;
    /// Looks for work of a service whose tables exist.
    virtual void watch(std::string_view serviceId) = 0;
    virtual void unwatch(std::string_view serviceId) noexcept = 0;
    /// Notifies the other hosts, soon: call it after the commit.
    virtual void notify(std::string_view serviceId) noexcept = 0;
    /// Notifications arrive at the moment. Otherwise each service has to look for itself.
    virtual bool isReceiving() const noexcept = 0;
};

} // namespace portico::host::data
