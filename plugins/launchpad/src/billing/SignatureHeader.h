#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace portico::launchpad
{

/// Value of the header `Stripe-Signature` or `Processor-Signature`: `t=<seconds>,v1=<hex>,v1=<hex>`. Other schemes are ignored.
struct SignatureHeader
{
    std::int64_t seconds = 0;
    /// Signatures of the scheme v1, at least one.
    std::vector<std::string> signatures;
};

/// Returns the parts of a header; empty for a text without one time and a v1 signature of 64 hexadecimal digits.
std::optional<SignatureHeader> parseSignature(std::string_view header);

enum class SignatureCheck : std::uint8_t
{
    Valid,
    Invalid,
    /// The signature is valid, and its time is more than 300 s away.
    OutsideTolerance
};

/// Verifies the signature of a raw body in constant time. A secret of any of the list is sufficient.
/// @param now seconds since 1970
SignatureCheck verifySignature(std::string_view header, std::string_view body, std::span<const std::string> secrets, std::int64_t now);

} // namespace portico::launchpad
