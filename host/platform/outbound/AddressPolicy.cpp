#include "host/platform/outbound/AddressPolicy.h"

#include <algorithm>
#include <stdexcept>

namespace portico::host::platform
{

namespace
{

IpNetwork range(std::string_view text) { return IpNetwork::parseExact(text).value(); }

/// IANA's special-purpose registries: what is not a public unicast address of IPv4, and of 2000::/3 in IPv6.
const std::vector<IpNetwork>& specialPurpose()
{
    static const std::vector<IpNetwork> ranges = {
        range("0.0.0.0/8"),     range("10.0.0.0/8"),      range("100.64.0.0/10"),  range("127.0.0.0/8"),    range("169.254.0.0/16"),
        range("172.16.0.0/12"), range("192.0.0.0/24"),    range("192.0.2.0/24"),   range("192.88.99.0/24"), range("192.168.0.0/16"),
        range("198.18.0.0/15"), range("198.51.100.0/24"), range("203.0.113.0/24"), range("224.0.0.0/4"),    range("240.0.0.0/4"),
        range("2001::/23"),     range("2001:db8::/32"),   range("2002::/16"),      range("3fff::/20"),
    };
    return ranges;
}

/// The IPv4 address that a NAT64 gateway would connect to (RFC 6052, well-known prefix).
std::optional<IpAddress> behindNat64(const IpAddress& address)
{
    static const IpNetwork wellKnown = range("64:ff9b::/96");
    if (!wellKnown.contains(address)) return std::nullopt;
    return IpAddress::ofIpv4(address.bytes.data() + 12);
}

bool isPublic(const IpAddress& address)
{
    static const IpNetwork globalUnicast = range("2000::/3");
    if (!address.isIpv4() && !globalUnicast.contains(address)) return false;
    return std::none_of(specialPurpose().begin(), specialPurpose().end(),
                        [&](const IpNetwork& special) { return special.contains(address); });
}

} // namespace

AddressPolicy::AddressPolicy(const std::vector<std::string>& allowed, const std::vector<std::string>& addresses)
{
    for (const auto& text : addresses)
    {
        const auto parsed = IpEndpoint::parse(text);
        if (!parsed)
            throw std::invalid_argument("expected an address with a port like 127.0.0.1:8087 or [::1]:8087, found \"" + text + "\"");
        _addresses.push_back(*parsed);
    }
    for (const auto& text : allowed)
    {
        const auto parsed = IpNetwork::parseExact(text);
        if (!parsed) throw std::invalid_argument("expected a network like 10.1.0.0/16 or fd00::/8, found \"" + text + "\"");
        _allowed.push_back(*parsed);
    }
}

bool AddressPolicy::permits(const IpAddress& address) const noexcept
{
    if (std::any_of(_allowed.begin(), _allowed.end(), [&](const IpNetwork& allowed) { return allowed.contains(address); })) return true;
    if (const auto hidden = behindNat64(address)) return permits(*hidden);
    return isPublic(address);
}

bool AddressPolicy::permits(std::string_view address) const
{
    const auto parsed = IpAddress::parse(address);
    return parsed && permits(*parsed);
}

bool AddressPolicy::permits(std::string_view address, std::uint16_t port) const { return isNamed(address, port) || permits(address); }

bool AddressPolicy::isNamed(std::string_view address, std::uint16_t port) const noexcept
{
    const auto parsed = IpAddress::parse(address);
    if (!parsed) return false;
    return std::any_of(_allowed.begin(), _allowed.end(), [&](const IpNetwork& allowed) { return allowed.contains(*parsed); }) ||
           std::any_of(_addresses.begin(), _addresses.end(),
                       [&](const IpEndpoint& allowed) { return allowed.port == port && allowed.address == *parsed; });
}

} // namespace portico::host::platform
