#include "VideoFrame.h"

#include "../helper/Fail.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>

#include <unistd.h>

extern "C"
{
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/display.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
}

namespace posters
{

namespace
{
/// 8192 x 4320.
constexpr std::int64_t maxPixels = 35'389'440;
constexpr std::size_t largestAllocation = std::size_t{256} << 20;
constexpr int bufferBytes = 64 << 10;
/// How far into the video the poster is at most.
constexpr std::int64_t latest = std::int64_t{3} * AV_TIME_BASE;
/// Frames that are looked at until one is not of one colour.
constexpr int maxFrames = 60;
constexpr int leastContrast = 24;

void requireSuccess(int result, const char* word)
{
    if (result >= 0) return;
    if (result == AVERROR(ENOMEM)) images::failForMemory();
    images::fail(word);
}

int readFile(void* place, std::uint8_t* bytes, int size)
{
    const auto count = ::read(*static_cast<const int*>(place), bytes, static_cast<std::size_t>(size));
    if (count == 0) return AVERROR_EOF;
    return count < 0 ? AVERROR(EIO) : static_cast<int>(count);
}

std::int64_t seekFile(void* place, std::int64_t offset, int whence)
{
    const int file = *static_cast<const int*>(place);
    if ((whence & AVSEEK_SIZE) == 0) return ::lseek(file, offset, whence & ~AVSEEK_FORCE);
    const auto position = ::lseek(file, 0, SEEK_CUR), size = ::lseek(file, 0, SEEK_END);
    ::lseek(file, position, SEEK_SET);
    return size;
}

AVPixelFormat softwareFormat(AVCodecContext*, const AVPixelFormat* offered)
{
    for (; *offered != AV_PIX_FMT_NONE; ++offered)
        if (const auto* facts = av_pix_fmt_desc_get(*offered); facts != nullptr && (facts->flags & AV_PIX_FMT_FLAG_HWACCEL) == 0)
            return *offered;
    return AV_PIX_FMT_NONE;
}

/// The process ends with its one video: nothing is released before.
template <class T>
T& made(T* object)
{
    if (object == nullptr) images::failForMemory();
    return *object;
}

/// An open video and the decoder of its picture.
class Video
{
public:
    explicit Video(int file);
    /// Goes to the key frame before a time, or to the beginning.
    bool seek(std::int64_t time);
    /// Returns the next frame; null at the end of what can be decoded.
    const AVFrame* next();
    std::int64_t duration() const { return std::max<std::int64_t>(_container.duration, 0); }
    std::int64_t start() const { return _container.start_time == AV_NOPTS_VALUE ? 0 : _container.start_time; }
    /// The orientation, as Exif has it.
    int orientation() const;
    AVRational shapeOfPixels(const AVFrame& frame) const
    {
        return av_guess_sample_aspect_ratio(&_container, _stream, const_cast<AVFrame*>(&frame));
    }

private:
    int _file;
    AVFormatContext& _container;
    AVStream* _stream = nullptr;
    AVCodecContext* _decoder = nullptr;
    AVPacket& _packet;
    AVFrame& _frame;
    bool _isDrained = false;
};

Video::Video(int file)
    : _file(file), _container(made(avformat_alloc_context())), _packet(made(av_packet_alloc())), _frame(made(av_frame_alloc()))
{
    auto* buffer = static_cast<unsigned char*>(av_malloc(bufferBytes));
    if (buffer == nullptr) images::failForMemory();
    _container.pb = avio_alloc_context(buffer, bufferBytes, 0, &_file, &readFile, nullptr, &seekFile);
    if (_container.pb == nullptr) images::failForMemory();
    _container.flags |= AVFMT_FLAG_CUSTOM_IO;
    auto* container = &_container;
    requireSuccess(avformat_open_input(&container, nullptr, nullptr, nullptr), "malformed");
    const AVCodec* codec = nullptr;
    const int index = av_find_best_stream(container, AVMEDIA_TYPE_VIDEO, -1, -1, &codec, 0);
    requireSuccess(index, "unsupported");
    _stream = container->streams[index];
    for (unsigned each = 0; each < container->nb_streams; ++each)
        if (container->streams[each] != _stream) container->streams[each]->discard = AVDISCARD_ALL;
    const auto& facts = *_stream->codecpar;
    if (facts.width < 0 || facts.height < 0) images::fail("malformed");
    if (std::int64_t{facts.width} * facts.height > maxPixels) images::fail("too_many_pixels");
    _decoder = &made(avcodec_alloc_context3(codec));
    requireSuccess(avcodec_parameters_to_context(_decoder, &facts), "malformed");
    _decoder->thread_count = 1;
    _decoder->thread_type = 0;
    _decoder->max_pixels = maxPixels;
    _decoder->get_format = &softwareFormat;
    _decoder->pkt_timebase = _stream->time_base;
    requireSuccess(avcodec_open2(_decoder, codec, nullptr), "malformed");
}

bool Video::seek(std::int64_t time)
{
    if (av_seek_frame(&_container, -1, start() + time, AVSEEK_FLAG_BACKWARD) < 0) return false;
    avcodec_flush_buffers(_decoder);
    _isDrained = false;
    return true;
}

const AVFrame* Video::next()
{
    while (true)
    {
        const int result = avcodec_receive_frame(_decoder, &_frame);
        if (result == AVERROR(ENOMEM)) images::failForMemory();
        if (result >= 0) return &_frame;
        if (result == AVERROR_EOF || _isDrained) return nullptr;
        const int read = av_read_frame(&_container, &_packet);
        if (read == AVERROR(ENOMEM)) images::failForMemory();
        if (read < 0)
        {
            // The decoder returns the frames that it still has.
            _isDrained = true;
            avcodec_send_packet(_decoder, nullptr);
            continue;
        }
        // A damaged packet is passed over: a later one may have the frame.
        if (_packet.stream_index == _stream->index && avcodec_send_packet(_decoder, &_packet) == AVERROR(ENOMEM)) images::failForMemory();
        av_packet_unref(&_packet);
    }
}

int Video::orientation() const
{
    std::size_t size = 0;
    const auto* matrix = av_stream_get_side_data(_stream, AV_PKT_DATA_DISPLAYMATRIX, &size);
    if (matrix == nullptr || size < 9 * sizeof(std::int32_t)) return 1;
    const double turned = av_display_rotation_get(reinterpret_cast<const std::int32_t*>(matrix));
    if (std::isnan(turned)) return 1;
    constexpr int orientations[] = {1, 8, 3, 6};
    return orientations[(static_cast<int>(std::lround(turned / 90)) + 4) % 4];
}

/// Converts and shrinks a frame to RGB.
images::Pixels pixelsOf(const AVFrame& frame, AVRational shape, const images::CopyLimits& limits)
{
    if (frame.width <= 0 || frame.height <= 0) images::fail("malformed");
    double width = frame.width;
    if (shape.num > 0 && shape.den > 0 && av_q2d(shape) >= 0.25 && av_q2d(shape) <= 4) width *= av_q2d(shape);
    const auto size = images::sizeWithin(limits, std::max(1, static_cast<int>(std::lround(width))), frame.height);
    auto* scaler = sws_getContext(frame.width, frame.height, static_cast<AVPixelFormat>(frame.format), size.width, size.height,
                                  AV_PIX_FMT_RGB24, SWS_AREA | SWS_ACCURATE_RND, nullptr, nullptr, nullptr);
    if (scaler == nullptr) images::fail("unsupported");
    const int matrix = frame.colorspace != AVCOL_SPC_UNSPECIFIED ? frame.colorspace
                       : frame.height >= 720                     ? AVCOL_SPC_BT709
                                                                 : AVCOL_SPC_SMPTE170M;
    sws_setColorspaceDetails(scaler, sws_getCoefficients(matrix), frame.color_range == AVCOL_RANGE_JPEG ? 1 : 0,
                             sws_getCoefficients(SWS_CS_DEFAULT), 1, 0, 1 << 16, 1 << 16);
    // The scaler may write beyond the end of a row: its picture has room there.
    auto& scaled = made(av_frame_alloc());
    scaled.width = size.width;
    scaled.height = size.height;
    scaled.format = AV_PIX_FMT_RGB24;
    requireSuccess(av_frame_get_buffer(&scaled, 0), "malformed");
    if (sws_scale(scaler, frame.data, frame.linesize, 0, frame.height, scaled.data, scaled.linesize) != size.height)
        images::fail("malformed");
    auto pixels = images::makePixels(size.width, size.height, 3);
    for (int y = 0; y < size.height; ++y)
        std::memcpy(pixels.row(y), scaled.data[0] + std::ptrdiff_t{y} * scaled.linesize[0], pixels.rowBytes());
    auto* done = &scaled;
    av_frame_free(&done);
    sws_freeContext(scaler);
    return pixels;
}

bool isOfOneColour(const images::Pixels& pixels)
{
    for (std::size_t i = 0; i < pixels.data.size(); ++i)
        if (std::abs(pixels.data[i] - pixels.data[i % 3]) >= leastContrast) return false;
    return true;
}

std::optional<images::Pixels> firstFrame(Video& video, const images::CopyLimits& limits)
{
    std::optional<images::Pixels> found;
    for (int count = 0; count < maxFrames; ++count)
    {
        const auto* frame = video.next();
        if (frame == nullptr) break;
        found = pixelsOf(*frame, video.shapeOfPixels(*frame), limits);
        if (!isOfOneColour(*found)) break;
    }
    return found;
}
} // namespace

images::Pixels frameOf(int file, const images::CopyLimits& limits)
{
    av_log_set_level(AV_LOG_QUIET);
    av_max_alloc(largestAllocation);
    Video video(file);
    std::optional<images::Pixels> found;
    if (const auto time = std::min(video.duration() / 10, latest); time > 0 && video.seek(time)) found = firstFrame(video, limits);
    // A truncated video has its frames at the beginning only.
    if (!found && video.seek(0)) found = firstFrame(video, limits);
    if (!found) found = firstFrame(video, limits);
    if (!found) images::fail("malformed");
    return images::oriented(*std::move(found), video.orientation());
}

} // namespace posters
