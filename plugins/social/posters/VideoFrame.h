#pragma once

#include "../helper/Copy.h"
#include "../helper/Pixels.h"

namespace posters
{

/// Returns a frame of the video in a file, as it is shown, within the limits: the first one from a tenth of the video on that is not of one
/// colour. Ends the program for a video without such a frame.
images::Pixels frameOf(int file, const images::CopyLimits& limits);

} // namespace posters
