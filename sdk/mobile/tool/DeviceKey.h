#pragma once

#include <openssl/evp.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace portico::mobiletool
{

/// Simulates the key that a phone keeps in its hardware. The file with the private key is the "hardware": a process that can read it can
/// sign and can open the secrets.
class DeviceKey
{
public:
    /// Reads the key, or makes it. Processes that start at once get the same key. @throws std::runtime_error
    DeviceKey(const std::filesystem::path& file, const std::filesystem::path& lock);

    /// Returns the public key as an uncompressed point, 65 bytes.
    std::string point() const;
    /// Signs with ECDSA and SHA-256. Returns DER.
    std::string sign(std::string_view data) const;
    /// Derives 32 bytes for a purpose. They never leave the process.
    std::string derive(std::string_view purpose) const;

private:
    std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> _key;
};

} // namespace portico::mobiletool
