#pragma once

#include "host/config/Catalog.h"
#include "host/config/Layers.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::config
{

/// Result of all layers: an immutable snapshot. Thread-safe once made.
class Configuration
{
public:
    /// If two entries have the same key, the later one wins.
    Configuration(Catalog catalog, std::vector<Entry> entries);

    /// Returns the value, or the default. @throws std::out_of_range for an undeclared key: a mistake in the program.
    std::string text(std::string_view key) const;
    /// @throws std::runtime_error naming place, key, expected and found, if the value is wrong.
    std::int64_t integer(std::string_view key) const;
    bool boolean(std::string_view key) const;
    std::chrono::seconds seconds(std::string_view key) const { return std::chrono::seconds(integer(key)); }
    std::uint64_t bytes(std::string_view key) const { return static_cast<std::uint64_t>(integer(key)); }
    std::vector<std::string> list(std::string_view key) const;
    /// A setting of one service: `service("crm", "enabled")` is `services.crm.enabled`.
    std::string service(std::string_view id, std::string_view name) const;
    /// Content, trimmed, of the file that a `…File` setting names; empty for none. @throws std::runtime_error if it cannot be read
    std::string secret(std::string_view key) const;

    /// Where a key was set, or null.
    const Entry* find(std::string_view key) const;
    /// Every key that is set, sorted.
    const std::map<std::string, Entry, std::less<>>& entries() const noexcept { return _entries; }
    const Catalog& catalog() const noexcept { return _catalog; }

private:
    [[noreturn]] void refuse(std::string_view key, const std::string& expected) const;

    Catalog _catalog;
    std::map<std::string, Entry, std::less<>> _entries;
};

/// One mistake in the configuration.
struct Diagnostic
{
    enum class Severity : std::uint8_t
    {
        Warning, ///< Said, nothing else.
        Error
    };
    Severity severity = Severity::Error;
    Source source;
    std::string key;
    std::string expected;
    std::string found;
    std::string remedy;
    /// The service of the setting, whose start alone is refused; empty: the host's own.
    std::string serviceId;

    /// `portico.properties:12: server.port: expected …, found …. …`
    std::string text() const;
};

/// Every mistake of the layers, in their order. Opens the secret files, changes nothing.
std::vector<Diagnostic> check(const Catalog& catalog, const Layers& layers);
/// Finds settings that are valid separately and wrong together, and malformed addresses, networks, origins and senders of mails.
std::vector<Diagnostic> crossCheck(const Configuration& configuration);
/// Finds settings that are not allowed in the drop-ins of the state directory, where plugins can write: only the operator decides which
/// plugins are loaded.
std::vector<Diagnostic> checkDropIns(const std::vector<Entry>& entries, const std::filesystem::path& dropIns);

/// The configuration as its files are now, and everything that is wrong with it.
struct Reading
{
    std::shared_ptr<const Configuration> configuration;
    std::vector<Diagnostic> diagnostics;

    /// True if a mistake is the host's own: such a configuration is not taken.
    bool refused() const;
};

/// Reads the configuration, and keeps the one in force. Thread-safe.
class ConfigurationStore
{
public:
    /// Returns the declarations of the plugins that the given configuration loads.
    using Discover = std::function<DeclaredSettings(const Configuration&)>;

    ConfigurationStore(LayerSources sources, Discover discover);

    /// Reads all layers again, without effect on the one in force. @throws std::runtime_error for a file that cannot be read
    Reading read() const;
    std::shared_ptr<const Configuration> current() const;
    void adopt(std::shared_ptr<const Configuration> configuration);
    /// Sets one key of the current configuration, like the drop-in that was just written. If the entry was not `stored`, later readings
    /// also contain it. Returns false if the environment or the command line overrides it.
    bool overlay(Entry entry, bool stored = true);
    const LayerSources& sources() const noexcept { return _sources; }

private:
    const LayerSources _sources;
    const Discover _discover;
    mutable std::mutex _mutex;
    std::shared_ptr<const Configuration> _current;
    /// Values of the environment and the command line that `overlay` has replaced, by key. They are constant in a process.
    std::map<std::string, std::string, std::less<>> _fixed;
    /// Entries that could not be stored, by key.
    std::map<std::string, Entry, std::less<>> _unstored;
};

} // namespace portico::host::config
