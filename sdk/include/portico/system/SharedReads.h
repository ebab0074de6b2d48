#pragma once

#include "portico/Services.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace portico::interfaces
{

/// Reads numbers by their keys for many requests with one statement. The host provides it where other hosts may write to the same database.
/// Thread-safe.
class SharedReads : public ServiceInterface
{
public:
    static constexpr std::string_view interfaceName = "host.shared-reads";
    static constexpr std::string_view interfaceVersion = "1.0";

    /// Reads as of the arrival of the request that the calling thread works for, or later. Outside of a request, and after the request has
    /// begun a transaction that writes: as of this call.
    /// @param statement Has one parameter, `$1::text[]`, the keys. Each row is a key and its number.
    /// @param numbers Set in the order of the keys, 0 for a key without a row. It has the size of `keys`.
    /// @return False on an event loop that would have to wait: the host reads the numbers and asks again.
    /// @throws DatabaseError
    virtual bool read(std::string_view serviceId, std::string_view statement, std::span<const std::string_view> keys,
                      std::span<std::int64_t> numbers) = 0;
};

} // namespace portico::interfaces
