#include "host/daemon/ServiceAddresses.h"

#include "host/base/FileDescriptor.h"
#include "host/config/Catalog.h"
#include "host/config/Values.h"
#include "host/daemon/ServiceManager.h"

#include <algorithm>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <optional>
#include <sys/socket.h>

namespace portico::host::daemon
{

namespace
{

using config::Configuration;

constexpr std::string_view portPrefix = "services.";
constexpr std::string_view portSuffix = ".port";

std::optional<http::TlsSettings> tls(const Configuration& configuration)
{
    const auto certificate = configuration.text("server.tls.certificateFile");
    if (certificate.empty()) return std::nullopt;
    return http::TlsSettings{certificate, configuration.text("server.tls.privateKeyFile")};
}

std::string socketAddress(const std::string& address, std::int64_t port)
{
    const bool isIPv6 = address.find(':') != std::string::npos && !address.starts_with('[');
    return (isIPv6 ? "[" + address + "]" : address) + ":" + std::to_string(port);
}

/// Ports that belong to one service, by number.
std::vector<std::pair<std::int64_t, std::string>> servicePorts(const Configuration& configuration)
{
    std::vector<std::pair<std::int64_t, std::string>> ports;
    for (const auto& [key, entry] : configuration.entries())
    {
        if (!config::matchesPattern("services.<id>.port", key) || configuration.integer(key) == 0) continue;
        ports.emplace_back(configuration.integer(key), key.substr(portPrefix.size(), key.size() - portPrefix.size() - portSuffix.size()));
    }
    std::sort(ports.begin(), ports.end());
    return ports;
}

/// False where an IPv6 address cannot be bound because this machine has no IPv6.
bool machineHas(const std::string& address)
{
    in6_addr bits{};
    if (::inet_pton(AF_INET6, address.c_str(), &bits) != 1) return true;
    const FileDescriptor probe(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in6 any{};
    any.sin6_family = AF_INET6;
    any.sin6_addr = bits;
    return probe && ::bind(probe.get(), reinterpret_cast<const sockaddr*>(&any), sizeof any) == 0;
}

/// What is set must be there; of the default, only what is.
std::vector<std::string> addresses(const Configuration& configuration)
{
    auto all = configuration.list("server.bind");
    if (!configuration.find("server.bind")) std::erase_if(all, [](const std::string& address) { return !machineHas(address); });
    return all;
}

bool isPlainLoopback(std::string_view origin)
{
    if (!origin.starts_with("http://")) return false;
    auto host = origin.substr(7);
    if (const auto colon = host.rfind(':'); colon != std::string_view::npos && !host.ends_with(']')) host = host.substr(0, colon);
    if (host == "localhost" || host.ends_with(".localhost") || host == "[::1]") return true;
    // An address, not a name that begins like one.
    in_addr bits{};
    return host.starts_with("127.") && ::inet_pton(AF_INET, std::string(host).c_str(), &bits) == 1;
}

} // namespace

std::vector<std::string> serviceOrigins(const Configuration& configuration, const std::string& serviceId)
{
    if (auto set = config::parseList(configuration.service(serviceId, "origins")); !set.empty()) return set;
    const bool secure = tls(configuration).has_value();
    const auto port = configuration.integer("server.port");
    std::string origin = (secure ? "https://" : "http://") + serviceId + ".localhost";
    if (port != (secure ? 443 : 80)) origin += ":" + std::to_string(port);
    return {origin};
}

bool serviceEnabled(const Configuration& configuration, const std::string& serviceId)
{
    return config::parseBoolean(configuration.service(serviceId, "enabled")).value_or(false);
}

platform::HostFacts hostFacts(const Configuration& started, const Configuration& current, const plugins::Discovery& discovery)
{
    platform::HostFacts facts;
    facts.version = PORTICO_VERSION;
    facts.plainHttp = true;
    for (const auto& [id, plugin] : discovery.plugins)
    {
        if (!serviceEnabled(current, id)) continue;
        const auto origins = serviceOrigins(started, id);
        facts.origins.emplace(id, origins.front());
        facts.plainHttp = facts.plainHttp && std::all_of(origins.begin(), origins.end(), isPlainLoopback);
    }
    return facts;
}

std::vector<http::ListenerSettings> listeners(const Configuration& configuration)
{
    AdoptedSockets adopted;
    std::vector<http::ListenerSettings> all;
    const auto add = [&](const std::string& address, const std::string& service)
    {
        http::ListenerSettings listener;
        listener.address = address;
        listener.service = service;
        listener.descriptor = adopted.take(address);
        if (!address.starts_with("unix:")) listener.tls = tls(configuration);
        all.push_back(std::move(listener));
    };
    const auto ports = servicePorts(configuration);
    for (const auto& address : addresses(configuration))
    {
        add(socketAddress(address, configuration.integer("server.port")), {});
        for (const auto& [port, service] : ports) add(socketAddress(address, port), service);
    }
    if (const auto path = configuration.text("server.unixSocket"); !path.empty()) add("unix:" + path, {});
    for (const auto& [descriptor, address] : adopted.rest())
    {
        http::ListenerSettings listener;
        listener.address = address;
        listener.descriptor = descriptor;
        if (!address.starts_with("unix:")) listener.tls = tls(configuration);
        all.push_back(std::move(listener));
    }
    return all;
}

} // namespace portico::host::daemon
