#include "keys/KeyFormat.h"

#include "common/Encoding.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <sodium.h>

namespace portico::identity
{

namespace
{

constexpr std::size_t idLength = 12;
constexpr std::size_t secretLength = 43;
constexpr std::size_t checksumLength = 6;

constexpr auto crcTable = []
{
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < 256; ++i)
    {
        std::uint32_t value = i;
        for (int bit = 0; bit < 8; ++bit) value = (value & 1) ? 0xedb88320u ^ (value >> 1) : value >> 1;
        table[i] = value;
    }
    return table;
}();

/// CRC-32 as in zlib, as six base62 digits.
std::string checksum(std::string_view text)
{
    std::uint32_t crc = 0xffffffffu;
    for (const char c : text) crc = crcTable[(crc ^ static_cast<unsigned char>(c)) & 0xff] ^ (crc >> 8);
    crc = ~crc;
    std::string digits(checksumLength, '0');
    for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, crc /= 62) *digit = base62Digits[crc % 62];
    return digits;
}

std::string randomDigits(std::size_t count)
{
    std::string text(count, '0');
    for (char& c : text) c = base62Digits[randombytes_uniform(62)];
    return text;
}

} // namespace

std::string keyPrefix(KeyEnvironment environment, std::string_view keyId)
{
    return "pak_" + std::string(toString(environment)) + '_' + std::string(keyId);
}

KeyText KeyText::make(KeyEnvironment environment) { return {environment, randomDigits(idLength), randomDigits(secretLength)}; }

std::string KeyText::prefix() const { return keyPrefix(environment, keyId); }

std::string KeyText::text() const
{
    const auto body = prefix() + '_' + secret;
    return body + checksum(body);
}

std::optional<KeyText> KeyText::parse(std::string_view text)
{
    constexpr std::size_t start = std::string_view("pak_live_").size();
    if (text.size() != start + idLength + 1 + secretLength + checksumLength) return std::nullopt;
    const auto environment = parseEnum<KeyEnvironment>(text.substr(4, 4));
    if (!environment || !text.starts_with("pak_") || text[start - 1] != '_' || text[start + idLength] != '_') return std::nullopt;
    if (checksum(text.substr(0, text.size() - checksumLength)) != text.substr(text.size() - checksumLength)) return std::nullopt;
    KeyText key{*environment, std::string(text.substr(start, idLength)), std::string(text.substr(start + idLength + 1, secretLength))};
    const auto isDigit = [](char c) { return base62Digits.find(c) != std::string_view::npos; };
    if (!std::ranges::all_of(key.keyId, isDigit) || !std::ranges::all_of(key.secret, isDigit)) return std::nullopt;
    return key;
}

} // namespace portico::identity
