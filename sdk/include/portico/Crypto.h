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

// Texts are bytes here. Thread-safe. Everything but the comparison throws std::runtime_error when OpenSSL refuses; none leaves an error in
// OpenSSL's queue of the thread. Passwords are no case for a plain hash: they take a slow one with a salt (Argon2).

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

/// HMAC-SHA-256 (RFC 2104): what is signed with a secret that both sides hold.
PORTICO_API Digest hmacSha256(std::string_view key, std::string_view message);

/// Comparison in a time that does not depend on the contents; the lengths are no secret.
PORTICO_API bool sameSecret(std::string_view left, std::string_view right) noexcept;

/// Cryptographically secure random bytes.
PORTICO_API std::string randomBytes(std::size_t count);
/// The same as base64url, for a link or a key that is sent: 256 bits in 43 characters.
PORTICO_API std::string randomToken(std::size_t byteCount = 32);
/// Characters of an alphabet of 1 to 256, each as likely as the others: for codes that people type.
PORTICO_API std::string randomText(std::size_t count, std::string_view alphabet);

/// Base64url without padding (RFC 4648, 5).
PORTICO_API std::string toBase64Url(std::string_view bytes);
/// Only the one text that `toBase64Url` gives for these bytes: no padding, no other alphabet, no stray bits at the end.
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
    /// @throws std::invalid_argument without a key, with two of one id, or one of another form; no secret is in its text
    explicit Sealer(const std::vector<Key>& keys);
    /// A line for each key, `id secret`, the secret in base64url; empty lines and those that begin with # are passed over. What a setting
    /// of type `secretFile` holds. @throws std::invalid_argument that names the line
    static Sealer parse(std::string_view lines);
    /// A line for `parse`.
    static std::string makeKey(std::string_view id);

    /// Text of printable characters, about 4/3 as long as the plain text and 43 more than that and the id; no two seals of one text are
    /// alike. `purpose` says what it is and whose (`totp:usr_…`): opened as something else, it does not open.
    std::string seal(std::string_view plain, std::string_view purpose) const;
    /// Empty for everything that no key here has sealed for this purpose: for what strangers send.
    std::optional<std::string> tryOpen(std::string_view sealed, std::string_view purpose) const;
    /// For what we have kept ourselves. @throws std::runtime_error that says which key is missing, or that it was altered
    std::string open(std::string_view sealed, std::string_view purpose) const;
    /// True if the first key sealed the value. Seal other values again at their next write.
    bool isCurrent(std::string_view sealed) const noexcept;

private:
    struct Keys;
    std::shared_ptr<const Keys> _keys;
};

} // namespace portico
