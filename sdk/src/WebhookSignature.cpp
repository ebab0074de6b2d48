#include "portico/WebhookSignature.h"

#include "portico/Crypto.h"

#include <algorithm>

namespace portico
{

namespace
{
constexpr std::string_view encodedSecretPrefix = "whsec_";

std::string withStandardAlphabet(std::string text)
{
    std::ranges::replace(text, '-', '+');
    std::ranges::replace(text, '_', '/');
    text.append((4 - text.size() % 4) % 4, '=');
    return text;
}

std::string keyOf(std::string_view secret)
{
    if (!secret.starts_with(encodedSecretPrefix)) return std::string(secret);
    std::string encoded(secret.substr(encodedSecretPrefix.size()));
    while (encoded.ends_with('=')) encoded.pop_back();
    std::ranges::replace(encoded, '+', '-');
    std::ranges::replace(encoded, '/', '_');
    const auto key = fromBase64Url(encoded);
    return key && !key->empty() ? *key : std::string(secret);
}
} // namespace

std::string webhookSignature(std::span<const std::string> secrets, std::string_view id, std::int64_t timestamp, std::string_view body)
{
    std::string content(id);
    content.append(".").append(std::to_string(timestamp)).append(".").append(body);
    std::string signature;
    for (const auto& secret : secrets)
    {
        if (!signature.empty()) signature += ' ';
        signature += "v1," + withStandardAlphabet(toBase64Url(hmacSha256(keyOf(secret), content).bytes()));
    }
    return signature;
}

} // namespace portico
