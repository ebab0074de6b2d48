#include "host/base/IpAddress.h"

#include "host/base/Text.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include <arpa/inet.h>
#include <netinet/in.h>

namespace portico::host
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
    std::array<unsigned char, 4> ipv4{};
    if (::inet_pton(AF_INET, terminated.data(), ipv4.data()) == 1) return ofIpv4(ipv4.data());
    return std::nullopt;
}

std::optional<IpAddress> IpAddress::of(const sockaddr_storage& peer) noexcept
{
    if (peer.ss_family == AF_INET)
        return ofIpv4(reinterpret_cast<const unsigned char*>(&reinterpret_cast<const sockaddr_in&>(peer).sin_addr));
    if (peer.ss_family != AF_INET6) return std::nullopt;
    IpAddress address;
    std::memcpy(address.bytes.data(), &reinterpret_cast<const sockaddr_in6&>(peer).sin6_addr, address.bytes.size());
    return address;
}

IpAddress IpAddress::ofIpv4(const unsigned char* fourBytes) noexcept
{
    IpAddress address;
    std::copy_n(fourBytes, 4, std::copy(mappedPrefix.begin(), mappedPrefix.end(), address.bytes.begin()));
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

std::optional<IpNetwork> IpNetwork::parse(std::string_view text) noexcept
{
    const auto slash = text.find('/');
    const auto address = IpAddress::parse(text.substr(0, slash));
    if (!address) return std::nullopt;
    if (slash == std::string_view::npos) return IpNetwork{*address, 128};
    const unsigned length = text.find(':') == std::string_view::npos ? 32 : 128;
    const auto prefix = parseNumber<unsigned>(text.substr(slash + 1));
    if (!prefix || *prefix > length) return std::nullopt;
    return IpNetwork{*address, *prefix + 128 - length};
}

std::optional<IpNetwork> IpNetwork::parseExact(std::string_view text) noexcept
{
    const auto network = parse(text);
    for (unsigned bit = network ? network->prefixLength : 128; bit < 128; ++bit)
        if ((network->address.bytes[bit / 8] & (0x80U >> (bit % 8))) != 0) return std::nullopt;
    return network;
}

bool IpNetwork::contains(const IpAddress& other) const noexcept
{
    const auto whole = prefixLength / 8;
    if (!std::equal(other.bytes.begin(), other.bytes.begin() + whole, address.bytes.begin())) return false;
    const unsigned rest = prefixLength % 8;
    return rest == 0 || ((other.bytes[whole] ^ address.bytes[whole]) >> (8 - rest)) == 0;
}

std::optional<IpEndpoint> IpEndpoint::parse(std::string_view text) noexcept
{
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos) return std::nullopt;
    auto host = text.substr(0, colon);
    const auto digits = text.substr(colon + 1);
    const bool bracketed = host.size() > 2 && host.starts_with('[') && host.ends_with(']');
    if (bracketed) host = host.substr(1, host.size() - 2);
    const auto address = IpAddress::parse(host);
    IpEndpoint found;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), found.port);
    // An IPv6 address without brackets has no port.
    if (!address || (host.find(':') != std::string_view::npos) != bracketed || error != std::errc{} ||
        end != digits.data() + digits.size() || found.port == 0)
        return std::nullopt;
    found.address = *address;
    return found;
}

} // namespace portico::host
