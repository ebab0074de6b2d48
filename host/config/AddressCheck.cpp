#include "host/config/AddressCheck.h"

#include "host/base/IpAddress.h"
#include "host/config/Values.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace portico::host::config
{

namespace
{

/// An address, one with the interface that it belongs to (`fe80::1%eth0`), or a name.
bool isHost(std::string_view text)
{
    if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
    if (IpAddress::parse(text.substr(0, text.find('%')))) return true;
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '.' || c == '-'; });
}

/// `host:port`, `[address]:port`, `unix:/path`: what a listener takes.
bool isListenAddress(std::string_view text)
{
    if (text.starts_with("unix:")) return text.size() > 5;
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos) return false;
    const auto port = parseInteger(text.substr(colon + 1));
    const auto host = text.substr(0, colon);
    if (!port || *port < 0 || *port > 65535) return false;
    return isHost(host) && (host.find(':') == std::string_view::npos || host.starts_with('['));
}

bool isTrustedProxy(std::string_view text) { return text == "unix" || IpNetwork::parse(text); }

bool isReachableNetwork(std::string_view text) { return IpNetwork::parseExact(text).has_value(); }

/// `noreply@example.org` or `Name <noreply@example.org>`.
bool isSender(std::string_view text)
{
    if (const auto open = text.rfind('<'); open != std::string_view::npos && text.ends_with('>'))
        text = text.substr(open + 1, text.size() - open - 2);
    const auto at = text.find('@');
    return at != 0 && at != std::string_view::npos && at + 1 < text.size() &&
           text.find_first_of("@<>()[],;:\\\" \t", at + 1) == std::string::npos &&
           text.substr(0, at).find_first_of("<>()[],;:\\\" \t") == std::string::npos;
}

/// `billing@example.org` or `@example.org`.
bool isSenderPattern(std::string_view text)
{
    return text.find('<') == std::string_view::npos && isSender(text.starts_with('@') ? "a" + std::string(text) : std::string(text));
}

class AddressCheck
{
public:
    explicit AddressCheck(const Configuration& configuration) : _configuration(configuration) {}

    /// Each item of a list must be right.
    void items(const char* key, bool (*right)(std::string_view), const char* expected)
    {
        const auto* entry = _configuration.find(key);
        if (entry == nullptr) return;
        for (const auto& item : parseList(entry->value))
            if (!right(item)) add(*entry, expected, "'" + item + "'", {}, {});
    }

    void value(const char* key, bool (*right)(std::string_view), const char* expected)
    {
        const auto* entry = _configuration.find(key);
        if (entry != nullptr && !entry->value.empty() && !right(entry->value)) add(*entry, expected, "'" + entry->value + "'", {}, {});
    }

    /// The name in the Host header says which service is meant, so no two may have the same.
    void origins()
    {
        std::map<std::string, std::string> services;
        for (const auto& [key, entry] : _configuration.entries())
        {
            if (!matchesPattern("services.<id>.origins", key)) continue;
            constexpr std::size_t prefix = 9; // services.
            const auto id = key.substr(prefix, key.rfind('.') - prefix);
            for (const auto& origin : parseList(entry.value))
            {
                const auto [first, isNew] = services.try_emplace(hostOf(origin), id);
                if (!isNew && first->second != id)
                    add(entry, "an origin that no other service has", "'" + origin + "', which " + first->second + " has",
                        "Give each service a host name of its own.", id);
            }
        }
    }

    std::vector<Finding> findings;

private:
    static std::string hostOf(const std::string& origin)
    {
        std::string host = origin.substr(std::min(origin.size(), origin.find("://") + 3));
        std::transform(host.begin(), host.end(), host.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        return host;
    }

    void add(const Entry& entry, std::string expected, std::string found, std::string remedy, std::string serviceId)
    {
        findings.push_back({Finding::Severity::Error, entry.source, entry.key, std::move(expected), std::move(found), std::move(remedy),
                            std::move(serviceId)});
    }

    const Configuration& _configuration;
};

} // namespace

std::vector<Finding> checkAddresses(const Configuration& configuration)
{
    AddressCheck check(configuration);
    check.items("server.bind", isHost, "addresses of this machine as 127.0.0.1,::1, without a port");
    check.items("server.trustedProxies", isTrustedProxy, "addresses, networks as 10.0.0.0/8, or unix, separated by commas");
    check.items("outbound.allowedNetworks", isReachableNetwork, "networks as 10.1.0.0/16 or fd00::/8, separated by commas");
    check.value("metrics.listen", isListenAddress, "an address with a port, as 127.0.0.1:9464 or [::1]:9464");
    check.value("mail.from", isSender, "an address as noreply@example.org or Name <noreply@example.org>");
    check.items("mail.senders", isSenderPattern, "addresses as billing@example.org and domains as @example.org, separated by commas");
    check.origins();
    return std::move(check.findings);
}

} // namespace portico::host::config
