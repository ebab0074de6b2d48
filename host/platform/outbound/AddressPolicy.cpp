#include "host/platform/outbound/AddressPolicy.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include <arpa/inet.h>

namespace portico::host::platform
{

namespace
{

constexpr unsigned mappedBits = 96;

AddressBits mapped(const std::uint8_t* fourBytes) noexcept
{
    AddressBits bits{};
    bits[10] = bits[11] = 0xFF;
    std::copy_n(fourBytes, 4, bits.begin() + 12);
    return bits;
}

AddressRange range(std::string_view text) { return AddressRange::parse(text).value(); }

const AddressRange& everyV4()
{
    static const AddressRange found{mapped(std::array<std::uint8_t, 4>{}.data()), mappedBits};
    return found;
}

/// IANA's special-purpose registries: what is not a public unicast address of IPv4, and of 2000::/3 in IPv6.
const std::vector<AddressRange>& specialPurpose()
{
    static const std::vector<AddressRange> ranges = {
        range("0.0.0.0/8"),     range("10.0.0.0/8"),      range("100.64.0.0/10"),  range("127.0.0.0/8"),    range("169.254.0.0/16"),
        range("172.16.0.0/12"), range("192.0.0.0/24"),    range("192.0.2.0/24"),   range("192.88.99.0/24"), range("192.168.0.0/16"),
        range("198.18.0.0/15"), range("198.51.100.0/24"), range("203.0.113.0/24"), range("224.0.0.0/4"),    range("240.0.0.0/4"),
        range("2001::/23"),     range("2001:db8::/32"),   range("2002::/16"),      range("3fff::/20"),
    };
    return ranges;
}

/// The IPv4 address that a NAT64 gateway would connect to (RFC 6052, well-known prefix).
std::optional<AddressBits> behindNat64(const AddressBits& address)
{
    static const AddressRange wellKnown = range("64:ff9b::/96");
    if (!wellKnown.contains(address)) return std::nullopt;
    return mapped(address.data() + 12);
}

bool isPublic(const AddressBits& address)
{
    static const AddressRange globalUnicast = range("2000::/3");
    if (!everyV4().contains(address) && !globalUnicast.contains(address)) return false;
    return std::none_of(specialPurpose().begin(), specialPurpose().end(),
                        [&](const AddressRange& special) { return special.contains(address); });
}

bool hasBitsBeyond(const AddressBits& address, unsigned prefixLength)
{
    for (unsigned bit = prefixLength; bit < 128; ++bit)
        if ((address[bit / 8] & (0x80U >> (bit % 8))) != 0) return true;
    return false;
}

} // namespace

std::optional<AddressBits> parseAddress(std::string_view text)
{
    const std::string terminated(text);
    std::array<std::uint8_t, 16> bytes{};
    if (::inet_pton(AF_INET, terminated.c_str(), bytes.data()) == 1) return mapped(bytes.data());
    if (::inet_pton(AF_INET6, terminated.c_str(), bytes.data()) == 1) return bytes;
    return std::nullopt;
}

std::optional<AddressRange> AddressRange::parse(std::string_view text)
{
    const auto slash = text.find('/');
    const auto address = parseAddress(text.substr(0, slash));
    if (!address) return std::nullopt;
    const bool v4 = text.find(':') == std::string_view::npos;
    unsigned length = v4 ? 32 : 128;
    if (slash != std::string_view::npos)
    {
        const auto digits = text.substr(slash + 1);
        unsigned given = 0;
        const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), given);
        if (error != std::errc{} || stop != digits.data() + digits.size() || given > length) return std::nullopt;
        length = given;
    }
    if (v4) length += mappedBits;
    if (hasBitsBeyond(*address, length)) return std::nullopt;
    return AddressRange{*address, length};
}

bool AddressRange::contains(const AddressBits& address) const noexcept
{
    const unsigned whole = prefixLength / 8;
    if (!std::equal(network.begin(), network.begin() + whole, address.begin())) return false;
    if (prefixLength % 8 == 0) return true;
    const unsigned mask = 0xFF00U >> (prefixLength % 8) & 0xFFU;
    return (network[whole] & mask) == (address[whole] & mask);
}

AddressPolicy::AddressPolicy(const std::vector<std::string>& allowed)
{
    for (const auto& text : allowed)
    {
        const auto parsed = AddressRange::parse(text);
        if (!parsed) throw std::invalid_argument("expected a network like 10.1.0.0/16 or fd00::/8, found \"" + text + "\"");
        _allowed.push_back(*parsed);
    }
}

bool AddressPolicy::permits(const AddressBits& address) const noexcept
{
    if (std::any_of(_allowed.begin(), _allowed.end(), [&](const AddressRange& allowed) { return allowed.contains(address); })) return true;
    if (const auto hidden = behindNat64(address)) return permits(*hidden);
    return isPublic(address);
}

bool AddressPolicy::permits(std::string_view address) const
{
    const auto bits = parseAddress(address);
    return bits && permits(*bits);
}

} // namespace portico::host::platform
