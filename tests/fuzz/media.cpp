#include "fuzz/Require.h"

#include "media/Boxes.h"
#include "media/ImageCleaner.h"
#include "media/MediaTypes.h"
#include "media/Webm.h"

#include <string>

namespace
{
void checkParts(const std::vector<portico::social::BlankedPart>& parts, std::uint64_t size)
{
    for (const auto& part : parts) portico::fuzz::require(part.at <= size && part.length <= size - part.at);
}
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace portico::social;
    const auto bytes = portico::fuzz::textOf(data, size);
    const auto* type = sniffMediaType(bytes.substr(0, 64));
    if (type == nullptr) return 0;
    const ReadBytes read = [bytes](std::uint64_t at, std::size_t length)
    { return at < bytes.size() ? std::string(bytes.substr(at, length)) : std::string(); };
    try
    {
        if (type->contentType == "video/webm")
            checkParts(webmMetadata(read, size), size);
        else if (type->kind == MediaKind::Video || type->contentType == "image/avif")
            checkParts(readBoxes(read, size, type->kind != MediaKind::Video).blanked, size);
        else if (type->kind != MediaKind::Document)
        {
            const auto cleaned = cleanImage(type->contentType, bytes);
            portico::fuzz::require(cleaned.width > 0 && cleaned.height > 0 && cleaned.width * cleaned.height <= 200'000'000);
            // A cleaned picture is clean.
            portico::fuzz::require(cleanImage(type->contentType, cleaned.bytes).bytes.size() <= cleaned.bytes.size() + 64);
        }
    }
    catch (const MediaFault&)
    {
    }
    return 0;
}
