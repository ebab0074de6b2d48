#pragma once

#include "portico/Schema.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace portico::social
{

/// How a network counts a text; `text/Counting.h` has a function for each.
enum class TextUnit : std::uint8_t
{
    Graphemes,
    MastodonCharacters,
    WeightedCharacters,
    ThreadsCharacters,
    EscapedCharacters,
    CodePoints
};

constexpr auto schemaOf(const TextUnit*)
{
    using enum TextUnit;
    return portico::choices<TextUnit>({{"graphemes", Graphemes},
                                       {"mastodon_characters", MastodonCharacters},
                                       {"weighted_characters", WeightedCharacters},
                                       {"threads_characters", ThreadsCharacters},
                                       {"escaped_characters", EscapedCharacters},
                                       {"code_points", CodePoints}});
}

/// Which files one post may mix.
enum class MediaMixing : std::uint8_t
{
    /// Images or one video, never both.
    ImagesOrVideo,
    Any
};

constexpr auto schemaOf(const MediaMixing*)
{
    return portico::choices<MediaMixing>({{"images_or_video", MediaMixing::ImagesOrVideo}, {"any", MediaMixing::Any}});
}

/// Limits of a post on a network (2.A.7). A value.
struct NetworkLimits
{
    TextUnit textUnit = TextUnit::CodePoints;
    std::int64_t maxText = 0;
    /// Limit in bytes beside `maxText`; empty: none.
    std::optional<std::int64_t> maxTextBytes{};
    /// Counted length of a link; empty: its actual length.
    std::optional<std::int64_t> urlLength{};
    std::int64_t maxImages = 0;
    std::int64_t maxVideos = 0;
    std::int64_t maxImageBytes = 0;
    /// Maximum of width times height; empty: none.
    std::optional<std::int64_t> maxImagePixels{};
    std::int64_t maxVideoBytes = 0;
    std::vector<std::string> mimeTypes{};
    MediaMixing mixing = MediaMixing::ImagesOrVideo;
};

constexpr auto schemaOf(const NetworkLimits*)
{
    return describe(field<&NetworkLimits::textUnit>().description("How the network counts characters"),
                    field<&NetworkLimits::maxText>().description("Maximum length of a post, in that unit"),
                    field<&NetworkLimits::maxTextBytes>().description("Maximum length in bytes of UTF-8; null for unlimited"),
                    field<&NetworkLimits::urlLength>().description("Counted length of a link; null for its actual length"),
                    members<&NetworkLimits::maxImages, &NetworkLimits::maxVideos, &NetworkLimits::maxImageBytes,
                            &NetworkLimits::maxVideoBytes, &NetworkLimits::mimeTypes, &NetworkLimits::mixing>());
}

/// The length of a text as a network counts it. A value.
struct TextLength
{
    std::int64_t length = 0;
    std::int64_t limit = 0;
    bool fits = true;
};

/// Counts the length of a text in its sent form. Thread-safe.
TextLength measure(const NetworkLimits& limits, std::string_view text);

} // namespace portico::social
