#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace portico::identity
{

/// Unpadded base64url (RFC 4648, 5).
std::string toBase64Url(std::string_view bytes);

/// Only the one text that `toBase64Url` gives for these bytes: no padding, no other alphabet, no stray bits at the end.
std::optional<std::string> fromBase64Url(std::string_view text);

std::string toHex(std::string_view bytes);

constexpr std::string_view base62Digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

} // namespace portico::identity
