#pragma once

#include "host/base/Digests.h"

#include <cstdint>

namespace portico::host
{

/// File whose first bytes were hashed while they were written, so that they need not be read again for their hash.
class HashedPrefix
{
public:
    virtual ~HashedPrefix() = default;
    /// Number of bytes that `prefixHash` includes; 0 if no byte was hashed.
    virtual std::uint64_t hashedBytes() const noexcept = 0;
    /// State of the hash after these bytes: copy it to continue. Valid only if `hashedBytes` is above 0.
    virtual const Sha256& prefixHash() const = 0;
};

} // namespace portico::host
