#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace portico::host
{

/// From the kernel, fit for keys. Thread-safe. @throws std::system_error when the kernel gives none
std::string randomBytes(std::size_t count);
void randomBytes(std::span<unsigned char> bytes);
std::uint64_t randomNumber();

} // namespace portico::host
