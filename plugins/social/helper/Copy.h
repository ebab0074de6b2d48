#pragma once

#include "Pixels.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace images
{

/// Limits of a copy; 0: no limit.
struct CopyLimits
{
    int edge = 0;
    std::int64_t pixels = 0;
    std::uint64_t bytes = 0;
    /// `image/jpeg+image/png`.
    std::string types;

    bool allows(std::string_view type) const;
};

/// Reads `edge=2048,bytes=2000000,types=image/jpeg+image/png`. Ends the program for anything else.
CopyLimits limitsOf(std::string_view text);

struct Size
{
    int width = 0;
    int height = 0;
};
/// Returns the largest size of that shape that the limits allow.
Size sizeWithin(const CopyLimits& limits, int width, int height);

struct Copy
{
    std::string type;
    Size size;
    std::string bytes;
};

/// Encodes a picture so that it fits: first with less quality, then with fewer pixels. Ends the program where that is not possible.
Copy encodeWithin(const CopyLimits& limits, Pixels pixels, const std::string& profile);

} // namespace images
