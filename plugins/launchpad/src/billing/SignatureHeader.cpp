#include "billing/SignatureHeader.h"

#include "portico/Crypto.h"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace portico::launchpad
{

namespace
{
constexpr std::int64_t toleranceSeconds = 300;
constexpr std::size_t maxHeaderBytes = 4096;
/// More signatures than a rotation of secrets needs are ignored.
constexpr std::size_t maxSignatures = 10;
constexpr std::size_t signatureDigits = 64;

bool isSignature(std::string_view text)
{
    return text.size() == signatureDigits &&
           std::ranges::all_of(text, [](char each) { return (each >= '0' && each <= '9') || (each >= 'a' && each <= 'f'); });
}

std::optional<std::int64_t> secondsOf(std::string_view text)
{
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
    return value;
}
} // namespace

std::optional<SignatureHeader> parseSignature(std::string_view header)
{
    if (header.size() > maxHeaderBytes) return std::nullopt;
    SignatureHeader parsed;
    bool timed = false;
    while (!header.empty())
    {
        const auto comma = header.find(',');
        auto part = header.substr(0, comma);
        header = comma == std::string_view::npos ? std::string_view() : header.substr(comma + 1);
        while (part.starts_with(' ')) part.remove_prefix(1);
        const auto equals = part.find('=');
        if (equals == std::string_view::npos) continue;
        const auto name = part.substr(0, equals), value = part.substr(equals + 1);
        if (name == "t")
        {
            const auto seconds = secondsOf(value);
            // Two times would let a sender choose which one is checked.
            if (!seconds || timed) return std::nullopt;
            parsed.seconds = *seconds;
            timed = true;
        }
        else if (name == "v1" && isSignature(value) && parsed.signatures.size() < maxSignatures)
            parsed.signatures.emplace_back(value);
    }
    if (!timed || parsed.signatures.empty()) return std::nullopt;
    return parsed;
}

SignatureCheck verifySignature(std::string_view header, std::string_view body, std::span<const std::string> secrets, std::int64_t now)
{
    const auto parsed = parseSignature(header);
    if (!parsed) return SignatureCheck::Invalid;
    const auto signedText = std::to_string(parsed->seconds) + '.' + std::string(body);
    bool valid = false;
    for (const auto& secret : secrets)
    {
        const auto expected = hmacSha256(secret, signedText).hex();
        for (const auto& signature : parsed->signatures) valid = sameSecret(expected, signature) || valid;
    }
    if (!valid) return SignatureCheck::Invalid;
    const auto difference = now > parsed->seconds ? now - parsed->seconds : parsed->seconds - now;
    return difference <= toleranceSeconds ? SignatureCheck::Valid : SignatureCheck::OutsideTolerance;
}

} // namespace portico::launchpad
