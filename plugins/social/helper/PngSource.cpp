#include "Exif.h"
#include "Fail.h"
#include "Pixels.h"

#include <algorithm>
#include <cstring>

#include <png.h>

namespace images
{

namespace
{
struct Reader
{
    Bytes bytes;
    std::size_t at = 0;
};

void readBytes(png_structp file, png_bytep to, std::size_t length)
{
    auto& reader = *static_cast<Reader*>(png_get_io_ptr(file));
    if (reader.bytes.size() - reader.at < length) fail("truncated");
    std::memcpy(to, reader.bytes.data() + reader.at, length);
    reader.at += length;
}

[[noreturn]] void onError(png_structp, png_const_charp) { fail("malformed"); }
void onWarning(png_structp, png_const_charp) {}

std::string profileIn(png_structp file, png_infop info)
{
    png_charp name = nullptr;
    int method = 0;
    png_bytep profile = nullptr;
    png_uint_32 length = 0;
    const bool isColour = (png_get_color_type(file, info) & PNG_COLOR_MASK_COLOR) != 0;
    if (!isColour || png_get_iCCP(file, info, &name, &method, &profile, &length) == 0) return {};
    return {reinterpret_cast<const char*>(profile), length};
}

int orientationIn(png_structp file, png_infop info)
{
    png_uint_32 length = 0;
    png_bytep exif = nullptr;
    return png_get_eXIf_1(file, info, &length, &exif) == 0 ? 1 : orientationOf({exif, length});
}
} // namespace

PictureFacts readPng(Bytes bytes, RowSink& sink)
{
    Reader reader{bytes};
    auto* file = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, &onError, &onWarning);
    auto* info = file == nullptr ? nullptr : png_create_info_struct(file);
    if (info == nullptr) failForMemory();
    png_set_read_fn(file, &reader, &readBytes);
    png_set_user_limits(file, 65'535, 65'535);
    png_set_chunk_malloc_max(file, 4 << 20);
    png_read_info(file, info);
    PictureFacts facts{orientationIn(file, info), profileIn(file, info)};
    png_set_scale_16(file);
    png_set_expand(file);
    png_set_gray_to_rgb(file);
    const int passes = png_set_interlace_handling(file);
    png_read_update_info(file, info);
    const int channels = png_get_channels(file, info);
    if (channels != 3 && channels != 4) fail("unsupported");
    const auto width = static_cast<int>(png_get_image_width(file, info)), height = static_cast<int>(png_get_image_height(file, info));
    sink.begin(width, height, channels);
    if (passes == 1)
    {
        std::vector<unsigned char> row(static_cast<std::size_t>(width) * static_cast<std::size_t>(channels));
        for (int y = 0; y < height; ++y)
        {
            png_read_row(file, row.data(), nullptr);
            sink.row(row.data());
        }
        return facts;
    }
    // Interlaced: every pass changes rows of the whole picture.
    auto whole = makePixels(width, height, channels);
    for (int pass = 0; pass < passes; ++pass)
        for (int y = 0; y < height; ++y) png_read_row(file, whole.row(y), nullptr);
    for (int y = 0; y < height; ++y) sink.row(whole.row(y));
    return facts;
}

} // namespace images
