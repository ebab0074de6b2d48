#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

/// A network in CIDR form; a single address is a network of one. IPv4 and IPv6 never match each other.
class Network
{
public:
    /// Returns none for text that is neither an address nor `address/bits`.
    static std::optional<Network> parse(std::string_view text);
    /// Returns true if the address or network lies completely in this one.
    bool contains(const Network& other) const noexcept;
    /// Returns the network of this address's first `bits` bits.
    Network around(int bits) const noexcept;
    bool isIPv4() const noexcept { return _length == 4; }
    std::string text() const;

private:
    std::array<unsigned char, 16> _bytes{};
    int _length = 4;
    int _bits = 32;
};

/// Returns `203.0.113.0/24`, or a /56 for IPv6: the stored part of an address. Empty for invalid addresses.
std::string networkPrefix(std::string_view address);
/// Returns the network that identifies a client: an IPv4 address, or a /56 of IPv6, because a client has many IPv6 addresses.
std::string clientNetwork(std::string_view address);

/// Addresses that may use a key; an empty list allows all.
class AddressList
{
public:
    /// Ignores entries that are not networks.
    explicit AddressList(const std::vector<std::string>& networks);
    bool allows(std::string_view address) const;
    /// Returns true if `wide` allows everything that this list allows. Each network of this list must lie in one of `wide`.
    bool isWithin(const AddressList& wide) const;
    bool empty() const noexcept { return _everything; }

private:
    bool _everything;
    std::vector<Network> _networks;
};

} // namespace portico::identity
