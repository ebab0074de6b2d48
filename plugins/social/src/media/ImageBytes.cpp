#include "media/ImageBytes.h"

#include "media/MediaTypes.h"

namespace portico::social::imagebytes
{

namespace
{
std::uint32_t byteAt(std::string_view bytes, std::size_t at)
{
    if (at >= bytes.size()) throw MediaFault("truncated");
    return static_cast<unsigned char>(bytes[at]);
}
} // namespace

std::uint32_t big16(std::string_view bytes, std::size_t at) { return byteAt(bytes, at) << 8 | byteAt(bytes, at + 1); }
std::uint32_t big32(std::string_view bytes, std::size_t at) { return big16(bytes, at) << 16 | big16(bytes, at + 2); }
std::uint32_t little16(std::string_view bytes, std::size_t at) { return byteAt(bytes, at) | byteAt(bytes, at + 1) << 8; }
std::uint32_t little24(std::string_view bytes, std::size_t at) { return little16(bytes, at) | byteAt(bytes, at + 2) << 16; }
std::uint32_t little32(std::string_view bytes, std::size_t at) { return little16(bytes, at) | little16(bytes, at + 2) << 16; }

std::string_view part(std::string_view bytes, std::size_t at, std::size_t length)
{
    if (at > bytes.size() || length > bytes.size() - at) throw MediaFault("truncated");
    return bytes.substr(at, length);
}

void appendBig32(std::string& out, std::uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xff);
}

void appendLittle32(std::string& out, std::uint32_t value)
{
    for (int shift = 0; shift <= 24; shift += 8) out += static_cast<char>(value >> shift & 0xff);
}

int orientationOf(std::string_view tiff)
{
    try
    {
        const bool little = tiff.starts_with("II");
        if (!little && !tiff.starts_with("MM")) return 1;
        const auto short_ = [&](std::size_t at) { return little ? little16(tiff, at) : big16(tiff, at); };
        const auto long_ = [&](std::size_t at) { return little ? little32(tiff, at) : big32(tiff, at); };
        const std::size_t directory = long_(4);
        const auto entries = short_(directory);
        for (std::size_t i = 0; i < entries; ++i)
        {
            const auto at = directory + 2 + i * 12;
            if (short_(at) != 0x0112) continue;
            const auto value = short_(at + 8);
            return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
        }
    }
    catch (const MediaFault&)
    {
    }
    return 1;
}

std::string orientationBlock(int orientation)
{
    // Header, one entry of the type SHORT, no further directory.
    std::string block("MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0", 19);
    block += static_cast<char>(orientation);
    return block.append(6, '\0');
}

} // namespace portico::social::imagebytes
