#include "ai/SamplePicture.h"

#include "portico/Crypto.h"

#include <algorithm>
#include <array>

namespace portico::social
{

namespace
{
/// Letters of five by seven dots, a row each byte.
constexpr std::array<std::array<std::uint8_t, 7>, 6> sampleLetters = {{{0x0f, 0x10, 0x10, 0x0e, 0x01, 0x01, 0x1e},
                                                                       {0x0e, 0x11, 0x11, 0x1f, 0x11, 0x11, 0x11},
                                                                       {0x11, 0x1b, 0x15, 0x15, 0x11, 0x11, 0x11},
                                                                       {0x1e, 0x11, 0x11, 0x1e, 0x10, 0x10, 0x10},
                                                                       {0x10, 0x10, 0x10, 0x10, 0x10, 0x10, 0x1f},
                                                                       {0x1f, 0x10, 0x10, 0x1e, 0x10, 0x10, 0x1f}}};
constexpr std::int64_t dotsWide = 6 * 6 + 3, dotsHigh = 7 + 4;

void appendBig(std::string& bytes, std::uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
}

std::uint32_t crc(std::string_view bytes)
{
    std::uint32_t value = 0xffffffff;
    for (const char c : bytes)
    {
        value ^= static_cast<unsigned char>(c);
        for (int bit = 0; bit < 8; ++bit) value = (value & 1) != 0 ? value >> 1 ^ 0xedb88320 : value >> 1;
    }
    return ~value;
}

void appendChunk(std::string& png, std::string_view name, std::string_view content)
{
    appendBig(png, static_cast<std::uint32_t>(content.size()));
    const auto named = std::string(name) + std::string(content);
    png += named;
    appendBig(png, crc(named));
}

/// Returns the bytes in the zlib form, without compression.
std::string stored(std::string_view bytes)
{
    std::string zlib = "\x78\x01";
    std::uint32_t low = 1, high = 0;
    for (const char c : bytes)
    {
        low = (low + static_cast<unsigned char>(c)) % 65'521;
        high = (high + low) % 65'521;
    }
    for (std::size_t at = 0; at < bytes.size(); at += 65'535)
    {
        const auto size = std::min<std::size_t>(65'535, bytes.size() - at);
        zlib += static_cast<char>(at + size == bytes.size() ? 1 : 0);
        for (const auto length : {size, ~size})
        {
            zlib += static_cast<char>(length & 0xff);
            zlib += static_cast<char>(length >> 8 & 0xff);
        }
        zlib += bytes.substr(at, size);
    }
    appendBig(zlib, high << 16 | low);
    return zlib;
}

bool isLetterDot(std::int64_t x, std::int64_t y)
{
    const auto column = x - 2, row = y - 2;
    if (column < 0 || row < 0 || row >= 7 || column >= 36 || column % 6 == 5) return false;
    return (sampleLetters[static_cast<std::size_t>(column / 6)][static_cast<std::size_t>(row)] >> (4 - column % 6) & 1) != 0;
}
} // namespace

std::string samplePicture(std::string_view prompt, std::int64_t number, std::int64_t width, std::int64_t height)
{
    const auto hash = sha256({prompt, "\n", std::to_string(number)});
    const auto dot = std::max<std::int64_t>(1, std::min(width / dotsWide, height / dotsHigh));
    const auto left = (width - dot * dotsWide) / 2, top = (height - dot * dotsHigh) / 2;
    std::string rows;
    for (std::int64_t y = 0; y < height; ++y)
    {
        rows += '\0';
        for (std::int64_t x = 0; x < width; x += 8)
        {
            unsigned byte = 0;
            for (int bit = 0; bit < 8; ++bit)
            {
                const auto px = x + bit - left, py = y - top;
                const bool ink = px >= 0 && py >= 0 && isLetterDot(px / dot, py / dot);
                byte = byte << 1 | (ink ? 1U : 0U);
            }
            rows += static_cast<char>(byte);
        }
    }
    std::string header;
    appendBig(header, static_cast<std::uint32_t>(width));
    appendBig(header, static_cast<std::uint32_t>(height));
    header += std::string("\x01\x03\x00\x00\x00", 5);
    // A dark ground and light letters.
    std::string palette;
    for (std::size_t i = 0; i < 3; ++i) palette += static_cast<char>(static_cast<unsigned char>(hash.value[i]) / 2);
    for (std::size_t i = 3; i < 6; ++i) palette += static_cast<char>(static_cast<unsigned char>(hash.value[i]) / 4 + 191);
    std::string png = "\x89PNG\r\n\x1a\n";
    appendChunk(png, "IHDR", header);
    appendChunk(png, "PLTE", palette);
    appendChunk(png, "IDAT", stored(rows));
    appendChunk(png, "IEND", {});
    return png;
}

} // namespace portico::social
