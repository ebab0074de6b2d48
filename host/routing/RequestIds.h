#pragma once

#include "portico/Clock.h"

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace portico::host::routing
{

/// First stage: gives every request an id. It names a request in answers and logs and guards nothing, so it need not be hard to guess; it
/// is made without a system call. Thread-safe.
class RequestIds
{
public:
    explicit RequestIds(const Clock& clock);
    /// Writes an id into `out`: the one that a trusted proxy sent, if it is fit to be logged, else a new ULID.
    void assign(std::string_view sent, std::string& out) const;

private:
    void make(std::string& out) const;

    const Clock& _clock;
    std::uint64_t _seed;
    std::uint16_t _instance;
    mutable std::atomic<std::uint64_t> _made{0};
};

} // namespace portico::host::routing
