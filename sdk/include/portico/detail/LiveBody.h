#pragma once

#include "portico/Export.h"
#include "portico/Instant.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace portico::detail
{

/// Notifies the sender of a live body that there is work. Callable from any thread; may do nothing.
class PORTICO_API Waker
{
public:
    virtual ~Waker();
    virtual void wake() noexcept = 0;
};

/// A body whose data arrives over time. Between two pieces it occupies no thread. The event loop of the connection calls all members except
/// `end` and `mayGoOn`, one at a time. Only the host creates it, so that it may outlive the plugin's generation.
class PORTICO_API LiveBody
{
public:
    enum class State : std::uint8_t
    {
        Open,
        Ended,  ///< After what was appended nothing follows.
        Overrun ///< The reader is too slow for it: the connection is to be closed as it is.
    };

    virtual ~LiveBody();
    /// Once, before the other calls: what to wake from now on.
    virtual void attach(std::shared_ptr<Waker> waker) noexcept = 0;
    /// Appends all that there is; `Open` without any means to wait for the waker.
    virtual State take(std::string& out) = 0;
    /// Appends what says that the connection lives, after a time in which nothing was sent.
    virtual void beat(std::string& out) = 0;
    /// From any thread: no further data follows.
    virtual void end() noexcept = 0;
    /// Asked on a worker from time to time: whether the reader may still read.
    virtual bool mayGoOn() noexcept { return true; }
    /// Time at which it ends without a signal.
    virtual std::optional<Instant> until() const noexcept { return std::nullopt; }
};

} // namespace portico::detail
