#pragma once

#include "Pixels.h"

#include <string>

namespace images
{

/// Return a picture as a file, with its colour profile. JPEG has no alpha.
std::string writeJpeg(const Pixels& pixels, int quality, const std::string& profile);
std::string writePng(const Pixels& pixels, const std::string& profile);
std::string writeWebp(const Pixels& pixels, int quality);

} // namespace images
