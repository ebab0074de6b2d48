#include "common/RateLimits.h"

#include <arpa/inet.h>

#include <array>

namespace portico::launchpad
{

namespace
{
constexpr std::size_t addressBytes = 16, networkBytes = 7;
}

std::string networkOf(std::string_view address)
{
    std::array<unsigned char, addressBytes> bytes{};
    if (inet_pton(AF_INET6, std::string(address).c_str(), bytes.data()) != 1) return std::string(address);
    std::string network = "v6";
    for (std::size_t i = 0; i < networkBytes; ++i) network += ':' + std::to_string(bytes.at(i));
    return network;
}

} // namespace portico::launchpad
