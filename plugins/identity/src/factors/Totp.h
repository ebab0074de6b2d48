#pragma once

#include "portico/Instant.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace portico::identity
{

/// Time-based codes of six digits (RFC 6238 with SHA-1 and periods of 30 seconds, which all apps support). Functions have no side effects.
namespace totp
{
inline constexpr int periodSeconds = 30;

/// Returns 160 random bits (RFC 4226, 4).
std::string newSecret();
/// Returns the period that contains the time.
std::int64_t stepOf(Instant now) noexcept;
/// @param secret as bytes
std::string code(std::string_view secret, std::int64_t step);
/// Returns the period of a code, ignoring how its digits are grouped: the current one or a neighbor, because clocks differ and typing takes
/// time (RFC 6238, 5.2). Returns -1 for other codes.
std::int64_t matchingStep(std::string_view secret, std::string_view code, Instant now);

/// Encodes by RFC 4648, 6, without padding, for manual entry in an app.
std::string base32(std::string_view bytes);
/// Returns the content of the QR code for an app.
std::string uri(std::string_view issuer, std::string_view account, std::string_view secret);
} // namespace totp

/// Returns a QR code as an SVG without scripts and styles, black on white, with its quiet zone.
/// @throws std::runtime_error for a text that is too long
std::string qrSvg(const std::string& text);

} // namespace portico::identity
