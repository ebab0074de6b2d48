#include "pictures/Picture.h"

namespace portico::calendar
{

std::string_view pictureTypeOf(std::string_view firstBytes) noexcept
{
    if (firstBytes.starts_with("\x89PNG\r\n\x1a\n")) return "image/png";
    if (firstBytes.starts_with("\xff\xd8\xff")) return "image/jpeg";
    if (firstBytes.starts_with("GIF87a") || firstBytes.starts_with("GIF89a")) return "image/gif";
    if (firstBytes.starts_with("RIFF") && firstBytes.size() >= pictureHeadBytes && firstBytes.substr(8, 4) == "WEBP") return "image/webp";
    return {};
}

} // namespace portico::calendar
