#include "host/http/TrustedProxies.h"

#include "host/http/Characters.h"

#include <algorithm>
#include <stdexcept>

namespace portico::host::http
{

namespace
{

std::string_view withoutQuotes(std::string_view text) noexcept
{
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"') return text.substr(1, text.size() - 2);
    return text;
}

/// `192.0.2.1:4711`, `[2001:db8::1]:4711` and the same without port.
std::string_view withoutPort(std::string_view node) noexcept
{
    if (node.starts_with('[')) return node.substr(1, std::min(node.find(']'), node.size()) - 1);
    const auto colon = node.find(':');
    return colon != std::string_view::npos && node.find(':', colon + 1) == std::string_view::npos ? node.substr(0, colon) : node;
}

/// Takes the last element off a list.
std::string_view takeLast(std::string_view& list) noexcept
{
    const auto comma = list.rfind(',');
    const auto element = comma == std::string_view::npos ? list : list.substr(comma + 1);
    list = comma == std::string_view::npos ? std::string_view{} : list.substr(0, comma);
    return trimmed(element);
}

/// The `hops`-th element from the end, or the first of a shorter list: a proxy may replace the list instead of adding to it.
std::string_view elementFromEnd(std::string_view list, std::size_t hops) noexcept
{
    std::string_view element;
    for (std::size_t i = 0; i <= hops && !list.empty(); ++i) element = takeLast(list);
    return element;
}

std::string_view parameter(std::string_view element, std::string_view name) noexcept
{
    while (!element.empty())
    {
        std::string_view value = takeElement(element, ';');
        if (equalsIgnoreCase(takeElement(value, '='), name)) return withoutQuotes(value);
    }
    return {};
}

/// The last header of that name: earlier ones may come from further away.
std::string_view lastHeader(const Request& request, std::string_view name) noexcept
{
    std::string_view value;
    for (const auto& field : request.headers)
        if (equalsIgnoreCase(field.name, name)) value = field.value;
    return value;
}

} // namespace

TrustedProxies::TrustedProxies(const std::vector<std::string>& entries)
{
    for (const auto& entry : entries)
    {
        if (entry == "unix")
        {
            _unixPeers = true;
            continue;
        }
        const auto network = IpNetwork::parse(entry);
        if (!network)
            throw std::invalid_argument("trusted proxy \"" + entry + "\": expected an address, a network such as 10.0.0.0/8, or unix");
        _networks.push_back(*network);
    }
}

bool TrustedProxies::trusts(std::string_view peer) const noexcept
{
    if (peer == "unix") return _unixPeers;
    if (_networks.empty()) return false;
    const auto address = IpAddress::parse(peer);
    return address && trustsAddress(*address);
}

bool TrustedProxies::trustsAddress(const IpAddress& address) const noexcept
{
    return std::ranges::any_of(_networks, [&](const IpNetwork& network) { return network.contains(address); });
}

Forwarding TrustedProxies::read(const Request& request) const
{
    const auto forwarded = lastHeader(request, "Forwarded");
    return forwarded.empty() ? readCustomary(request) : readForwarded(forwarded);
}

Forwarding TrustedProxies::readForwarded(std::string_view value) const
{
    Forwarding found;
    while (!value.empty())
    {
        const auto element = takeLast(value);
        const auto node = withoutPort(parameter(element, "for"));
        const auto address = IpAddress::parse(node);
        // A hidden or unknown node ends the chain: the proxy that said so is the last one known.
        if (!address) break;
        found = {address->text(), parameter(element, "host"), parameter(element, "proto")};
        if (!trustsAddress(*address)) break;
    }
    return found;
}

Forwarding TrustedProxies::readCustomary(const Request& request) const
{
    Forwarding found;
    std::size_t hops = 0;
    auto chain = lastHeader(request, "X-Forwarded-For");
    for (std::size_t i = 0; !chain.empty(); ++i)
    {
        const auto node = withoutPort(takeLast(chain));
        const auto address = IpAddress::parse(node);
        if (!address) break;
        found.client = address->text();
        hops = i;
        if (!trustsAddress(*address)) break;
    }
    found.host = elementFromEnd(lastHeader(request, "X-Forwarded-Host"), hops);
    found.scheme = elementFromEnd(lastHeader(request, "X-Forwarded-Proto"), hops);
    return found;
}

} // namespace portico::host::http
