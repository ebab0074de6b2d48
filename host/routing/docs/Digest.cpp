#include "host/routing/docs/Digest.h"

#include <cstdint>

namespace portico::host::routing
{

Digest& Digest::part(std::string_view text)
{
    const std::uint64_t length = text.size();
    _hash.update({reinterpret_cast<const char*>(&length), sizeof length});
    return bytes(text);
}

Digest& Digest::bytes(std::span<const char> data)
{
    _hash.update(data);
    return *this;
}

} // namespace portico::host::routing
