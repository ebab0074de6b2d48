#include "networks/ListedLimits.h"

#include <stdexcept>

namespace portico::social
{

namespace
{
constexpr std::int64_t mebibyte = 1'048'576;
const std::vector<std::string> pictures = {"image/jpeg", "image/png", "image/gif"};

std::vector<std::string> withVideo(std::vector<std::string> types)
{
    types.emplace_back("video/mp4");
    return types;
}
} // namespace

NetworkLimits listedLimits(Platform platform)
{
    switch (platform)
    {
    case Platform::LinkedIn:
        return {.textUnit = TextUnit::EscapedCharacters,
                .maxText = 3'000,
                .maxImages = 20,
                .maxVideos = 1,
                .maxImageBytes = 8 * mebibyte,
                .maxVideoBytes = 500 * mebibyte,
                .mimeTypes = withVideo(pictures)};
    case Platform::FacebookPage:
        return {.textUnit = TextUnit::CodePoints,
                .maxText = 63'206,
                .maxImages = 10,
                .maxVideos = 1,
                .maxImageBytes = 10 * mebibyte,
                .maxVideoBytes = 512 * mebibyte,
                .mimeTypes = withVideo(pictures)};
    case Platform::Instagram:
        return {.textUnit = TextUnit::CodePoints,
                .maxText = 2'200,
                .maxImages = 10,
                .maxVideos = 10,
                .maxImageBytes = 8 * mebibyte,
                .maxVideoBytes = 300 * mebibyte,
                .mimeTypes = {"image/jpeg", "video/mp4"},
                .mixing = MediaMixing::Any};
    case Platform::Threads:
        return {.textUnit = TextUnit::ThreadsCharacters,
                .maxText = 500,
                .maxImages = 20,
                .maxVideos = 20,
                .maxImageBytes = 8 * mebibyte,
                .maxVideoBytes = 512 * mebibyte,
                .mimeTypes = {"image/jpeg", "image/png", "video/mp4"},
                .mixing = MediaMixing::Any};
    case Platform::X:
        return {.textUnit = TextUnit::WeightedCharacters,
                .maxText = 280,
                .urlLength = 23,
                .maxImages = 4,
                .maxVideos = 1,
                .maxImageBytes = 5 * mebibyte,
                .maxVideoBytes = 512 * mebibyte,
                .mimeTypes = withVideo(pictures)};
    case Platform::Pinterest:
        return {.textUnit = TextUnit::CodePoints, .maxText = 500, .maxImages = 1, .maxImageBytes = 20 * mebibyte, .mimeTypes = pictures};
    case Platform::YouTube:
        return {.textUnit = TextUnit::CodePoints,
                .maxText = 5'000,
                .maxVideos = 1,
                .maxVideoBytes = 512 * mebibyte,
                .mimeTypes = {"video/mp4"}};
    case Platform::TikTok:
        return {.textUnit = TextUnit::CodePoints,
                .maxText = 2'200,
                .maxVideos = 1,
                .maxVideoBytes = 512 * mebibyte,
                .mimeTypes = {"video/mp4"}};
    case Platform::Bluesky:
    case Platform::Mastodon:
    case Platform::Webhook:
        break;
    }
    throw std::out_of_range("the platform has a connector");
}

} // namespace portico::social
