#include "SecretStore.h"

#include "Files.h"

#include <openssl/rand.h>

#include <algorithm>
#include <stdexcept>

namespace portico::mobiletool
{

namespace
{

constexpr int nonceSize = 12;
constexpr int tagSize = 16;

using Cipher = std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)>;

void requireSealed(bool done)
{
    if (!done) throw std::runtime_error("OpenSSL cannot encrypt a secret.");
}

unsigned char* bytes(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }
const unsigned char* bytes(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

/// Nonce, tag and encrypted value. The name belongs to the authenticated data, so that a file is void under another name.
std::string seal(const std::string& key, std::string_view name, std::string_view value)
{
    const Cipher cipher(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free);
    std::string sealed(nonceSize + tagSize + value.size(), '\0');
    int size = 0;
    requireSealed(cipher && RAND_bytes(bytes(sealed), nonceSize) == 1);
    requireSealed(EVP_EncryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, bytes(std::string_view(key)), bytes(sealed)) == 1);
    requireSealed(EVP_EncryptUpdate(cipher.get(), nullptr, &size, bytes(name), static_cast<int>(name.size())) == 1);
    requireSealed(
        EVP_EncryptUpdate(cipher.get(), bytes(sealed) + nonceSize + tagSize, &size, bytes(value), static_cast<int>(value.size())) == 1);
    requireSealed(EVP_EncryptFinal_ex(cipher.get(), bytes(sealed) + nonceSize + tagSize + size, &size) == 1);
    requireSealed(EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_GET_TAG, tagSize, bytes(sealed) + nonceSize) == 1);
    return sealed;
}

/// Empty: the file is damaged, or another device has written it.
std::optional<std::string> open(const std::string& key, std::string_view name, std::string sealed)
{
    if (sealed.size() < nonceSize + tagSize) return std::nullopt;
    const Cipher cipher(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free);
    std::string value(sealed.size() - nonceSize - tagSize, '\0');
    int size = 0;
    requireSealed(cipher && EVP_DecryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, bytes(std::string_view(key)), bytes(sealed)) == 1);
    requireSealed(EVP_DecryptUpdate(cipher.get(), nullptr, &size, bytes(name), static_cast<int>(name.size())) == 1);
    requireSealed(
        EVP_DecryptUpdate(cipher.get(), bytes(value), &size, bytes(sealed) + nonceSize + tagSize, static_cast<int>(value.size())) == 1);
    requireSealed(EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_SET_TAG, tagSize, bytes(sealed) + nonceSize) == 1);
    int rest = 0;
    if (EVP_DecryptFinal_ex(cipher.get(), bytes(value) + size, &rest) != 1) return std::nullopt;
    return value;
}

} // namespace

SecretStore::SecretStore(std::filesystem::path folder, const DeviceKey& key) : _folder(std::move(folder)), _key(key.derive("secrets"))
{
    makeFolder(_folder);
}

std::filesystem::path SecretStore::fileOf(const std::string& name) const
{
    const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_'; };
    if (name.empty() || name.front() == '.' || !std::ranges::all_of(name, fits)) throw std::runtime_error("A secret has no such name.");
    return _folder / name;
}

std::optional<std::string> SecretStore::find(const std::string& name) const
{
    auto sealed = readFile(fileOf(name));
    return sealed ? open(_key, name, *std::move(sealed)) : std::nullopt;
}

bool SecretStore::replace(const std::string& name, const std::optional<std::string>& expected, std::string_view value)
{
    const FileLock lock(_folder / ".lock");
    if (find(name) != expected) return false;
    writeFile(fileOf(name), seal(_key, name, value));
    return true;
}

void SecretStore::remove(const std::string& name)
{
    const FileLock lock(_folder / ".lock");
    std::filesystem::remove(fileOf(name));
}

} // namespace portico::mobiletool
