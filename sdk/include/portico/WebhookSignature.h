#pragma once

#include "portico/Export.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace portico
{

/// Returns the value of the header `webhook-signature` (Standard Webhooks 1.0): `v1,<base64 of HMAC-SHA256 over "id.timestamp.body">` for
/// each secret, separated by spaces. A secret of the form `whsec_<base64>` means the decoded bytes, any other its own bytes.
/// @param timestamp seconds since 1970, as in `webhook-timestamp`
/// Thread-safe. @throws std::runtime_error when OpenSSL refuses
PORTICO_API std::string webhookSignature(std::span<const std::string> secrets, std::string_view id, std::int64_t timestamp,
                                         std::string_view body);

} // namespace portico
