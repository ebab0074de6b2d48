#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// The forms of images, read and written byte by byte. For `cleanImage`.
namespace portico::social::imagebytes
{

/// Maximum size: decoders need four bytes a pixel.
inline constexpr std::int64_t maxPixels = 200'000'000;

struct Cleaned
{
    std::string bytes;
    std::int64_t width = 0;
    std::int64_t height = 0;
    /// Exif orientation, 1 to 8; 1: unchanged.
    int orientation = 1;
};

/// @throws MediaFault
Cleaned cleanJpeg(std::string_view bytes);
Cleaned cleanPng(std::string_view bytes);
Cleaned cleanWebp(std::string_view bytes);
Cleaned cleanGif(std::string_view bytes);

/// Returns the orientation that an Exif block (TIFF 6) names; 1 for a block that cannot be read.
int orientationOf(std::string_view tiff);
/// Returns an Exif block (TIFF 6) that names an orientation and nothing else.
std::string orientationBlock(int orientation);

/// Reads numbers; the end of the bytes is a MediaFault `truncated`.
std::uint32_t big16(std::string_view bytes, std::size_t at);
std::uint32_t big32(std::string_view bytes, std::size_t at);
std::uint32_t little16(std::string_view bytes, std::size_t at);
std::uint32_t little24(std::string_view bytes, std::size_t at);
std::uint32_t little32(std::string_view bytes, std::size_t at);
/// Returns a part; @throws MediaFault `truncated` where it is not whole
std::string_view part(std::string_view bytes, std::size_t at, std::size_t length);
void appendBig32(std::string& out, std::uint32_t value);
void appendLittle32(std::string& out, std::uint32_t value);

} // namespace portico::social::imagebytes
