#include "media/ImageBytes.h"
#include "media/MediaTypes.h"

namespace portico::social::imagebytes
{

namespace
{
using namespace std::string_view_literals;

constexpr unsigned startOfImage = 0xd8, endOfImage = 0xd9, startOfScan = 0xda, comment = 0xfe;

/// Frame headers: SOF0 to SOF15 without DHT, JPG and DAC (ITU-T T.81, table B.1).
bool isFrame(unsigned marker) { return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc; }

/// Returns true for the application segments that define colors: JFIF, ICC, Adobe.
bool isKept(unsigned marker, std::string_view content)
{
    if (marker == comment) return false;
    if (marker < 0xe0 || marker > 0xef) return true;
    return (marker == 0xe0 && content.starts_with("JFIF\0"sv)) || (marker == 0xe2 && content.starts_with("ICC_PROFILE\0"sv)) ||
           (marker == 0xee && content.starts_with("Adobe"sv));
}

/// Returns where the coded data of a scan ends: at the next marker that is neither a stuffed zero nor a restart.
std::size_t endOfScan(std::string_view bytes, std::size_t at)
{
    for (;;)
    {
        at = bytes.find('\xff', at);
        if (at == std::string_view::npos || at + 1 >= bytes.size()) throw MediaFault("truncated");
        const auto next = static_cast<unsigned char>(bytes[at + 1]);
        if (next != 0 && next != 0xff && (next < 0xd0 || next > 0xd7)) return at;
        at += next == 0xff ? 1 : 2;
    }
}

std::string orientationSegment(int orientation)
{
    const auto block = orientationBlock(orientation);
    const auto length = block.size() + 8;
    std::string segment = "\xff\xe1";
    segment += static_cast<char>(length >> 8);
    segment += static_cast<char>(length & 0xff);
    return segment.append("Exif\0\0"sv).append(block);
}
} // namespace

Cleaned cleanJpeg(std::string_view bytes)
{
    Cleaned image;
    std::string rest;
    if (big16(bytes, 0) != (0xff00 | startOfImage)) throw MediaFault("malformed");
    std::string header;
    bool scanned = false;
    for (std::size_t at = 2;;)
    {
        if (big16(bytes, at) >> 8 != 0xff) throw MediaFault("malformed");
        // A marker may have fill bytes before it.
        while ((big16(bytes, at) & 0xff) == 0xff) ++at;
        const auto marker = big16(bytes, at) & 0xff;
        if (marker == endOfImage) break;
        if (marker == 0 || marker == 1 || (marker >= 0xd0 && marker <= startOfImage)) throw MediaFault("malformed");
        const std::size_t length = big16(bytes, at + 2);
        if (length < 2) throw MediaFault("malformed");
        const auto segment = part(bytes, at, length + 2), content = segment.substr(4);
        if (marker == 0xe1 && content.starts_with("Exif\0\0"sv)) image.orientation = orientationOf(content.substr(6));
        if (isFrame(marker) && image.width == 0)
        {
            image.height = big16(content, 1);
            image.width = big16(content, 3);
        }
        at += segment.size();
        if (isKept(marker, content)) rest += segment;
        if (marker != startOfScan) continue;
        scanned = true;
        const auto end = endOfScan(bytes, at);
        rest += bytes.substr(at, end - at);
        at = end;
    }
    if (!scanned) throw MediaFault("malformed");
    image.bytes = "\xff\xd8";
    // JFIF must come first, if present; Exif follows it.
    const auto first = rest.starts_with("\xff\xe0"sv) ? 2 + big16(rest, 2) : 0;
    image.bytes += rest.substr(0, first);
    if (image.orientation != 1) image.bytes += orientationSegment(image.orientation);
    image.bytes += rest.substr(first);
    image.bytes += "\xff\xd9";
    return image;
}

} // namespace portico::social::imagebytes
