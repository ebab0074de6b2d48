#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace portico::fuzz
{

/// Checks a property of every input; libFuzzer keeps the input that violates it.
inline void require(bool holds)
{
    if (!holds) std::abort();
}

inline std::string_view textOf(const std::uint8_t* data, std::size_t size) { return {reinterpret_cast<const char*>(data), size}; }

} // namespace portico::fuzz
