#pragma once

#include "portico/Instant.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace portico::identity
{

/// Codes of six digits that an app and we derive from a secret and the time (RFC 6238 with SHA-1 and periods of 30 seconds, which is what
/// all apps know). Values in, values out.
namespace totp
{
inline constexpr int periodSeconds = 30;

/// 160 random bits (RFC 4226, 4).
std::string newSecret();
/// The period that a moment lies in.
std::int64_t stepOf(Instant now) noexcept;
/// @param secret its bytes.
std::string code(std::string_view secret, std::int64_t step);
/// The period that a code is of, however its digits are grouped: this one or one of its neighbours, as clocks differ and people are slow
/// (RFC 6238, 5.2); -1 for others.
std::int64_t matchingStep(std::string_view secret, std::string_view code, Instant now);

/// RFC 4648, 6, without padding: what people type into an app.
std::string base32(std::string_view bytes);
/// What an app reads from a QR code.
std::string uri(std::string_view issuer, std::string_view account, std::string_view secret);
} // namespace totp

/// A QR code as a drawing without scripts and styles, black on white, with its quiet zone. @throws std::runtime_error for a text that is
/// too long
std::string qrSvg(const std::string& text);

} // namespace portico::identity
