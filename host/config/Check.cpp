#include "host/config/Configuration.h"

#include "host/base/IpAddress.h"
#include "host/base/Text.h"
#include "host/config/Values.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace portico::host::config
{

namespace
{

/// True if the first part of the key belongs to the host, so that a misspelling of it cannot be a plugin's business.
bool isHostKey(std::string_view key)
{
    const auto section = key.substr(0, key.find('.'));
    for (const auto& group : settingGroups())
        for (const auto& setting : group.settings)
            if (setting.key.substr(0, setting.key.find('.')) == section) return true;
    return false;
}

using Diagnostics = std::vector<Diagnostic>;

Diagnostic mistake(const Entry& entry, std::string expected, std::string found, std::string remedy = {}, std::string serviceId = {})
{
    return {Diagnostic::Severity::Error, entry.source,        entry.key, std::move(expected), std::move(found),
            std::move(remedy),           std::move(serviceId)};
}

Diagnostic warning(const Entry& entry, std::string expected, std::string found, std::string remedy, std::string serviceId = {})
{
    auto diagnostic = mistake(entry, std::move(expected), std::move(found), std::move(remedy), std::move(serviceId));
    diagnostic.severity = Diagnostic::Severity::Warning;
    return diagnostic;
}

Diagnostic unknownKey(const Catalog& catalog, const Entry& entry)
{
    auto diagnostic = mistake(entry, "a known setting", "an unknown one");
    if (const auto nearest = catalog.nearest(entry.key); !nearest.empty())
        diagnostic.remedy = "Did you mean " + nearest + "?";
    else
        diagnostic.remedy = "portico.properties(5) lists the settings; the manifest of a service lists its own.";
    if (!isHostKey(entry.key)) diagnostic.serviceId = entry.key.substr(0, entry.key.find('.'));
    return diagnostic;
}

std::string secretFault(const std::string& value)
{
    struct stat status = {};
    if (value.empty()) return {};
    const bool holdsSomething = ::stat(value.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0;
    return holdsSomething && ::access(value.c_str(), R_OK) == 0 ? "" : "a file with a secret that the daemon can read";
}

void checkValue(const Rule& rule, const Entry& entry, Diagnostics& diagnostics)
{
    auto expected = rule.fault ? rule.fault(entry.value) : fault(rule.kind, rule.minimum, rule.maximum, rule.choices, entry.value);
    if (expected.empty() && rule.kind == Kind::SecretFile) expected = secretFault(entry.value);
    if (rule.kind == Kind::Database && entry.value.empty() && !rule.defaultValue.value_or("").empty())
        expected = "sqlite: or postgresql://user@host:port/database";
    if (expected.empty()) return;
    const auto found = entry.value.empty() ? std::string("nothing") : "'" + entry.value + "'";
    // A database URL may be rejected because it contains a password: it is not repeated.
    diagnostics.push_back(mistake(entry, std::move(expected), rule.kind == Kind::Database ? "another form" : found, {}, rule.serviceId));
}

void checkSecrecy(const Rule& rule, const Entry& entry, Diagnostics& diagnostics)
{
    struct stat status = {};
    if (rule.kind != Kind::SecretFile || entry.value.empty() || ::stat(entry.value.c_str(), &status) != 0) return;
    if ((status.st_mode & S_IRWXO) == 0) return;
    diagnostics.push_back(warning(entry, "a file for its owner, or its group, alone", "'" + entry.value + "', which everybody may use",
                                  "chmod o-rwx it, and change the secret if others use this machine.", rule.serviceId));
}

void checkRepetition(const std::vector<Entry>& entries, Diagnostics& diagnostics)
{
    std::map<std::pair<std::string, std::string>, int> firstLines;
    for (const auto& entry : entries)
    {
        if (entry.source.line == 0) continue;
        const auto [first, isNew] = firstLines.try_emplace({entry.source.name, entry.key}, entry.source.line);
        if (isNew) continue;
        diagnostics.push_back(mistake(entry, "each key once in a file", "the same key as in line " + std::to_string(first->second),
                                      "Remove one of the two lines."));
    }
}

/// An address, one with the interface that it belongs to (`fe80::1%eth0`), or a name.
bool isHost(std::string_view text)
{
    if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
    if (IpAddress::parse(text.substr(0, text.find('%')))) return true;
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '.' || c == '-'; });
}

/// Returns true for addresses that a listener accepts: `host:port`, `[address]:port`, `unix:/path`.
bool isListenAddress(std::string_view text)
{
    if (text.starts_with("unix:")) return text.size() > 5;
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos) return false;
    const auto port = parseNumber<std::int64_t>(text.substr(colon + 1));
    const auto host = text.substr(0, colon);
    if (!port || *port < 0 || *port > 65535) return false;
    return isHost(host) && (host.find(':') == std::string_view::npos || host.starts_with('['));
}

bool isThere(std::string_view path)
{
    std::error_code none;
    return std::filesystem::exists(path, none);
}

bool isTrustedProxy(std::string_view text) { return text == "unix" || IpNetwork::parse(text); }

bool isReachableNetwork(std::string_view text) { return IpNetwork::parseExact(text).has_value(); }

bool isReachableAddress(std::string_view text) { return IpEndpoint::parse(text).has_value(); }

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

std::string hostOf(const std::string& origin)
{
    std::string host = origin.substr(std::min(origin.size(), origin.find("://") + 3));
    std::ranges::transform(host, host.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return host;
}

/// The name in the Host header says which service is meant, so no two may have the same.
void checkOrigins(const Configuration& configuration, Diagnostics& diagnostics)
{
    std::map<std::string, std::string> services;
    for (const auto& [key, entry] : configuration.entries())
    {
        const std::string id(serviceIn("services.<id>.origins", key));
        if (id.empty()) continue;
        for (const auto& origin : parseList(entry.value))
        {
            const auto [first, isNew] = services.try_emplace(hostOf(origin), id);
            if (!isNew && first->second != id)
                diagnostics.push_back(mistake(entry, "an origin that no other service has",
                                              "'" + origin + "', which " + first->second + " has", "Give each service another host name.",
                                              id));
        }
    }
}

/// Checks that the parts of the host would otherwise make at the start, without file and line, or on first use. Resolves no names, opens no
/// sockets.
struct Form
{
    const char* key;
    bool isList;
    bool (*isRight)(std::string_view);
    const char* expected;
};

constexpr Form forms[] = {
    {"server.bind", true, isHost, "addresses of this machine, for example 127.0.0.1,::1, without a port"},
    {"server.trustedProxies", true, isTrustedProxy, "addresses, networks such as 10.0.0.0/8, or unix, separated by commas"},
    {"outbound.allowedNetworks", true, isReachableNetwork, "networks such as 10.1.0.0/16 or fd00::/8, separated by commas"},
    {"outbound.allowedAddresses", true, isReachableAddress,
     "addresses with a port such as 127.0.0.1:8087 or [::1]:8087, separated by commas"},
    {"metrics.listen", false, isListenAddress, "an address with a port, for example 127.0.0.1:9464 or [::1]:9464"},
    {"outbound.certificateAuthorities", false, isThere, "a PEM file, or a directory of them, that is there"},
    {"mail.certificateAuthorities", false, isThere, "a PEM file, or a directory of them, that is there"},
    {"mail.from", false, isSender, "an address such as noreply@example.org or Name <noreply@example.org>"},
    {"mail.senders", true, isSenderPattern, "addresses such as billing@example.org and domains such as @example.org, separated by commas"},
};

void checkForms(const Configuration& configuration, Diagnostics& diagnostics)
{
    for (const auto& form : forms)
        if (const auto* entry = configuration.find(form.key))
            for (const auto& item : form.isList ? parseList(entry->value) : std::vector{entry->value})
                if (!item.empty() && !form.isRight(item)) diagnostics.push_back(mistake(*entry, form.expected, "'" + item + "'"));
}

void checkCertificate(const Configuration& configuration, Diagnostics& diagnostics)
{
    const auto* certificate = configuration.find("server.tls.certificateFile");
    const auto* key = configuration.find("server.tls.privateKeyFile");
    const bool hasCertificate = certificate && !certificate->value.empty();
    const bool hasKey = key && !key->value.empty();
    if (hasCertificate == hasKey) return;
    const auto* present = hasCertificate ? certificate : key;
    diagnostics.push_back(
        mistake(*present, "a certificate and its private key", "one of the two",
                std::string("Set ") + (hasCertificate ? "server.tls.privateKeyFile" : "server.tls.certificateFile") + " too."));
}

void checkPorts(const Configuration& configuration, Diagnostics& diagnostics)
{
    std::map<std::int64_t, std::string> taken;
    if (const auto port = parseNumber<std::int64_t>(configuration.text("server.port"))) taken[*port] = "server.port";
    for (const auto& [key, entry] : configuration.entries())
    {
        const auto port = parseNumber<std::int64_t>(entry.value);
        if (serviceIn("services.<id>.port", key).empty() || !port || *port == 0) continue;
        const auto [first, isNew] = taken.try_emplace(*port, key);
        if (!isNew)
            diagnostics.push_back(mistake(entry, "a port that no other service has", "the port of " + first->second, "Choose another."));
    }
}

void checkFrontDoor(const Configuration& configuration, Diagnostics& diagnostics)
{
    const auto* door = configuration.find("server.frontDoor");
    if (!door || door->value.empty() || door->value == "page" || door->value == "off" || !serviceIn("<id>.", door->value + ".").empty())
        return;
    diagnostics.push_back(mistake(*door, "page, off or the id of a service", "'" + door->value + "'"));
}

void checkPluginIds(const Configuration& configuration, Diagnostics& diagnostics)
{
    for (const char* key : {"plugins.allowUnsigned", "plugins.override", "plugins.resettable"})
        for (const auto& id : configuration.list(key))
            if (serviceIn("<id>.", id + ".").empty())
                diagnostics.push_back(mistake(*configuration.find(key), "ids of plugins, separated by commas", "'" + id + "'",
                                              "Name each plugin by its id, as acme-notes."));
}

void checkCollector(const Configuration& configuration, Diagnostics& diagnostics)
{
    const auto* endpoint = configuration.find("tracing.endpoint");
    if (!endpoint || endpoint->value.empty()) return;
    const std::string_view url = endpoint->value;
    const auto authority = url.substr(std::min(url.size(), url.find("://") + 3));
    const bool known = url.starts_with("http://") || url.starts_with("https://");
    if (known && !authority.empty() && authority.front() != '/' && url.find_first_of(" ?#@") == std::string_view::npos) return;
    diagnostics.push_back(mistake(*endpoint, "a URL such as http://127.0.0.1:4318", "'" + endpoint->value + "'",
                                  "Name scheme, host and port of the collector; credentials go into tracing.headersFile."));
}

void checkPooler(const Configuration& configuration, Diagnostics& diagnostics)
{
    const bool pooled = configuration.text("database.pooler") == "transaction";
    if (pooled && !configuration.text("database.url").starts_with("postgres"))
        diagnostics.push_back(mistake(*configuration.find("database.pooler"), "a PostgreSQL at database.url", "files of SQLite",
                                      "Name the pooler in database.url, or leave database.pooler out."));
    const auto* direct = configuration.find("database.directUrl");
    if (!direct || direct->value.empty()) return;
    if (direct->value.starts_with("sqlite"))
        diagnostics.push_back(mistake(*direct, "postgresql://user@host:port/database", "'" + direct->value + "'",
                                      "Name PostgreSQL itself, without the pooler."));
    else if (!pooled)
        diagnostics.push_back(warning(*direct, "database.pooler = transaction beside it", "another mode",
                                      "Leave it out: database.url serves all connections."));
}

void checkRedis(const Configuration& configuration, Diagnostics& diagnostics)
{
    if (const auto* url = configuration.find("state.redis.url"); url && !parseRedisUrl(url->value))
        // It may hold a password: it is not repeated.
        diagnostics.push_back(
            mistake(*url, "a URL such as redis://127.0.0.1:6379/0, without a password", "another form",
                    "Name host, port and number of the database; a password goes into the file of state.redis.passwordFile."));
    constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    if (const auto* prefix = configuration.find("state.redis.prefix");
        prefix && (prefix->value.empty() || prefix->value.find_first_not_of(allowed) != std::string::npos))
        diagnostics.push_back(mistake(*prefix, "letters, digits, '.', '_' and '-'", "'" + prefix->value + "'",
                                      "Choose a name for the hosts that work together, as portico."));
}

void checkBucket(const Configuration& configuration, Diagnostics& diagnostics)
{
    if (configuration.text("blobs.store") != "s3") return;
    const Entry chosen = *configuration.find("blobs.store");
    for (const char* key : {"blobs.s3.endpoint", "blobs.s3.bucket", "blobs.s3.accessKeyFile"})
        if (configuration.text(key).empty())
            diagnostics.push_back(mistake(chosen, std::string("a value for ") + key, "none", "Set it, or set blobs.store = files."));
    constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    const auto check = [&](const char* key, bool valid, const char* expected, const char* remedy)
    {
        if (const auto* entry = configuration.find(key); entry && !entry->value.empty() && !valid)
            diagnostics.push_back(mistake(*entry, expected, "'" + entry->value + "'", remedy));
    };
    for (const char* key : {"blobs.s3.endpoint", "blobs.s3.publicEndpoint"})
    {
        const auto endpoint = configuration.text(key);
        const auto begin = endpoint.find("://") == std::string::npos ? endpoint.size() : endpoint.find("://") + 3;
        const bool known = endpoint.starts_with("http://") || endpoint.starts_with("https://");
        check(key, known && begin < endpoint.size() && endpoint.find_first_of("/ ?#@;,", begin) == std::string::npos,
              "a URL as https://s3.example.org", "Name scheme, host and port only; the bucket has a separate setting.");
    }
    check("blobs.s3.bucket", configuration.text("blobs.s3.bucket").find_first_not_of(allowed) == std::string::npos, "the name of a bucket",
          "Name an existing bucket.");
    const auto prefix = configuration.text("blobs.s3.prefix");
    check("blobs.s3.prefix",
          prefix.find_first_not_of(std::string(allowed) + "/") == std::string::npos && !prefix.starts_with('/') &&
              prefix.find("//") == std::string::npos && prefix.find("./") == std::string::npos,
          "letters, digits, '.', '_', '-' and '/'", "Choose a prefix as portico/.");
}

/// There, and for the daemon to write to; or to be made in the nearest folder that is there.
bool isPlaceToWrite(std::string_view path)
{
    std::error_code none;
    auto place = std::filesystem::absolute(path, none).lexically_normal();
    while (!place.empty() && !std::filesystem::exists(std::filesystem::symlink_status(place, none))) place = place.parent_path();
    return std::filesystem::is_directory(place, none) && ::access(place.c_str(), W_OK | X_OK) == 0;
}

/// Used without a mail server. In a directory without write access, each mail would be retried for days.
void checkMailDirectory(const Configuration& configuration, Diagnostics& diagnostics)
{
    const auto* directory = configuration.find("mail.directory");
    if (!directory || directory->value.empty() || !configuration.text("mail.server").empty() || isPlaceToWrite(directory->value)) return;
    diagnostics.push_back(mistake(*directory, "a directory that the daemon can write to, or make", "'" + directory->value + "'"));
}

/// A warning: mails wait in the outbox, and the daemon has other things to do.
void checkMailSignIn(const Configuration& configuration, Diagnostics& diagnostics)
{
    const auto* user = configuration.find("mail.user");
    if (!user || user->value.empty() || configuration.text("mail.server").empty() || !configuration.text("mail.passwordFile").empty())
        return;
    diagnostics.push_back(warning(*user, "a password beside the name", "none", "Name its file in mail.passwordFile."));
}

} // namespace

std::string Diagnostic::text() const
{
    std::string text = source.text();
    if (!key.empty()) text.append(": ").append(key);
    text.append(": expected ").append(expected).append(", found ").append(found).append(".");
    if (!remedy.empty()) text.append(" ").append(remedy);
    return text;
}

std::vector<Diagnostic> check(const Catalog& catalog, const Layers& layers)
{
    std::vector<Diagnostic> diagnostics;
    for (const auto& fault : layers.faults) diagnostics.push_back(mistake({{}, {}, fault.source}, fault.expected, "'" + fault.found + "'"));
    for (const auto& entry : layers.entries)
    {
        if (const auto rule = catalog.find(entry.key))
        {
            checkValue(*rule, entry, diagnostics);
            checkSecrecy(*rule, entry, diagnostics);
        }
        else
            diagnostics.push_back(unknownKey(catalog, entry));
    }
    checkRepetition(layers.entries, diagnostics);
    for (const auto& variable : layers.unknownVariables)
        diagnostics.push_back(warning({variable, {}, {"environment", 0}}, "PORTICO_ and the name of a setting",
                                      "a variable that names none", "It has no effect."));
    return diagnostics;
}

std::vector<Diagnostic> checkDropIns(const std::vector<Entry>& entries, const std::filesystem::path& dropIns)
{
    std::vector<Diagnostic> diagnostics;
    for (const auto& entry : entries)
        if (entry.key.starts_with("plugins.") && entry.source.line > 0 && std::filesystem::path(entry.source.name).parent_path() == dropIns)
            diagnostics.push_back(mistake(entry, "a setting of services, as everything that may write to the state directory may set",
                                          "one of the host", "Set it in portico.properties or in conf.d beside it."));
    return diagnostics;
}

std::vector<Diagnostic> crossCheck(const Configuration& configuration)
{
    Diagnostics diagnostics;
    checkForms(configuration, diagnostics);
    checkOrigins(configuration, diagnostics);
    checkCertificate(configuration, diagnostics);
    checkPorts(configuration, diagnostics);
    checkFrontDoor(configuration, diagnostics);
    checkPluginIds(configuration, diagnostics);
    checkCollector(configuration, diagnostics);
    checkPooler(configuration, diagnostics);
    checkRedis(configuration, diagnostics);
    checkBucket(configuration, diagnostics);
    checkMailDirectory(configuration, diagnostics);
    checkMailSignIn(configuration, diagnostics);
    return diagnostics;
}

} // namespace portico::host::config
