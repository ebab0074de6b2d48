#include "Exif.h"
#include "Fail.h"
#include "Pixels.h"

#include <algorithm>

#include <webp/decode.h>
#include <webp/demux.h>

namespace images
{

namespace
{
std::string chunkOf(const WebPDemuxer* demuxer, const char* name)
{
    WebPChunkIterator found;
    std::string text;
    if (WebPDemuxGetChunk(demuxer, name, 1, &found) != 0)
    {
        text.assign(reinterpret_cast<const char*>(found.chunk.bytes), found.chunk.size);
        WebPDemuxReleaseChunkIterator(&found);
    }
    return text;
}
} // namespace

PictureFacts readWebp(Bytes bytes, int edge, RowSink& sink)
{
    const WebPData data{bytes.data(), bytes.size()};
    auto* demuxer = WebPDemux(&data);
    WebPIterator frame;
    if (demuxer == nullptr || WebPDemuxGetFrame(demuxer, 1, &frame) == 0) fail("malformed");
    const auto exif = chunkOf(demuxer, "EXIF");
    PictureFacts facts{orientationOf({reinterpret_cast<const unsigned char*>(exif.data()), exif.size()}), chunkOf(demuxer, "ICCP")};

    WebPDecoderConfig config;
    if (WebPInitDecoderConfig(&config) == 0 || WebPGetFeatures(frame.fragment.bytes, frame.fragment.size, &config.input) != VP8_STATUS_OK)
        fail("malformed");
    int width = config.input.width, height = config.input.height;
    if (const int longer = std::max(width, height); longer > edge)
    {
        config.options.use_scaling = 1;
        config.options.scaled_width = width = std::max(1, static_cast<int>(static_cast<std::int64_t>(width) * edge / longer));
        config.options.scaled_height = height = std::max(1, static_cast<int>(static_cast<std::int64_t>(height) * edge / longer));
    }
    const int channels = config.input.has_alpha != 0 ? 4 : 3;
    config.output.colorspace = channels == 4 ? MODE_RGBA : MODE_RGB;
    const auto status = WebPDecode(frame.fragment.bytes, frame.fragment.size, &config);
    if (status == VP8_STATUS_OUT_OF_MEMORY) failForMemory();
    if (status != VP8_STATUS_OK) fail("malformed");
    sink.begin(width, height, channels);
    for (int y = 0; y < height; ++y) sink.row(config.output.u.RGBA.rgba + static_cast<std::ptrdiff_t>(config.output.u.RGBA.stride) * y);
    return facts;
}

} // namespace images
