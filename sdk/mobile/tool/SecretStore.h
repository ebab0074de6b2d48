#pragma once

#include "DeviceKey.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace portico::mobiletool
{

/// Simulates the keychain group that the apps of a phone share: one encrypted file for each secret (AES-256-GCM), and a lock of a file for
/// changes. All functions throw std::runtime_error if a file cannot be read or written.
class SecretStore
{
public:
    SecretStore(std::filesystem::path folder, const DeviceKey& key);

    /// Returns a secret. Empty: there is none.
    std::optional<std::string> find(const std::string& name) const;
    /// Writes a secret if the stored one is `expected` (empty: none is stored). Returns false if it is another one.
    bool replace(const std::string& name, const std::optional<std::string>& expected, std::string_view value);
    void remove(const std::string& name);

private:
    std::filesystem::path fileOf(const std::string& name) const;

    std::filesystem::path _folder;
    std::string _key;
};

} // namespace portico::mobiletool
