#include "Pixels.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace images
{

Pixels makePixels(int width, int height, int channels)
{
    Pixels pixels{width, height, channels, {}};
    pixels.data.resize(pixels.rowBytes() * static_cast<std::size_t>(height));
    return pixels;
}

Pixels oriented(Pixels pixels, int orientation)
{
    if (orientation <= 1 || orientation > 8) return pixels;
    const bool turned = orientation >= 5;
    const bool mirrored = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
    const bool upsideDown = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
    auto result = makePixels(turned ? pixels.height : pixels.width, turned ? pixels.width : pixels.height, pixels.channels);
    const auto size = static_cast<std::size_t>(pixels.channels);
    for (int y = 0; y < result.height; ++y)
        for (int x = 0; x < result.width; ++x)
        {
            // Computes the pixel's source: the transposed position, mirrored along the axes of the source.
            int fromX = turned ? y : x, fromY = turned ? x : y;
            if (mirrored) fromX = pixels.width - 1 - fromX;
            if (upsideDown) fromY = pixels.height - 1 - fromY;
            std::memcpy(result.row(y) + size * static_cast<std::size_t>(x), pixels.row(fromY) + size * static_cast<std::size_t>(fromX),
                        size);
        }
    return result;
}

Pixels flattened(Pixels pixels)
{
    if (pixels.channels == 3) return pixels;
    auto result = makePixels(pixels.width, pixels.height, 3);
    const auto count = static_cast<std::size_t>(pixels.width) * static_cast<std::size_t>(pixels.height);
    for (std::size_t i = 0; i < count; ++i)
    {
        const auto* from = pixels.data.data() + i * 4;
        const unsigned alpha = from[3];
        for (std::size_t channel = 0; channel < 3; ++channel)
            result.data[i * 3 + channel] = static_cast<unsigned char>((from[channel] * alpha + 255 * (255 - alpha) + 127) / 255);
    }
    return result;
}

bool isTransparent(const Pixels& pixels)
{
    if (pixels.channels == 3) return false;
    for (std::size_t i = 3; i < pixels.data.size(); i += 4)
        if (pixels.data[i] != 255) return true;
    return false;
}

} // namespace images
