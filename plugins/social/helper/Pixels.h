#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace images
{

using Bytes = std::span<const unsigned char>;

/// A picture in memory: rows from top to bottom, three (RGB) or four (RGBA) bytes a pixel.
struct Pixels
{
    int width = 0;
    int height = 0;
    int channels = 3;
    std::vector<unsigned char> data;

    std::size_t rowBytes() const { return static_cast<std::size_t>(width) * static_cast<std::size_t>(channels); }
    unsigned char* row(int y) { return data.data() + rowBytes() * static_cast<std::size_t>(y); }
    const unsigned char* row(int y) const { return data.data() + rowBytes() * static_cast<std::size_t>(y); }
};

Pixels makePixels(int width, int height, int channels);
/// Returns the picture as it is shown with an orientation of Exif, 1 to 8.
Pixels oriented(Pixels pixels, int orientation);
/// Returns it without alpha, on white.
Pixels flattened(Pixels pixels);
/// False where every pixel is opaque.
bool isTransparent(const Pixels& pixels);

/// Facts that a file has beside its pixels.
struct PictureFacts
{
    /// The orientation of Exif, 1 to 8.
    int orientation = 1;
    /// ICC profile for RGB; empty: sRGB.
    std::string profile;
};

/// Takes the rows of a picture in their order.
class RowSink
{
public:
    virtual ~RowSink() = default;
    virtual void begin(int width, int height, int channels) = 0;
    virtual void row(const unsigned char* bytes) = 0;
};

/// Decode a picture, row by row where the format allows it. `edge`: the longer side of the largest copy that is wanted; a source may give
/// a smaller picture that is still as large. They end the program for bytes that are no whole picture.
PictureFacts readJpeg(Bytes bytes, int edge, RowSink& sink);
PictureFacts readPng(Bytes bytes, RowSink& sink);
PictureFacts readWebp(Bytes bytes, int edge, RowSink& sink);
/// The first picture of an animation.
PictureFacts readGif(Bytes bytes, RowSink& sink);

} // namespace images
