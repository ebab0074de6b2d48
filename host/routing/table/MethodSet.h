#pragma once

#include "portico/Http.h"

#include <cstdint>
#include <string>

namespace portico::host::routing
{

inline constexpr std::size_t methodCount = 7;

/// Which methods a path has.
class MethodSet
{
public:
    void add(Method method) noexcept { _bits |= static_cast<std::uint8_t>(1U << static_cast<unsigned>(method)); }
    void add(MethodSet other) noexcept { _bits |= other._bits; }
    bool has(Method method) const noexcept { return (_bits >> static_cast<unsigned>(method)) & 1U; }
    bool empty() const noexcept { return _bits == 0; }
    /// As `Allow` and `Access-Control-Allow-Methods` list them: with HEAD where there is GET, and with OPTIONS, which every path has.
    std::string list() const;
    static MethodSet all() noexcept;

private:
    std::uint8_t _bits = 0;
};

} // namespace portico::host::routing
