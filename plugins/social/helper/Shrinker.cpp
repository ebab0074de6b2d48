#include "Shrinker.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace images
{

void Shrinker::begin(int width, int height, int channels)
{
    _width = std::min(_width, width);
    _height = std::min(_height, height);
    _sourceWidth = width;
    _sourceHeight = height;
    _channels = channels;
    _result = makePixels(_width, _height, channels);
    const auto values = static_cast<std::size_t>(_width) * static_cast<std::size_t>(channels);
    _across.assign(values, 0);
    _sum.assign(values, 0);
}

void Shrinker::addAcross(const unsigned char* bytes)
{
    const double scale = static_cast<double>(_sourceWidth) / _width;
    const auto add = [this](float* to, const unsigned char* from, float weight)
    {
        if (_channels == 3)
        {
            for (int channel = 0; channel < 3; ++channel) to[channel] += weight * static_cast<float>(from[channel]);
            return;
        }
        const float alpha = weight * static_cast<float>(from[3]);
        for (int channel = 0; channel < 3; ++channel) to[channel] += alpha * static_cast<float>(from[channel]);
        to[3] += alpha;
    };
    std::ranges::fill(_across, 0.F);
    for (int x = 0; x < _width; ++x)
    {
        const double begin = x * scale, end = std::min((x + 1) * scale, static_cast<double>(_sourceWidth));
        auto* to = _across.data() + static_cast<std::size_t>(x) * static_cast<std::size_t>(_channels);
        for (int from = static_cast<int>(begin); from < end; ++from)
        {
            const double covered = std::min(end, from + 1.0) - std::max(begin, static_cast<double>(from));
            add(to, bytes + static_cast<std::size_t>(from) * static_cast<std::size_t>(_channels), static_cast<float>(covered / scale));
        }
    }
}

void Shrinker::row(const unsigned char* bytes)
{
    if (_source >= _sourceHeight || _target >= _height) return;
    if (_width == _sourceWidth && _height == _sourceHeight)
    {
        std::memcpy(_result.row(_target++), bytes, _result.rowBytes());
        ++_source;
        return;
    }
    addAcross(bytes);
    const double scale = static_cast<double>(_sourceHeight) / _height;
    double begin = _source;
    const double end = _source + 1.0;
    while (begin < end && _target < _height)
    {
        const double edge = _target + 1 == _height ? _sourceHeight : (_target + 1) * scale;
        const auto weight = static_cast<float>((std::min(edge, end) - begin) / scale);
        for (std::size_t i = 0; i < _sum.size(); ++i) _sum[i] += weight * _across[i];
        if (edge > end) break;
        finishRow();
        begin = edge;
    }
    if (++_source == _sourceHeight && _target < _height) finishRow();
}

void Shrinker::finishRow()
{
    const auto byteOf = [](float value) { return static_cast<unsigned char>(std::clamp(value + 0.5F, 0.F, 255.F)); };
    auto* out = _result.row(_target++);
    for (std::size_t i = 0; i < _sum.size(); i += static_cast<std::size_t>(_channels))
    {
        const float alpha = _channels == 4 ? _sum[i + 3] : 1.F;
        for (std::size_t channel = 0; channel < 3; ++channel) out[i + channel] = alpha > 0 ? byteOf(_sum[i + channel] / alpha) : 0;
        if (_channels == 4) out[i + 3] = byteOf(alpha);
    }
    std::ranges::fill(_sum, 0.F);
}

Pixels shrunk(const Pixels& pixels, int width, int height)
{
    Shrinker shrinker(width, height);
    shrinker.begin(pixels.width, pixels.height, pixels.channels);
    for (int y = 0; y < pixels.height; ++y) shrinker.row(pixels.row(y));
    return shrinker.take();
}

} // namespace images
