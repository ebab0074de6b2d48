#pragma once

#include "host/http/EventLoop.h"

#include <cstdint>

namespace portico::host::http
{

/// Time that a client has for a response: `http.writeSeconds` from its start, and what it earns by reading (`http.writeBytesPerSecond`).
class SendPace
{
public:
    void start(const EventLoop& loop) noexcept { _until = loop.after(loop.settings().writeTimeout); }
    /// Adds the time that the client has earned. @param acknowledged bytes of all responses that the client's side has acknowledged. A
    /// writable socket is no measure: the kernel reports it only when much of its buffer is free, which takes a slow reader minutes.
    void credit(const EventLoop& loop, std::uint64_t acknowledged) noexcept;
    /// The client's time does not pass between `pause` and `resume`, while it waits for the server.
    void pause(std::uint64_t now) noexcept;
    void resume(std::uint64_t now) noexcept;
    /// The end of the client's time; between `pause` and `resume`, what is left of it.
    std::uint64_t until() const noexcept { return _until; }

private:
    std::uint64_t _until = 0;
    std::uint64_t _acknowledged = 0;
};

} // namespace portico::host::http
