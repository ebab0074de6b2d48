#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct evp_md_st;

namespace portico::identity
{

/// A SHA-256 value. Compared in the time of a memory comparison: use `sameSecret` where that may tell something.
using Sha256Value = std::array<unsigned char, 32>;

/// SHA-256 on an algorithm that was looked up once, because OpenSSL 3 spends more on the look-up than on a token. Thread-safe.
class Sha256
{
public:
    Sha256();
    /// The hash of the parts one after the other.
    Sha256Value operator()(std::initializer_list<std::string_view> parts) const;
    std::string hex(std::string_view text) const;

private:
    std::shared_ptr<evp_md_st> _algorithm;
};

/// HMAC-SHA256, 32 bytes.
std::string hmacSha256(std::string_view key, std::string_view message);

/// Comparison in constant time; the lengths are no secret.
bool sameSecret(std::string_view left, std::string_view right) noexcept;

/// Bytes from the system's random source.
std::string randomBytes(std::size_t count);

/// Unpadded base64url (RFC 4648, 5).
std::string toBase64Url(std::string_view bytes);

/// Only the one text that `toBase64Url` gives for these bytes: no padding, no other alphabet, no stray bits at the end.
std::optional<std::string> fromBase64Url(std::string_view text);

constexpr std::string_view base62Digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

} // namespace portico::identity
