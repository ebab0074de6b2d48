#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

struct evp_pkey_st;

namespace portico::host::plugins
{

/// Bytes of an Ed25519 signature.
inline constexpr std::size_t signatureBytes = 64;

/// The public half of an Ed25519 key. A value; thread-safe.
class PublicKey
{
public:
    /// Reads a PEM file (`BEGIN PUBLIC KEY`), as `porticoctl plugin keygen` and `openssl pkey -pubout` write it.
    /// @throws std::runtime_error with file, expected, found and remedy
    static PublicKey read(const std::filesystem::path& file);

    bool verifies(std::string_view message, std::string_view signature) const;
    std::string pem() const;
    /// SHA-256 of the key in DER, in lower-case hexadecimal: `openssl pkey -pubin -in FILE -outform DER | sha256sum`.
    std::string fingerprint() const;

private:
    friend class PrivateKey;
    explicit PublicKey(std::shared_ptr<evp_pkey_st> key) : _key(std::move(key)) {}
    std::shared_ptr<evp_pkey_st> _key;
};

/// An Ed25519 key that signs. A value; thread-safe.
class PrivateKey
{
public:
    static PrivateKey generate();
    /// Reads a PEM file (`BEGIN PRIVATE KEY`) without a passphrase. Only its owner may have access to it.
    /// @throws std::runtime_error with file, expected, found and remedy
    static PrivateKey read(const std::filesystem::path& file);

    /// 64 bytes, always the same ones for a message.
    std::string sign(std::string_view message) const;
    PublicKey publicKey() const { return PublicKey(_key); }
    std::string pem() const;

private:
    explicit PrivateKey(std::shared_ptr<evp_pkey_st> key) : _key(std::move(key)) {}
    std::shared_ptr<evp_pkey_st> _key;
};

/// Writes a key: the private half to `file` (mode 0600), the public one beside it with the extension `.pub`. Returns the name of the public
/// file.
/// @throws std::runtime_error if one of the two exists, or cannot be written
std::filesystem::path makeKeyFiles(const std::filesystem::path& file, const PrivateKey& key);

} // namespace portico::host::plugins
