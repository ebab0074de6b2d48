#pragma once

namespace portico::host::data
{

/// Says that the current thread is an event loop, which must not wait: where all sessions are lent, a pool that can opens another one for
/// it (`PoolLimits::reserve`) instead. Scopes do not nest.
class EventLoopScope
{
public:
    EventLoopScope() noexcept;
    EventLoopScope(const EventLoopScope&) = delete;
    EventLoopScope& operator=(const EventLoopScope&) = delete;
    ~EventLoopScope();
    /// Of the current thread.
    static bool active() noexcept;
};

} // namespace portico::host::data
