#include "media/ImageBytes.h"
#include "media/MediaTypes.h"

#include <algorithm>
#include <array>

namespace portico::social::imagebytes
{

namespace
{
using namespace std::string_view_literals;

template <std::size_t N>
bool isOneOf(std::string_view name, const std::array<std::string_view, N>& names)
{
    return std::ranges::find(names, name) != names.end();
}

/// CRC of a PNG chunk (ISO/IEC 15948, annex D).
std::uint32_t crcOf(std::string_view bytes)
{
    std::uint32_t crc = 0xffffffff;
    for (const char c : bytes)
    {
        crc ^= static_cast<unsigned char>(c);
        for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) != 0 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
    }
    return ~crc;
}

void appendPngChunk(std::string& out, std::string_view name, std::string_view content)
{
    appendBig32(out, static_cast<std::uint32_t>(content.size()));
    const auto checked = std::string(name).append(content);
    out += checked;
    appendBig32(out, crcOf(checked));
}

/// Chunks that change how the picture looks, or are the picture.
bool isKeptPngChunk(std::string_view name)
{
    static constexpr std::array kept = {"IHDR"sv, "PLTE"sv, "IDAT"sv, "tRNS"sv, "gAMA"sv, "cHRM"sv, "sRGB"sv, "iCCP"sv, "sBIT"sv, "bKGD"sv,
                                        "hIST"sv, "pHYs"sv, "sPLT"sv, "acTL"sv, "fcTL"sv, "fdAT"sv, "cICP"sv, "mDCV"sv, "cLLI"sv};
    return isOneOf(name, kept);
}

void appendWebpChunk(std::string& out, std::string_view name, std::string_view content)
{
    out += name;
    appendLittle32(out, static_cast<std::uint32_t>(content.size()));
    out += content;
    if (content.size() % 2 != 0) out += '\0';
}

/// The size that a still image's own data names (RFC 6386, 9.1; RFC 9649, 3.4).
void readWebpSize(Cleaned& image, std::string_view name, std::string_view content)
{
    if (name == "VP8X")
    {
        image.width = little24(content, 4) + 1;
        image.height = little24(content, 7) + 1;
    }
    else if (name == "VP8 " && image.width == 0)
    {
        if (part(content, 3, 3) != "\x9d\x01\x2a"sv) throw MediaFault("malformed");
        image.width = little16(content, 6) & 0x3fff;
        image.height = little16(content, 8) & 0x3fff;
    }
    else if (name == "VP8L" && image.width == 0)
    {
        if (part(content, 0, 1) != "\x2f"sv) throw MediaFault("malformed");
        const auto bits = little32(content, 1);
        image.width = (bits & 0x3fff) + 1;
        image.height = (bits >> 14 & 0x3fff) + 1;
    }
}

/// Returns where a chain of GIF sub-blocks ends (GIF89a, 15).
std::size_t endOfBlocks(std::string_view bytes, std::size_t at)
{
    for (;;)
    {
        const std::size_t length = static_cast<unsigned char>(part(bytes, at, 1)[0]);
        at += 1 + length;
        if (length == 0) return at;
    }
}

std::size_t gifTableSize(unsigned flags) { return (flags & 0x80) == 0 ? 0 : std::size_t{3} << ((flags & 7) + 1); }
} // namespace

Cleaned cleanPng(std::string_view bytes)
{
    constexpr std::size_t signature = 8;
    if (part(bytes, 0, signature) != "\x89PNG\r\n\x1a\n"sv) throw MediaFault("malformed");
    Cleaned image;
    std::string rest;
    bool hasData = false;
    for (std::size_t at = signature;;)
    {
        const std::size_t length = big32(bytes, at);
        const auto chunk = part(bytes, at, length + 12), name = chunk.substr(4, 4), content = chunk.substr(8, length);
        if ((at == signature) != (name == "IHDR")) throw MediaFault("malformed");
        at += chunk.size();
        if (name == "IHDR")
        {
            image.width = big32(content, 0);
            image.height = big32(content, 4);
        }
        if (name == "eXIf") image.orientation = orientationOf(content);
        hasData = hasData || name == "IDAT";
        if (name == "IEND") break;
        if (isKeptPngChunk(name)) rest += chunk;
    }
    if (!hasData) throw MediaFault("malformed");
    image.bytes = bytes.substr(0, signature);
    constexpr std::size_t header = 25;
    image.bytes += rest.substr(0, header);
    if (image.orientation != 1) appendPngChunk(image.bytes, "eXIf", orientationBlock(image.orientation));
    image.bytes += rest.substr(std::min(header, rest.size()));
    appendPngChunk(image.bytes, "IEND", {});
    return image;
}

Cleaned cleanWebp(std::string_view bytes)
{
    static constexpr std::array kept = {"VP8X"sv, "VP8 "sv, "VP8L"sv, "ALPH"sv, "ANIM"sv, "ANMF"sv, "ICCP"sv};
    if (part(bytes, 0, 4) != "RIFF"sv || part(bytes, 8, 4) != "WEBP"sv) throw MediaFault("malformed");
    const std::size_t end = std::size_t{8} + little32(bytes, 4);
    if (end > bytes.size()) throw MediaFault("truncated");
    Cleaned image;
    std::string body;
    bool hasData = false;
    for (std::size_t at = 12; at + 8 <= end;)
    {
        const auto name = part(bytes, at, 4);
        const std::size_t length = little32(bytes, at + 4);
        const auto content = part(bytes.substr(0, end), at + 8, length);
        at += 8 + length + length % 2;
        readWebpSize(image, name, content);
        if (name == "EXIF") image.orientation = orientationOf(content.starts_with("Exif\0\0"sv) ? content.substr(6) : content);
        hasData = hasData || name == "VP8 " || name == "VP8L" || name == "ANMF";
        if (isOneOf(name, kept)) appendWebpChunk(body, name, content);
    }
    if (!hasData) throw MediaFault("malformed");
    // Flags of the extended header: Exif 8, XMP 4.
    const bool extended = body.starts_with("VP8X");
    if (!extended) image.orientation = 1;
    if (extended)
    {
        if (body.size() < 18) throw MediaFault("malformed");
        body[8] = static_cast<char>((static_cast<unsigned char>(body[8]) & ~0x0cU) | (image.orientation == 1 ? 0U : 8U));
    }
    if (image.orientation != 1) appendWebpChunk(body, "EXIF", orientationBlock(image.orientation));
    image.bytes = "RIFF";
    appendLittle32(image.bytes, static_cast<std::uint32_t>(body.size() + 4));
    image.bytes.append("WEBP").append(body);
    return image;
}

Cleaned cleanGif(std::string_view bytes)
{
    Cleaned image;
    const auto header = part(bytes, 0, 13);
    if (!header.starts_with("GIF87a") && !header.starts_with("GIF89a")) throw MediaFault("malformed");
    image.width = little16(bytes, 6);
    image.height = little16(bytes, 8);
    auto at = header.size() + gifTableSize(static_cast<unsigned char>(header[10]));
    image.bytes = part(bytes, 0, at);
    bool hasData = false;
    for (;;)
    {
        const auto kind = part(bytes, at, 1)[0];
        if (kind == ';') break;
        std::size_t end = 0;
        bool isKept = true;
        if (kind == ',')
        {
            const auto descriptor = part(bytes, at, 10);
            // One byte of code size comes before the sub-blocks.
            end = endOfBlocks(bytes, at + 10 + gifTableSize(static_cast<unsigned char>(descriptor[9])) + 1);
            hasData = true;
        }
        else if (kind == '!')
        {
            const auto label = static_cast<unsigned char>(part(bytes, at + 1, 1)[0]);
            end = endOfBlocks(bytes, at + 2);
            const auto application = label == 0xff ? part(bytes, at + 3, 11) : std::string_view();
            isKept = label == 0xf9 || application == "NETSCAPE2.0" || application == "ANIMEXTS1.0";
        }
        else
            throw MediaFault("malformed");
        if (isKept) image.bytes += bytes.substr(at, end - at);
        at = end;
    }
    if (!hasData) throw MediaFault("malformed");
    image.bytes += ';';
    return image;
}

} // namespace portico::social::imagebytes
