#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::platform
{

/// An address as 128 bits; IPv4 stands in the mapped range `::ffff:0:0/96`, so that the two ways to write it are one.
using AddressBits = std::array<std::uint8_t, 16>;

/// An IPv4 or IPv6 address in its numeric form, without port, brackets or zone; empty for anything else.
std::optional<AddressBits> parseAddress(std::string_view text);

/// `10.0.0.0/8`, `fd00::/8`, or one address.
struct AddressRange
{
    AddressBits network{};
    /// 0 to 128, counted in the mapped form.
    unsigned prefixLength = 128;

    /// Empty for text that is not a range, also when bits beyond the prefix are set: a typing error there opens the wrong network.
    static std::optional<AddressRange> parse(std::string_view text);
    bool contains(const AddressBits& address) const noexcept;
};

/// Decides to which addresses a service may make the host connect. Only public unicast addresses pass; an address that hides an IPv4 one
/// (mapped, NAT64) is judged by that. The operator's allow list goes before everything. Immutable.
class AddressPolicy
{
public:
    AddressPolicy() = default;
    /// @throws std::invalid_argument that names the entry which is not a range.
    explicit AddressPolicy(const std::vector<std::string>& allowed);

    bool permits(const AddressBits& address) const noexcept;
    /// The same for text; false for text that is not an address.
    bool permits(std::string_view address) const;

private:
    std::vector<AddressRange> _allowed;
};

} // namespace portico::host::platform
