#include "Exif.h"
#include "Fail.h"
#include "Pixels.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include <jpeglib.h>

namespace images
{

namespace
{
constexpr int maxScans = 200;

void onError(j_common_ptr) { fail("malformed"); }
void onMessage(j_common_ptr, int) {}

/// A progressive file of thousands of scans costs time and shows nothing.
void onProgress(j_common_ptr common)
{
    if (reinterpret_cast<j_decompress_ptr>(common)->input_scan_number > maxScans) fail("malformed");
}

int orientationIn(const jpeg_decompress_struct& file)
{
    for (const auto* marker = file.marker_list; marker != nullptr; marker = marker->next)
        if (marker->marker == JPEG_APP0 + 1 && marker->data_length > 6 && std::memcmp(marker->data, "Exif\0\0", 6) == 0)
            return orientationOf({marker->data + 6, marker->data_length - 6});
    return 1;
}

std::string profileIn(jpeg_decompress_struct& file)
{
    JOCTET* data = nullptr;
    unsigned length = 0;
    std::string profile;
    if (file.jpeg_color_space != JCS_GRAYSCALE && file.num_components == 3 && jpeg_read_icc_profile(&file, &data, &length))
        profile.assign(reinterpret_cast<const char*>(data), length);
    std::free(data);
    return profile;
}

/// Adobe's programs write CMYK with all values inverted.
void toRgb(const unsigned char* cmyk, int width, std::vector<unsigned char>& rgb)
{
    for (int x = 0; x < width; ++x)
        for (int channel = 0; channel < 3; ++channel)
            rgb[static_cast<std::size_t>(x) * 3 + static_cast<std::size_t>(channel)] =
                static_cast<unsigned char>(cmyk[x * 4 + channel] * cmyk[x * 4 + 3] / 255);
}
} // namespace

PictureFacts readJpeg(Bytes bytes, int edge, RowSink& sink)
{
    jpeg_decompress_struct file;
    jpeg_error_mgr errors;
    jpeg_progress_mgr progress{};
    file.err = jpeg_std_error(&errors);
    errors.error_exit = &onError;
    errors.emit_message = &onMessage;
    jpeg_create_decompress(&file);
    progress.progress_monitor = &onProgress;
    file.progress = &progress;
    jpeg_mem_src(&file, bytes.data(), bytes.size());
    jpeg_save_markers(&file, JPEG_APP0 + 1, 0xffff);
    jpeg_save_markers(&file, JPEG_APP0 + 2, 0xffff);
    if (jpeg_read_header(&file, TRUE) != JPEG_HEADER_OK) fail("malformed");
    PictureFacts facts{orientationIn(file), profileIn(file)};

    const auto longer = static_cast<int>(std::max(file.image_width, file.image_height));
    // The decoder makes a half, a quarter or an eighth for less than the whole; a twentieth less than was asked for is as good.
    file.scale_num = 1;
    for (file.scale_denom = 8; file.scale_denom > 1 && longer / static_cast<int>(file.scale_denom) < edge - edge / 20;)
        file.scale_denom /= 2;
    const bool isCmyk = file.num_components == 4;
    file.out_color_space = isCmyk ? JCS_CMYK : JCS_RGB;
    file.dct_method = JDCT_ISLOW;
    jpeg_start_decompress(&file);
    const auto width = static_cast<int>(file.output_width);
    sink.begin(width, static_cast<int>(file.output_height), 3);
    std::vector<unsigned char> row(static_cast<std::size_t>(width) * static_cast<std::size_t>(file.output_components));
    std::vector<unsigned char> rgb(isCmyk ? static_cast<std::size_t>(width) * 3 : 0);
    while (file.output_scanline < file.output_height)
    {
        auto* place = row.data();
        if (jpeg_read_scanlines(&file, &place, 1) != 1) fail("malformed");
        if (isCmyk) toRgb(row.data(), width, rgb);
        sink.row(isCmyk ? rgb.data() : row.data());
    }
    return facts;
}

} // namespace images
