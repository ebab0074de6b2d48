#pragma once

#include "host/base/Digests.h"

#include <cstdint>

namespace portico::host
{

/// A file whose first bytes were hashed while they were written, so that no reader has to read them again for it.
class HashedPrefix
{
public:
    virtual ~HashedPrefix() = default;
    /// Number of bytes that `prefixHash` includes; 0 if no byte was hashed.
    virtual std::uint64_t hashedBytes() const noexcept = 0;
    /// Copy it to hash more. Only if `hashedBytes` is above 0.
    virtual const Sha256& prefixHash() const = 0;
};

} // namespace portico::host
