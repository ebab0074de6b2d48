#include "media/MediaTypes.h"

#include <algorithm>
#include <array>

namespace portico::social
{

namespace
{
constexpr std::array mediaTypes = {MediaType{"image/jpeg", MediaKind::Image},        MediaType{"image/png", MediaKind::Image},
                                   MediaType{"image/webp", MediaKind::Image},        MediaType{"image/gif", MediaKind::Gif},
                                   MediaType{"image/avif", MediaKind::Image},        MediaType{"video/mp4", MediaKind::Video},
                                   MediaType{"video/quicktime", MediaKind::Video},   MediaType{"video/webm", MediaKind::Video},
                                   MediaType{"application/pdf", MediaKind::Document}};

const MediaType* typeNamed(std::string_view name)
{
    const auto found = std::ranges::find(mediaTypes, name, &MediaType::contentType);
    return found == mediaTypes.end() ? nullptr : &*found;
}

/// Returns the type of an ISO base media file by its brands (ISO/IEC 14496-12, 4.3).
const MediaType* typeOfBrands(std::string_view head)
{
    const auto length =
        std::min<std::size_t>(head.size(), (static_cast<unsigned char>(head[2]) << 8) | static_cast<unsigned char>(head[3]));
    bool isVideo = false;
    for (std::size_t at = 8; at + 4 <= length; at += at == 8 ? 8 : 4)
    {
        const auto brand = head.substr(at, 4);
        if (brand == "avif" || brand == "avis") return typeNamed("image/avif");
        if (brand == "qt  ") return typeNamed("video/quicktime");
        isVideo = isVideo || brand.starts_with("iso") || brand.starts_with("mp4") || brand == "avc1" || brand == "M4V " || brand == "dash";
    }
    return isVideo ? typeNamed("video/mp4") : nullptr;
}
} // namespace

const MediaType* findMediaType(std::string_view contentType)
{
    std::string name(contentType.substr(0, contentType.find(';')));
    while (name.ends_with(' ')) name.pop_back();
    std::ranges::transform(name, name.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return typeNamed(name);
}

const MediaType* sniffMediaType(std::string_view head)
{
    using namespace std::string_view_literals;
    const auto is = [head](std::size_t at, std::string_view text) { return head.size() >= at && head.substr(at).starts_with(text); };
    if (head.starts_with("\xff\xd8\xff"sv)) return typeNamed("image/jpeg");
    if (head.starts_with("\x89PNG\r\n\x1a\n"sv)) return typeNamed("image/png");
    if (head.starts_with("GIF87a"sv) || head.starts_with("GIF89a"sv)) return typeNamed("image/gif");
    if (head.starts_with("RIFF"sv) && is(8, "WEBP"sv)) return typeNamed("image/webp");
    if (head.starts_with("%PDF-"sv)) return typeNamed("application/pdf");
    if (head.starts_with("\x1a\x45\xdf\xa3"sv)) return head.find("webm"sv) == std::string_view::npos ? nullptr : typeNamed("video/webm");
    if (head.size() >= 12 && is(4, "ftyp"sv)) return typeOfBrands(head);
    // An older QuickTime file begins with its index or its data.
    if (is(4, "moov"sv) || is(4, "mdat"sv) || is(4, "wide"sv)) return typeNamed("video/quicktime");
    return nullptr;
}

std::int64_t largestFile(MediaKind kind) noexcept
{
    constexpr std::int64_t mebibyte = 1 << 20;
    switch (kind)
    {
    case MediaKind::Image:
        return 20 * mebibyte;
    case MediaKind::Gif:
        return 15 * mebibyte;
    case MediaKind::Video:
        return 512 * mebibyte;
    case MediaKind::Document:
        return 25 * mebibyte;
    }
    return 0;
}

} // namespace portico::social
