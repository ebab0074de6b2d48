#pragma once

#include <array>
#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include <sys/socket.h>

namespace portico::host::http
{

/// An address of IPv6, or one of IPv4 mapped into it: a dual-stack socket shows IPv4 peers so.
struct IpAddress
{
    std::array<unsigned char, 16> bytes{};

    static std::optional<IpAddress> parse(std::string_view text) noexcept;
    /// Empty for a peer of a Unix socket.
    static std::optional<IpAddress> of(const sockaddr_storage& peer) noexcept;

    bool isIpv4() const noexcept;
    /// In its one usual form: `203.0.113.7` also for `::ffff:203.0.113.7`, which is the same client.
    std::string text() const;
    /// What one customer has: the address itself of IPv4, the /64 network of IPv6.
    IpAddress network() const noexcept;

    auto operator<=>(const IpAddress&) const = default;
};

} // namespace portico::host::http
