#include "host/platform/state/redis/Randomness.h"

#include <stdexcept>

#include <sys/random.h>

namespace portico::host::platform
{

std::uint64_t randomNumber()
{
    std::uint64_t number = 0;
    while (number == 0)
        if (::getrandom(&number, sizeof number, 0) != static_cast<ssize_t>(sizeof number))
            throw std::runtime_error("the kernel gives no randomness");
    return number;
}

std::string randomToken() { return std::to_string(randomNumber()) + '-' + std::to_string(randomNumber()); }

} // namespace portico::host::platform
