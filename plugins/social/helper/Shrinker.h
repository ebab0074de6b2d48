#pragma once

#include "Pixels.h"

#include <vector>

namespace images
{

/// Makes a picture smaller while its rows come: each pixel is the mean of the area that it covers. It keeps two rows beside the result.
class Shrinker final : public RowSink
{
public:
    /// The size of the result; not larger than the picture.
    Shrinker(int width, int height) : _width(width), _height(height) {}
    void begin(int width, int height, int channels) override;
    void row(const unsigned char* bytes) override;
    /// After the last row.
    Pixels take() { return std::move(_result); }

private:
    void addAcross(const unsigned char* bytes);
    void finishRow();

    int _width;
    int _height;
    int _sourceWidth = 0;
    int _sourceHeight = 0;
    int _channels = 3;
    int _source = 0;
    int _target = 0;
    /// The row that came, as wide as the result; alpha is multiplied in.
    std::vector<float> _across;
    std::vector<float> _sum;
    Pixels _result;
};

Pixels shrunk(const Pixels& pixels, int width, int height);

} // namespace images
