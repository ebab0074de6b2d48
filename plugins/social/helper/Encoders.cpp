#include "Encoders.h"

#include "Fail.h"

#include <cstdio>
#include <cstdlib>

#include <jpeglib.h>
#include <png.h>
#include <webp/encode.h>

namespace images
{

namespace
{
void onJpegError(j_common_ptr) { failForMemory(); }

[[noreturn]] void onPngError(png_structp, png_const_charp) { failForMemory(); }
void onPngWarning(png_structp, png_const_charp) {}
void appendPng(png_structp file, png_bytep bytes, std::size_t length)
{
    static_cast<std::string*>(png_get_io_ptr(file))->append(reinterpret_cast<const char*>(bytes), length);
}
void flushPng(png_structp) {}
} // namespace

std::string writeJpeg(const Pixels& pixels, int quality, const std::string& profile)
{
    jpeg_compress_struct file;
    jpeg_error_mgr errors;
    file.err = jpeg_std_error(&errors);
    errors.error_exit = &onJpegError;
    jpeg_create_compress(&file);
    unsigned char* memory = nullptr;
    unsigned long length = 0;
    jpeg_mem_dest(&file, &memory, &length);
    file.image_width = static_cast<JDIMENSION>(pixels.width);
    file.image_height = static_cast<JDIMENSION>(pixels.height);
    file.input_components = 3;
    file.in_color_space = JCS_RGB;
    jpeg_set_defaults(&file);
    jpeg_set_quality(&file, quality, TRUE);
    jpeg_start_compress(&file, TRUE);
    if (!profile.empty())
        jpeg_write_icc_profile(&file, reinterpret_cast<const JOCTET*>(profile.data()), static_cast<unsigned>(profile.size()));
    while (file.next_scanline < file.image_height)
    {
        auto* row = const_cast<unsigned char*>(pixels.row(static_cast<int>(file.next_scanline)));
        jpeg_write_scanlines(&file, &row, 1);
    }
    jpeg_finish_compress(&file);
    std::string bytes(reinterpret_cast<const char*>(memory), length);
    jpeg_destroy_compress(&file);
    std::free(memory);
    return bytes;
}

std::string writePng(const Pixels& pixels, const std::string& profile)
{
    std::string bytes;
    auto* file = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, &onPngError, &onPngWarning);
    auto* info = file == nullptr ? nullptr : png_create_info_struct(file);
    if (info == nullptr) failForMemory();
    png_set_write_fn(file, &bytes, &appendPng, &flushPng);
    png_set_IHDR(file, info, static_cast<png_uint_32>(pixels.width), static_cast<png_uint_32>(pixels.height), 8,
                 pixels.channels == 4 ? PNG_COLOR_TYPE_RGB_ALPHA : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    if (!profile.empty())
        png_set_iCCP(file, info, "profile", PNG_COMPRESSION_TYPE_BASE, reinterpret_cast<png_const_bytep>(profile.data()),
                     static_cast<png_uint_32>(profile.size()));
    png_write_info(file, info);
    for (int y = 0; y < pixels.height; ++y) png_write_row(file, pixels.row(y));
    png_write_end(file, nullptr);
    png_destroy_write_struct(&file, &info);
    return bytes;
}

std::string writeWebp(const Pixels& pixels, int quality)
{
    std::uint8_t* memory = nullptr;
    const auto stride = static_cast<int>(pixels.rowBytes());
    const auto length = pixels.channels == 4
                            ? WebPEncodeRGBA(pixels.data.data(), pixels.width, pixels.height, stride, static_cast<float>(quality), &memory)
                            : WebPEncodeRGB(pixels.data.data(), pixels.width, pixels.height, stride, static_cast<float>(quality), &memory);
    if (length == 0) failForMemory();
    std::string bytes(reinterpret_cast<const char*>(memory), length);
    WebPFree(memory);
    return bytes;
}

} // namespace images
