#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <sys/socket.h>

namespace portico::host
{

/// An address of IPv6, or one of IPv4 mapped into it (`::ffff:0:0/96`), so that the two ways to write it are one: a dual-stack socket shows
/// IPv4 peers so.
struct IpAddress
{
    std::array<unsigned char, 16> bytes{};

    /// In its numeric form, without port, brackets or zone; each number of IPv4 in decimal. Empty for anything else.
    static std::optional<IpAddress> parse(std::string_view text) noexcept;
    /// Empty for a peer of a Unix socket.
    static std::optional<IpAddress> of(const sockaddr_storage& peer) noexcept;
    static IpAddress ofIpv4(const unsigned char* fourBytes) noexcept;

    bool isIpv4() const noexcept;
    /// In its one usual form: `203.0.113.7` also for `::ffff:203.0.113.7`, which is the same client.
    std::string text() const;
    /// Network of one customer: the IPv4 address itself, or the /64 network of IPv6.
    IpAddress network() const noexcept;

    auto operator<=>(const IpAddress&) const = default;
};

/// `10.0.0.0/8`, `fd00::/8`, or one address.
struct IpNetwork
{
    IpAddress address;
    /// 0 to 128, counted in the mapped form.
    unsigned prefixLength = 128;

    static std::optional<IpNetwork> parse(std::string_view text) noexcept;
    /// Empty also for 10.1.2.3/8, which says more than a network: a typing error there opens the wrong one.
    static std::optional<IpNetwork> parseExact(std::string_view text) noexcept;
    bool contains(const IpAddress& other) const noexcept;
};

/// An address with a port: `127.0.0.1:8087`, `[::1]:8087`.
struct IpEndpoint
{
    IpAddress address;
    std::uint16_t port = 0;

    /// Returns nothing for text of another form, and for port 0.
    static std::optional<IpEndpoint> parse(std::string_view text) noexcept;
};

} // namespace portico::host
