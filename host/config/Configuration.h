#pragma once

#include "host/config/Catalog.h"
#include "host/config/Layers.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::config
{

/// What holds after all layers: an immutable snapshot. Thread-safe once made.
class Configuration
{
public:
    /// Of two entries with one key the later wins.
    Configuration(Catalog catalog, std::vector<Entry> entries);

    /// The value, or the default. @throws std::out_of_range for a key that nobody declares: a mistake in the program.
    std::string text(std::string_view key) const;
    /// @throws std::runtime_error naming place, key, expected and found, if the value is wrong.
    std::int64_t integer(std::string_view key) const;
    bool boolean(std::string_view key) const;
    std::chrono::seconds seconds(std::string_view key) const;
    std::uint64_t bytes(std::string_view key) const;
    std::vector<std::string> list(std::string_view key) const;
    /// A setting of one service: `service("crm", "enabled")` is `services.crm.enabled`.
    std::string service(std::string_view id, std::string_view name) const;
    /// Content of the file that a `…File` setting names, trimmed; empty when it names none. @throws std::runtime_error if it cannot be
    /// read.
    std::string secret(std::string_view key) const;

    /// Where a key was set, or null.
    const Entry* find(std::string_view key) const;
    /// Every key that is set, sorted.
    const std::map<std::string, Entry, std::less<>>& entries() const noexcept { return _entries; }
    const Catalog& catalog() const noexcept { return _catalog; }

private:
    std::int64_t number(std::string_view key) const;

    Catalog _catalog;
    std::map<std::string, Entry, std::less<>> _entries;
};

} // namespace portico::host::config
