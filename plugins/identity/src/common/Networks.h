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
    /// Empty for text that is neither an address nor `address/bits`.
    static std::optional<Network> parse(std::string_view text);
    /// Whether all of that address, or network, is in this one.
    bool contains(const Network& other) const noexcept;
    /// The network of the first `bits` bits around this address.
    Network around(int bits) const noexcept;
    bool isIPv4() const noexcept { return _length == 4; }
    std::string text() const;

private:
    std::array<unsigned char, 16> _bytes{};
    int _length = 4;
    int _bits = 32;
};

/// `203.0.113.0/24`, or /56 for IPv6: as much of an address as is kept and counted. Empty for text that is no address.
std::string networkPrefix(std::string_view address);
/// One client: an address of IPv4, a /56 of IPv6, of which everybody has many addresses.
std::string clientNetwork(std::string_view address);

/// The addresses that a key may be used from; an empty list allows all.
class AddressList
{
public:
    /// Entries that are no networks match nothing.
    explicit AddressList(const std::vector<std::string>& networks);
    bool allows(std::string_view address) const;
    /// Whether `wide` allows everything that this one does, as far as each network here lies in one of its own.
    bool isWithin(const AddressList& wide) const;
    bool empty() const noexcept { return _everything; }

private:
    bool _everything;
    std::vector<Network> _networks;
};

} // namespace portico::identity
