#pragma once

#include "host/base/FileDescriptor.h"

#include <chrono>
#include <string>

namespace portico::host::daemon
{

/// Asks the daemon's own listener, over a connection of its own: whoever gets an answer there knows that sockets are accepted and that
/// event loops turn. Each call meets the next loop.
class LivenessProbe
{
public:
    /// `address` is that of a listener, `127.0.0.1:8080` or `unix:/path`.
    explicit LivenessProbe(std::string address) : _address(std::move(address)) {}
    /// True if the listener says anything within that time; under TLS a refusal is as good as an answer.
    bool answers(std::chrono::milliseconds patience) const noexcept;

private:
    FileDescriptor connect() const;

    const std::string _address;
};

} // namespace portico::host::daemon
