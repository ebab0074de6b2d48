#pragma once

#include <array>
#include <sodium/crypto_generichash.h>
#include <span>
#include <string>
#include <string_view>

namespace portico::host::routing
{

/// 32 bytes under a secret.
using KeyedHash = std::array<unsigned char, 32>;

/// BLAKE2b under a secret over a list of parts, each with its length, so that no two lists look alike. Who does not hold the secret can
/// neither make a hash nor try what it stands for. Used by one thread.
class KeyedDigest
{
public:
    /// `purpose` keeps hashes of one secret apart that serve different ends. @throws std::runtime_error
    KeyedDigest(const KeyedHash& secret, std::string_view purpose);
    KeyedDigest& part(std::string_view text);
    /// Bytes that follow each other within one part, whose length is not known before.
    KeyedDigest& bytes(std::span<const char> data);
    /// The digest is used up.
    KeyedHash finish();

private:
    crypto_generichash_state _state;
};

/// What signs and seals for one end, made from a secret of any length that serves several.
KeyedHash deriveSecret(std::string_view secret, std::string_view purpose);
/// Lower-case hexadecimal.
std::string hex(const KeyedHash& hash);
std::string_view asText(const KeyedHash& hash) noexcept;

} // namespace portico::host::routing
