#pragma once

#include "host/base/IpAddress.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::platform
{

/// Decides to which addresses a service may make the host connect. Only public unicast addresses pass; an address that embeds an IPv4 one
/// (mapped, NAT64) is checked by that. The operator's allow list has precedence. Immutable.
class AddressPolicy
{
public:
    AddressPolicy() = default;
    /// @throws std::invalid_argument that names the entry which is not a range.
    explicit AddressPolicy(const std::vector<std::string>& allowed) : AddressPolicy(allowed, {}) {}
    /// @param addresses as `IpEndpoint::parse` reads them
    AddressPolicy(const std::vector<std::string>& allowed, const std::vector<std::string>& addresses);

    bool permits(const IpAddress& address) const noexcept;
    /// The same for text; false for text that is not an address.
    bool permits(std::string_view address) const;
    /// The same for one port of an address.
    bool permits(std::string_view address, std::uint16_t port) const;
    /// True if the operator has named the address, or this port of it. False for text that is not an address.
    bool isNamed(std::string_view address, std::uint16_t port) const noexcept;

private:
    std::vector<IpNetwork> _allowed;
    std::vector<IpEndpoint> _addresses;
};

} // namespace portico::host::platform
