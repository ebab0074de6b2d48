#pragma once

#include "host/base/Digests.h"

#include <span>
#include <string>
#include <string_view>

namespace portico::host::routing
{

/// SHA-256 over a list of parts, each with its length, so that no two lists look alike. Used by one thread.
class Digest
{
public:
    Digest& part(std::string_view text);
    /// Bytes that follow each other within one part, whose length is not known before.
    Digest& bytes(std::span<const char> data);
    /// Lower-case hexadecimal; the digest is used up.
    std::string hex() { return _hash.hex(); }

private:
    Sha256 _hash;
};

} // namespace portico::host::routing
