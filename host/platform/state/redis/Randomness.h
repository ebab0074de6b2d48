#pragma once

#include <cstdint>
#include <string>

namespace portico::host::platform
{

/// Never 0. @throws std::runtime_error when the kernel gives no randomness
std::uint64_t randomNumber();
/// 128 random bits as text.
std::string randomToken();

} // namespace portico::host::platform
