#include "media/ImageCleaner.h"

#include "media/ImageBytes.h"
#include "media/MediaTypes.h"

#include <utility>

namespace portico::social
{

CleanedImage cleanImage(std::string_view contentType, std::string_view bytes)
{
    auto image = contentType == "image/jpeg"   ? imagebytes::cleanJpeg(bytes)
                 : contentType == "image/png"  ? imagebytes::cleanPng(bytes)
                 : contentType == "image/webp" ? imagebytes::cleanWebp(bytes)
                                               : imagebytes::cleanGif(bytes);
    if (image.width <= 0 || image.height <= 0) throw MediaFault("malformed");
    if (image.width > imagebytes::maxPixels / image.height) throw MediaFault("too_many_pixels");
    if (image.orientation >= 5) std::swap(image.width, image.height);
    return {std::move(image.bytes), image.width, image.height};
}

} // namespace portico::social
