#include "factors/Totp.h"

#include "common/TypedCode.h"

#include "portico/Crypto.h"

#include <array>
#include <chrono>
#include <memory>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <qrencode.h>
#include <stdexcept>

namespace portico::identity
{

namespace totp
{

namespace
{

constexpr std::size_t secretBytes = 20;
constexpr std::size_t digits = 6;

/// RFC 3986, 2.3: everything else is escaped, also what some readers of these addresses take for a separator.
std::string escape(std::string_view text)
{
    constexpr std::string_view hex = "0123456789ABCDEF";
    std::string out;
    for (const char c : text)
    {
        const auto byte = static_cast<unsigned char>(c);
        const bool plain =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' || c == '~';
        if (plain)
            out += c;
        else
            out.append({'%', hex[byte >> 4], hex[byte & 15]});
    }
    return out;
}

} // namespace

std::string newSecret() { return randomBytes(secretBytes); }

std::int64_t stepOf(Instant now) noexcept
{
    return std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count() / periodSeconds;
}

std::string code(std::string_view secret, std::int64_t step)
{
    std::array<unsigned char, 8> counter{};
    for (std::size_t i = 0; i < counter.size(); ++i) counter[i] = static_cast<unsigned char>(step >> (8 * (7 - i)));
    std::array<unsigned char, EVP_MAX_MD_SIZE> mac{};
    unsigned int size = 0;
    if (!HMAC(EVP_sha1(), secret.data(), static_cast<int>(secret.size()), counter.data(), counter.size(), mac.data(), &size))
        throw std::runtime_error("OpenSSL refused HMAC-SHA-1");
    const std::size_t offset = mac[size - 1] & 15;
    const auto value = (static_cast<std::uint32_t>(mac[offset] & 0x7f) << 24) | (static_cast<std::uint32_t>(mac[offset + 1]) << 16) |
                       (static_cast<std::uint32_t>(mac[offset + 2]) << 8) | mac[offset + 3];
    auto text = std::to_string(value % 1'000'000);
    return text.insert(0, digits - text.size(), '0');
}

std::int64_t matchingStep(std::string_view secret, std::string_view typed, Instant now)
{
    const auto current = stepOf(now);
    const auto given = typedCode(typed);
    std::int64_t found = -1;
    // Compares all three, so that the duration reveals nothing.
    for (const auto step : {current - 1, current + 1, current})
        if (sameSecret(code(secret, step), given)) found = step;
    return found;
}

std::string base32(std::string_view bytes)
{
    constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    std::string out;
    std::uint32_t buffer = 0;
    int bits = 0;
    for (const char c : bytes)
    {
        buffer = (buffer << 8) | static_cast<unsigned char>(c);
        for (bits += 8; bits >= 5; bits -= 5) out += alphabet[(buffer >> (bits - 5)) & 31];
    }
    if (bits > 0) out += alphabet[(buffer << (5 - bits)) & 31];
    return out;
}

std::string uri(std::string_view issuer, std::string_view account, std::string_view secret)
{
    return "otpauth://totp/" + escape(issuer) + ':' + escape(account) + "?secret=" + base32(secret) + "&issuer=" + escape(issuer) +
           "&algorithm=SHA1&digits=6&period=30";
}

} // namespace totp

std::string qrSvg(const std::string& text)
{
    constexpr int quiet = 4;
    const std::unique_ptr<QRcode, decltype(&QRcode_free)> code(QRcode_encodeString8bit(text.c_str(), 0, QR_ECLEVEL_M), &QRcode_free);
    if (!code) throw std::runtime_error("no QR code can be made of a text of " + std::to_string(text.size()) + " bytes");
    std::string path;
    for (int y = 0; y < code->width; ++y)
        for (int x = 0; x < code->width; ++x)
            if (code->data[y * code->width + x] & 1) path += 'M' + std::to_string(x + quiet) + ' ' + std::to_string(y + quiet) + "h1v1h-1z";
    const auto size = std::to_string(code->width + 2 * quiet);
    return R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 )" + size + ' ' + size +
           R"(" shape-rendering="crispEdges"><rect width=")" + size + R"(" height=")" + size + R"(" fill="#fff"/><path d=")" + path +
           R"(" fill="#000"/></svg>)";
}

} // namespace portico::identity
