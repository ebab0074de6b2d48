#include "common/Networks.h"

#include <algorithm>
#include <arpa/inet.h>
#include <charconv>

namespace portico::identity
{

std::optional<Network> Network::parse(std::string_view text)
{
    const auto slash = text.find('/');
    const std::string address(text.substr(0, slash));
    Network network;
    if (inet_pton(AF_INET, address.c_str(), network._bytes.data()) != 1)
    {
        if (inet_pton(AF_INET6, address.c_str(), network._bytes.data()) != 1) return std::nullopt;
        network._length = 16;
    }
    network._bits = network._length * 8;
    if (slash == std::string_view::npos) return network;
    const auto bits = text.substr(slash + 1);
    int count = 0;
    const auto [end, error] = std::from_chars(bits.data(), bits.data() + bits.size(), count);
    if (error != std::errc{} || end != bits.data() + bits.size() || count < 0 || count > network._bits) return std::nullopt;
    return network.around(count);
}

Network Network::around(int bits) const noexcept
{
    Network network = *this;
    network._bits = std::min(bits, _length * 8);
    for (int i = 0; i < _length; ++i)
    {
        const int kept = std::clamp(network._bits - i * 8, 0, 8);
        network._bytes[static_cast<std::size_t>(i)] &= static_cast<unsigned char>(0xff << (8 - kept));
    }
    return network;
}

bool Network::contains(const Network& other) const noexcept
{
    return _length == other._length && other._bits >= _bits && other.around(_bits)._bytes == _bytes;
}

std::string Network::text() const
{
    char buffer[INET6_ADDRSTRLEN] = {};
    inet_ntop(isIPv4() ? AF_INET : AF_INET6, _bytes.data(), buffer, sizeof buffer);
    return std::string(buffer) + '/' + std::to_string(_bits);
}

std::string networkPrefix(std::string_view address)
{
    const auto parsed = Network::parse(address);
    return parsed ? parsed->around(parsed->isIPv4() ? 24 : 56).text() : std::string();
}

std::string clientNetwork(std::string_view address)
{
    const auto network = Network::parse(address);
    return network && network->isIPv4() ? std::string(address) : networkPrefix(address);
}

AddressList::AddressList(const std::vector<std::string>& networks) : _everything(networks.empty())
{
    for (const auto& text : networks)
        if (auto network = Network::parse(text)) _networks.push_back(*network);
}

bool AddressList::allows(std::string_view address) const
{
    if (_everything) return true;
    const auto parsed = Network::parse(address);
    return parsed && std::ranges::any_of(_networks, [&](const Network& network) { return network.contains(*parsed); });
}

bool AddressList::isWithin(const AddressList& wide) const
{
    const auto isCovered = [&](const Network& network)
    { return std::ranges::any_of(wide._networks, [&](const Network& other) { return other.contains(network); }); };
    return wide._everything || (!_everything && std::ranges::all_of(_networks, isCovered));
}

} // namespace portico::identity
