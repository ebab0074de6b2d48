#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace portico::social
{

/// Removes the metadata of an image: place, time, device, names, previews, and trailing data.
/// Keeps the colour profile, the animation and the orientation.
struct CleanedImage
{
    std::string bytes;
    /// Dimensions in the header, swapped if the orientation rotates the image by 90°.
    std::int64_t width = 0;
    std::int64_t height = 0;
};

/// Removes the metadata of a JPEG, PNG, WebP or GIF without decoding it. Validates every length in the file.
/// @throws MediaFault `truncated`, `malformed`, `too_many_pixels`
CleanedImage cleanImage(std::string_view contentType, std::string_view bytes);

} // namespace portico::social
