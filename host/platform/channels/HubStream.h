#pragma once

#include "host/platform/channels/EventHub.h"

#include "portico/Caller.h"

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace portico::host::platform
{

/// One reader of some channels: what it has not been sent yet. Entered in its hub from `EventHub::open` until it is destroyed.
class HubStream final : public detail::LiveBody
{
public:
    HubStream(std::shared_ptr<EventHub> hub, const EventStream& stream, const Caller& caller);
    ~HubStream() override;

    void attach(std::shared_ptr<detail::Waker> waker) noexcept override;
    State take(std::string& out) override;
    void beat(std::string& out) override { out += ":\n\n"; }
    void end() noexcept override;
    std::optional<Instant> until() const noexcept override { return _until; }

    /// The hub, under its lock.
    void push(const std::shared_ptr<const std::string>& frame);
    bool isOf(const StreamsOf& whose) const noexcept;

private:
    friend class EventHub;

    const std::shared_ptr<EventHub> _hub;
    std::vector<EventHub::Line*> _lines;
    /// In the hub's list.
    std::size_t _place = 0;
    const StreamsOf _owner;
    const std::optional<Instant> _until;
    /// Held while the waker is called; the hub's lock is never taken under it.
    std::mutex _mutex;
    std::vector<std::shared_ptr<const std::string>> _waiting;
    std::size_t _waitingBytes = 0;
    std::shared_ptr<detail::Waker> _waker;
    bool _overrun = false;
    bool _ending = false;
};

} // namespace portico::host::platform
