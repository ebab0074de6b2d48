#pragma once

#include "Pixels.h"

namespace images
{

/// Returns the orientation that an Exif block (TIFF 6) names; 1 for a block that cannot be read.
inline int orientationOf(Bytes tiff)
{
    if (tiff.size() < 8) return 1;
    const bool little = tiff[0] == 'I';
    const auto number = [&](std::size_t at, std::size_t length) -> std::size_t
    {
        if (at > tiff.size() || tiff.size() - at < length) return 0;
        std::size_t value = 0;
        for (std::size_t i = 0; i < length; ++i) value = value << 8 | tiff[at + (little ? length - 1 - i : i)];
        return value;
    };
    const auto directory = number(4, 4);
    const auto entries = number(directory, 2);
    for (std::size_t i = 0; i < entries && directory + 2 + i * 12 < tiff.size(); ++i)
    {
        const auto at = directory + 2 + i * 12;
        if (number(at, 2) != 0x0112) continue;
        const auto value = number(at + 8, 2);
        return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
    }
    return 1;
}

} // namespace images
