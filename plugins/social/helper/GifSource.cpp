#include "Fail.h"
#include "Pixels.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include <gif_lib.h>

namespace images
{

namespace
{
struct Reader
{
    Bytes bytes;
    std::size_t at = 0;
};

int readBytes(GifFileType* file, GifByteType* to, int length)
{
    auto& reader = *static_cast<Reader*>(file->UserData);
    const auto count = std::min(static_cast<std::size_t>(std::max(length, 0)), reader.bytes.size() - reader.at);
    std::memcpy(to, reader.bytes.data() + reader.at, count);
    reader.at += count;
    return static_cast<int>(count);
}

/// Returns the colour that is transparent, if the extension before the picture names one.
std::optional<int> skipExtension(GifFileType* file)
{
    int code = 0;
    GifByteType* block = nullptr;
    std::optional<int> transparent;
    if (DGifGetExtension(file, &code, &block) == GIF_ERROR) fail("malformed");
    while (block != nullptr)
    {
        GraphicsControlBlock control;
        if (code == GRAPHICS_EXT_FUNC_CODE && DGifExtensionToGCB(block[0], block + 1, &control) == GIF_OK &&
            control.TransparentColor != NO_TRANSPARENT_COLOR)
            transparent = control.TransparentColor;
        if (DGifGetExtensionNext(file, &block) == GIF_ERROR) fail("malformed");
    }
    return transparent;
}

void drawPicture(GifFileType* file, std::optional<int> transparent, Pixels& canvas)
{
    if (DGifGetImageDesc(file) == GIF_ERROR) fail("malformed");
    const auto& place = file->Image;
    const auto* colours = place.ColorMap != nullptr ? place.ColorMap : file->SColorMap;
    if (colours == nullptr || place.Width <= 0 || place.Height <= 0 || place.Left < 0 || place.Top < 0 ||
        place.Left > canvas.width - place.Width || place.Top > canvas.height - place.Height)
        fail("malformed");
    std::vector<GifPixelType> line(static_cast<std::size_t>(place.Width));
    const auto drawLine = [&](int y)
    {
        if (DGifGetLine(file, line.data(), place.Width) == GIF_ERROR) fail("malformed");
        auto* to = canvas.row(place.Top + y) + static_cast<std::size_t>(place.Left) * 4;
        for (const auto index : line)
        {
            if (index < colours->ColorCount && transparent != index)
            {
                const auto& colour = colours->Colors[index];
                to[0] = colour.Red, to[1] = colour.Green, to[2] = colour.Blue, to[3] = 255;
            }
            to += 4;
        }
    };
    struct Pass
    {
        int first, step;
    };
    constexpr std::array<Pass, 4> interlaced = {{{0, 8}, {4, 8}, {2, 4}, {1, 2}}};
    if (!place.Interlace)
        for (int y = 0; y < place.Height; ++y) drawLine(y);
    else
        for (const auto& [first, step] : interlaced)
            for (int y = first; y < place.Height; y += step) drawLine(y);
}
} // namespace

PictureFacts readGif(Bytes bytes, RowSink& sink)
{
    Reader reader{bytes};
    int error = 0;
    auto* file = DGifOpen(&reader, &readBytes, &error);
    if (file == nullptr || file->SWidth <= 0 || file->SHeight <= 0) fail("malformed");
    auto canvas = makePixels(file->SWidth, file->SHeight, 4);
    std::optional<int> transparent;
    for (;;)
    {
        GifRecordType type = UNDEFINED_RECORD_TYPE;
        if (DGifGetRecordType(file, &type) == GIF_ERROR || type == TERMINATE_RECORD_TYPE) fail("malformed");
        if (type == IMAGE_DESC_RECORD_TYPE) break;
        if (type == EXTENSION_RECORD_TYPE)
            if (const auto named = skipExtension(file)) transparent = named;
    }
    drawPicture(file, transparent, canvas);
    sink.begin(canvas.width, canvas.height, 4);
    for (int y = 0; y < canvas.height; ++y) sink.row(canvas.row(y));
    return {};
}

} // namespace images
