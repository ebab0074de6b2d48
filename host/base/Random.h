#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace portico::host
{

/// Returns random bytes of the kernel, suitable for keys. Thread-safe. @throws std::system_error when the kernel returns none
std::string randomBytes(std::size_t count);
void randomBytes(std::span<unsigned char> bytes);
std::uint64_t randomNumber();

} // namespace portico::host
