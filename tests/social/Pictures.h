#pragma once

#include "social/MediaSamples.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

/// Pictures that a decoder reads, as PNG without compression.
namespace portico::tests::pictures
{

/// PNG, appendix D.
inline std::uint32_t crcOf(std::string_view bytes)
{
    std::uint32_t crc = 0xffffffff;
    for (const char byte : bytes)
    {
        crc ^= static_cast<unsigned char>(byte);
        for (int bit = 0; bit < 8; ++bit) crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
    }
    return crc ^ 0xffffffff;
}

inline std::string chunk(std::string_view name, std::string_view content)
{
    const auto named = std::string(name) + std::string(content);
    return samples::big(content.size(), 4) + named + samples::big(crcOf(named), 4);
}

/// RFC 1950 and 1951, in blocks that are stored.
inline std::string stored(std::string_view bytes)
{
    std::uint32_t low = 1, high = 0;
    for (const char byte : bytes)
    {
        low = (low + static_cast<unsigned char>(byte)) % 65'521;
        high = (high + low) % 65'521;
    }
    std::string text = "\x78\x01";
    for (std::size_t at = 0; at < bytes.size(); at += 65'535)
    {
        const auto piece = bytes.substr(at, 65'535);
        text += at + piece.size() == bytes.size() ? '\x01' : '\0';
        text += samples::little(piece.size(), 2) + samples::little(~piece.size() & 0xffff, 2);
        text += piece;
    }
    return text + samples::big(high << 16 | low, 4);
}

struct Look
{
    int orientation = 1;
    bool isTransparent = false;
    bool isInterlaced = false;
    /// Without it the file breaks off where the pixels begin.
    bool hasPixels = true;
};

inline std::string png(std::uint32_t width, std::uint32_t height, const Look& look = {})
{
    const std::size_t channels = look.isTransparent ? 4 : 3;
    std::string rows;
    std::uint32_t noise = 1;
    for (std::uint32_t y = 0; look.hasPixels && y < height; ++y)
    {
        rows += '\0';
        for (std::size_t i = 0; i < width * channels; ++i)
        {
            noise = noise * 1'664'525 + 1'013'904'223;
            rows += static_cast<char>(noise >> 24);
        }
    }
    return "\x89PNG\r\n\x1a\n" +
           chunk("IHDR", samples::big(width, 4) + samples::big(height, 4) + "\x08" + (look.isTransparent ? "\x06" : "\x02") +
                             std::string(2, '\0') + (look.isInterlaced ? '\x01' : '\0')) +
           chunk("eXIf", samples::exif(look.orientation)) + chunk("IDAT", look.hasPixels ? stored(rows) : "\x78\x01") + chunk("IEND", {});
}

} // namespace portico::tests::pictures
