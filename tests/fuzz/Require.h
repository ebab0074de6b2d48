#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace portico::fuzz
{

/// What must hold for every input; libFuzzer keeps the input for which it does not.
inline void require(bool holds)
{
    if (!holds) std::abort();
}

inline std::string_view textOf(const std::uint8_t* data, std::size_t size) { return {reinterpret_cast<const char*>(data), size}; }

} // namespace portico::fuzz
