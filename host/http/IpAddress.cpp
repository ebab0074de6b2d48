#include "host/http/IpAddress.h"

#include <algorithm>
#include <cstring>

#include <arpa/inet.h>
#include <netinet/in.h>

namespace portico::host::http
{

namespace
{

constexpr std::array<unsigned char, 12> mappedPrefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

} // namespace

std::optional<IpAddress> IpAddress::parse(std::string_view text) noexcept
{
    std::array<char, INET6_ADDRSTRLEN> terminated{};
    if (text.size() >= terminated.size()) return std::nullopt;
    text.copy(terminated.data(), text.size());
    IpAddress address;
    if (::inet_pton(AF_INET6, terminated.data(), address.bytes.data()) == 1) return address;
    std::copy(mappedPrefix.begin(), mappedPrefix.end(), address.bytes.begin());
    if (::inet_pton(AF_INET, terminated.data(), address.bytes.data() + mappedPrefix.size()) == 1) return address;
    return std::nullopt;
}

std::optional<IpAddress> IpAddress::of(const sockaddr_storage& peer) noexcept
{
    IpAddress address;
    if (peer.ss_family == AF_INET6)
        std::memcpy(address.bytes.data(), &reinterpret_cast<const sockaddr_in6&>(peer).sin6_addr, address.bytes.size());
    else if (peer.ss_family == AF_INET)
    {
        std::copy(mappedPrefix.begin(), mappedPrefix.end(), address.bytes.begin());
        std::memcpy(address.bytes.data() + mappedPrefix.size(), &reinterpret_cast<const sockaddr_in&>(peer).sin_addr, sizeof(in_addr));
    }
    else
        return std::nullopt;
    return address;
}

bool IpAddress::isIpv4() const noexcept { return std::equal(mappedPrefix.begin(), mappedPrefix.end(), bytes.begin()); }

std::string IpAddress::text() const
{
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (isIpv4())
        ::inet_ntop(AF_INET, bytes.data() + mappedPrefix.size(), text.data(), text.size());
    else
        ::inet_ntop(AF_INET6, bytes.data(), text.data(), text.size());
    return text.data();
}

IpAddress IpAddress::network() const noexcept
{
    IpAddress network = *this;
    if (!isIpv4()) std::fill(network.bytes.begin() + 8, network.bytes.end(), 0);
    return network;
}

} // namespace portico::host::http
