#pragma once

#include "portico/Export.h"

#include <array>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico
{

// Texts are treated as bytes. Thread-safe. All functions except the comparison throw std::runtime_error if OpenSSL fails, and leave no
// error in OpenSSL's queue of the thread. Do not use these hashes for passwords: use a slow, salted hash (Argon2).

/// A hash of 32 bytes (SHA-256, HMAC-SHA-256). `==` stops at the first difference: compare secrets with `sameSecret`.
struct PORTICO_API Digest
{
    std::array<char, 32> value{};

    std::string_view bytes() const noexcept { return {value.data(), value.size()}; }
    /// 64 lower-case hexadecimal digits.
    std::string hex() const;
    bool operator==(const Digest&) const = default;
};

/// SHA-256 (FIPS 180-4).
PORTICO_API Digest sha256(std::string_view text);
/// Hash of the concatenated parts, without separators: `{"a", "bc"}` and `{"ab", "c"}` have one hash.
PORTICO_API Digest sha256(std::initializer_list<std::string_view> parts);

/// HMAC-SHA-256 (RFC 2104), to sign with a shared secret.
PORTICO_API Digest hmacSha256(std::string_view key, std::string_view message);

/// Compares in constant time with respect to the contents, but not the lengths.
PORTICO_API bool sameSecret(std::string_view left, std::string_view right) noexcept;

/// Cryptographically secure random bytes.
PORTICO_API std::string randomBytes(std::size_t count);
/// 256 random bits as 43 characters of base64url, for links and keys.
PORTICO_API std::string randomToken(std::size_t byteCount = 32);
/// Uniformly random characters of an alphabet of 1 to 256, for codes that people type.
PORTICO_API std::string randomText(std::size_t count, std::string_view alphabet);

/// Base64url without padding (RFC 4648, 5).
PORTICO_API std::string toBase64Url(std::string_view bytes);
/// Accepts only the canonical output of `toBase64Url`: no padding, no other alphabet, no stray bits at the end.
PORTICO_API std::optional<std::string> fromBase64Url(std::string_view text);

/// Encrypts values that must be read again later: AES-256-GCM under the first key. `open` accepts values sealed with any of the keys. A
/// value type; copies share the keys.
///
/// To rotate: add a new key last on all hosts, then move it first, and remove the old key when no value is sealed with it any more
/// (`isCurrent`). A key seals up to 2^32 values (NIST SP 800-38D, 8.3).
class PORTICO_API Sealer
{
public:
    struct Key
    {
        /// Stored in each sealed value: 1 to 32 of A-Z a-z 0-9 _ -
        std::string id;
        /// 32 random bytes.
        std::string secret;
    };
    /// @throws std::invalid_argument without keys, for duplicate ids, or for malformed keys; its text contains no secret
    explicit Sealer(const std::vector<Key>& keys);
    /// Parses the value of a setting of type `secretFile`: one line per key, `id secret`, with the secret in base64url. Empty lines and
    /// lines that begin with # are ignored. @throws std::invalid_argument that names the line
    static Sealer parse(std::string_view lines);
    /// Returns a line for `parse`.
    static std::string makeKey(std::string_view id);

    /// Returns printable text, about 4/3 of the plain text, the id and 43 characters long. Every call returns a different text.
    /// `purpose` names kind and owner of the value (`totp:usr_…`); `open` requires the same purpose.
    std::string seal(std::string_view plain, std::string_view purpose) const;
    /// Returns empty if none of the keys sealed the text for this purpose. For untrusted input.
    std::optional<std::string> tryOpen(std::string_view sealed, std::string_view purpose) const;
    /// For values that the service stored. @throws std::runtime_error if the key is missing or the value was altered
    std::string open(std::string_view sealed, std::string_view purpose) const;
    /// True if the first key sealed the value. Reseal other values when you next write them.
    bool isCurrent(std::string_view sealed) const noexcept;

private:
    struct Keys;
    std::shared_ptr<const Keys> _keys;
};

} // namespace portico
