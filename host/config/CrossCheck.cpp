#include "host/config/CrossCheck.h"

#include "host/config/AddressCheck.h"
#include "host/config/RedisUrl.h"
#include "host/config/Values.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace portico::host::config
{

namespace
{

Finding finding(const Entry* entry, std::string key, std::string expected, std::string found, std::string remedy)
{
    return {Finding::Severity::Error,
            entry ? entry->source : Source{"configuration", 0},
            std::move(key),
            std::move(expected),
            std::move(found),
            std::move(remedy),
            {}};
}

void checkCertificate(const Configuration& configuration, std::vector<Finding>& findings)
{
    const auto* certificate = configuration.find("server.tls.certificateFile");
    const auto* key = configuration.find("server.tls.privateKeyFile");
    const bool hasCertificate = certificate && !certificate->value.empty();
    const bool hasKey = key && !key->value.empty();
    if (hasCertificate == hasKey) return;
    const auto* present = hasCertificate ? certificate : key;
    findings.push_back(
        finding(present, present->key, "a certificate and its private key", "one of the two",
                std::string("Set ") + (hasCertificate ? "server.tls.privateKeyFile" : "server.tls.certificateFile") + " too."));
}

void checkPorts(const Configuration& configuration, std::vector<Finding>& findings)
{
    std::map<std::int64_t, std::string> taken;
    if (const auto port = parseInteger(configuration.text("server.port"))) taken[*port] = "server.port";
    for (const auto& [key, entry] : configuration.entries())
    {
        const auto port = parseInteger(entry.value);
        if (!matchesPattern("services.<id>.port", key) || !port || *port == 0) continue;
        const auto [first, isNew] = taken.try_emplace(*port, key);
        if (!isNew) findings.push_back(finding(&entry, key, "a port of its own", "the port of " + first->second, "Choose another."));
    }
}

void checkPluginIds(const Configuration& configuration, const char* key, std::vector<Finding>& findings)
{
    for (const auto& id : configuration.list(key))
        if (!matchesPattern("services.<id>.port", "services." + id + ".port"))
            findings.push_back(finding(configuration.find(key), key, "ids of plugins, separated by commas", "'" + id + "'",
                                       "Name each plugin by its id, as acme-notes."));
}

void checkCollector(const Configuration& configuration, std::vector<Finding>& findings)
{
    const auto* endpoint = configuration.find("tracing.endpoint");
    if (!endpoint || endpoint->value.empty()) return;
    const std::string_view url = endpoint->value;
    const auto authority = url.substr(std::min(url.size(), url.find("://") + 3));
    const bool known = url.starts_with("http://") || url.starts_with("https://");
    if (known && !authority.empty() && authority.front() != '/' && url.find_first_of(" ?#@") == std::string_view::npos) return;
    findings.push_back(finding(endpoint, endpoint->key, "a URL as http://127.0.0.1:4318", "'" + endpoint->value + "'",
                               "Name scheme, host and port of the collector; credentials go into tracing.headersFile."));
}

void checkRedis(const Configuration& configuration, std::vector<Finding>& findings)
{
    if (const auto* url = configuration.find("state.redis.url"); url && !parseRedisUrl(url->value))
        // It may hold a password: it is not repeated.
        findings.push_back(
            finding(url, url->key, "a URL as redis://127.0.0.1:6379/0, without a password", "another form",
                    "Name host, port and number of the database; a password goes into the file of state.redis.passwordFile."));
    constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    if (const auto* prefix = configuration.find("state.redis.prefix");
        prefix && (prefix->value.empty() || prefix->value.find_first_not_of(allowed) != std::string::npos))
        findings.push_back(finding(prefix, prefix->key, "letters, digits, '.', '_' and '-'", "'" + prefix->value + "'",
                                   "Choose a name for the hosts that work together, as portico."));
}

/// A warning: mails wait in the outbox, and the daemon has other things to do.
void checkMailSignIn(const Configuration& configuration, std::vector<Finding>& findings)
{
    const auto* user = configuration.find("mail.user");
    if (!user || user->value.empty() || configuration.text("mail.server").empty() || !configuration.text("mail.passwordFile").empty())
        return;
    findings.push_back(finding(user, user->key, "a password beside the name", "none", "Name its file in mail.passwordFile."));
    findings.back().severity = Finding::Severity::Warning;
}

} // namespace

std::vector<Finding> checkDropIns(const std::vector<Entry>& entries, const std::filesystem::path& dropIns)
{
    std::vector<Finding> findings;
    for (const auto& entry : entries)
        if (entry.key.starts_with("plugins.") && entry.source.line > 0 && std::filesystem::path(entry.source.name).parent_path() == dropIns)
            findings.push_back(finding(&entry, entry.key,
                                       "a setting of services, as everything that may write to the state directory may set",
                                       "one of the host", "Set it in portico.properties or in conf.d beside it."));
    return findings;
}

std::vector<Finding> crossCheck(const Configuration& configuration)
{
    auto findings = checkAddresses(configuration);
    checkCertificate(configuration, findings);
    checkPorts(configuration, findings);
    checkPluginIds(configuration, "plugins.allowUnsigned", findings);
    checkPluginIds(configuration, "plugins.override", findings);
    checkPluginIds(configuration, "plugins.resettable", findings);
    checkCollector(configuration, findings);
    checkRedis(configuration, findings);
    checkMailSignIn(configuration, findings);
    return findings;
}

} // namespace portico::host::config
