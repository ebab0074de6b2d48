#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// Small files that are whole by their headers, with the text `SECRET-GPS` wherever metadata can be.
namespace portico::tests::samples
{

using namespace std::string_literals;
using namespace std::string_view_literals;

inline constexpr std::string_view secret = "SECRET-GPS";

inline std::string big(std::uint64_t value, int bytes)
{
    std::string text;
    for (int shift = (bytes - 1) * 8; shift >= 0; shift -= 8) text += static_cast<char>(value >> shift & 0xff);
    return text;
}
inline std::string little(std::uint64_t value, int bytes)
{
    std::string text;
    for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
    return text;
}

/// Exif with an orientation, and the secret behind it.
inline std::string exif(int orientation, bool isLittle = false)
{
    const auto number = [isLittle](std::uint64_t value, int bytes) { return isLittle ? little(value, bytes) : big(value, bytes); };
    return std::string(isLittle ? "II" : "MM") + number(42, 2) + number(8, 4) + number(2, 2) + number(0x010f, 2) + number(2, 2) +
           number(4, 4) + number(0, 4) + number(0x0112, 2) + number(3, 2) + number(1, 4) +
           number(static_cast<std::uint64_t>(orientation), 2) + number(0, 2) + number(0, 4) + std::string(secret);
}

inline std::string jpegSegment(unsigned marker, std::string_view content)
{
    return "\xff" + std::string(1, static_cast<char>(marker)) + big(content.size() + 2, 2) + std::string(content);
}
/// 30 x 20, with what cameras, editors and phones add.
inline std::string jpeg(int orientation)
{
    return "\xff\xd8" + jpegSegment(0xe0, "JFIF\0\x01\x01\0\0\x01\0\x01\0\0"sv) + jpegSegment(0xe1, "Exif\0\0"s + exif(orientation)) +
           jpegSegment(0xe1, "http://ns.adobe.com/xap/1.0/\0"s + std::string(secret)) +
           jpegSegment(0xed, "Photoshop 3.0\0"s + std::string(secret)) + jpegSegment(0xe2, "MPF\0"s + std::string(secret)) +
           jpegSegment(0xe2, "ICC_PROFILE\0\x01\x01profile"sv) + jpegSegment(0xfe, secret) + jpegSegment(0xdb, std::string(65, '\x01')) +
           jpegSegment(0xc0, "\x08\0\x14\0\x1e\x01\x01\x11\0"sv) + jpegSegment(0xda, "\x01\x01\0\0\x3f\0"sv) +
           "data\xff\0more\xff\xd0rest"s + jpegSegment(0xfe, secret) + jpegSegment(0xda, "\x01\x01\0\0\x3f\0"sv) + "scan" + "\xff\xd9" +
           "ftyp of a motion photo " + std::string(secret);
}

inline std::string pngChunk(std::string_view name, std::string_view content)
{
    return big(content.size(), 4) + std::string(name) + std::string(content) + "crc!";
}
inline std::string png(int orientation)
{
    return "\x89PNG\r\n\x1a\n" + pngChunk("IHDR", big(30, 4) + big(20, 4) + "\x08\x02\0\0\0"s) + pngChunk("eXIf", exif(orientation, true)) +
           pngChunk("tEXt", "Comment\0"s + std::string(secret)) + pngChunk("iTXt", secret) + pngChunk("tIME", secret) +
           pngChunk("prVt", secret) + pngChunk("gAMA", big(45455, 4)) + pngChunk("IDAT", "pixels") + pngChunk("IEND", "") +
           std::string(secret);
}

inline std::string webpChunk(std::string_view name, std::string_view content)
{
    return std::string(name) + little(content.size(), 4) + std::string(content) + (content.size() % 2 != 0 ? "\0"s : ""s);
}
inline std::string webp(int orientation)
{
    const auto body = webpChunk("VP8X", "\x0c\0\0\0"s + little(29, 3) + little(19, 3)) +
                      webpChunk("VP8 ", "abc\x9d\x01\x2a"s + little(30, 2) + little(20, 2) + "odd") +
                      webpChunk("EXIF", "Exif\0\0"s + exif(orientation)) + webpChunk("XMP ", secret) + webpChunk("junk", secret);
    return "RIFF" + little(body.size() + 4, 4) + "WEBP" + body + std::string(secret);
}

inline std::string gif()
{
    return "GIF89a" + little(30, 2) + little(20, 2) + "\x80\0\0"s + std::string(6, 'c') + "!\xff\x0bNETSCAPE2.0\x03\x01\0\0\0"s +
           "!\xfe\x0a"s + std::string(secret) + "\0"s + "!\xff\x0bXMP DataXMP\x0a"s + std::string(secret) + "\0"s + "!\xf9\x04\0\0\0\0\0"s +
           ","s + std::string(8, '\0') + "\0\x02\x02xy\0;"s + std::string(secret);
}

inline std::string box(std::string_view name, std::string_view content)
{
    return big(content.size() + 8, 4) + std::string(name) + std::string(content);
}

/// Two seconds of 640 x 360.
inline std::string mp4()
{
    const auto track = box("tkhd", std::string(76, '\0') + big(640 << 16, 4) + big(360 << 16, 4));
    const auto moov = box("mvhd", std::string(12, '\0') + big(1000, 4) + big(2000, 4) + std::string(80, '\0')) +
                      box("trak", track + box("udta", secret)) + box("udta", box("\xa9xyz", secret)) + box("meta", secret);
    return box("ftyp", "isom\0\0\0\0isommp41"sv) + box("uuid", secret) + box("moov", moov) + box("mdat", "frames");
}

/// 30 x 20 with Exif in an item.
inline std::string avif()
{
    const auto ftyp = box("ftyp", "avif\0\0\0\0avifmif1"sv);
    const auto infe = [](int id, std::string_view type)
    { return box("infe", "\x02\0\0\0"s + big(static_cast<std::uint64_t>(id), 2) + "\0\0"s + std::string(type) + "\0"s); };
    const auto iinf = box("iinf", "\0\0\0\0"s + big(2, 2) + infe(1, "av01") + infe(2, "Exif"));
    const auto iprp = box("iprp", box("ipco", box("ispe", std::string(4, '\0') + big(30, 4) + big(20, 4))));
    const auto metaOf = [&](std::uint64_t dataAt)
    {
        const auto iloc = box("iloc", "\0\0\0\0\x44\0"s + big(2, 2) + big(1, 2) + big(0, 2) + big(1, 2) + big(dataAt, 4) + big(6, 4) +
                                          big(2, 2) + big(0, 2) + big(1, 2) + big(dataAt + 6, 4) + big(secret.size(), 4));
        return box("meta", std::string(4, '\0') + iinf + iloc + iprp);
    };
    const auto dataAt = ftyp.size() + metaOf(0).size() + 8;
    return ftyp + metaOf(dataAt) + box("mdat", "pixels" + std::string(secret));
}

inline std::string webm()
{
    const auto element = [](std::string_view id, std::string_view content)
    { return std::string(id) + static_cast<char>(0x80 | content.size()) + std::string(content); };
    return element("\x1a\x45\xdf\xa3", "\x42\x82\x84webm") + "\x18\x53\x80\x67\x01\xff\xff\xff\xff\xff\xff\xff"s +
           element("\x15\x49\xa9\x66", "info") + element("\x12\x54\xc3\x67", secret) + element("\x19\x41\xa4\x69", secret) +
           element("\x1f\x43\xb6\x75", "frames");
}

} // namespace portico::tests::samples
