#pragma once

#include "portico/Helper.h"
#include "portico/Plugin.h"

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace portico::social
{

/// Limits of a copy of a picture; 0: no limit.
struct CopyLimits
{
    std::int64_t edge = 0;
    std::int64_t pixels = 0;
    std::int64_t bytes = 0;
    /// Types that the copy may have.
    std::vector<std::string> types;

    /// The text that the helper reads; equal limits have equal texts.
    std::string text() const;
};

/// A copy that the helper has made.
struct MadeCopy
{
    FileBody file;
    std::string contentType;
    std::int64_t width = 0;
    std::int64_t height = 0;
};

/// Reason why a picture has no copy, or a video no poster: invalid bytes, or a failure of the helper that a retry would repeat.
class PictureFault final : public std::exception
{
public:
    explicit PictureFault(std::string code) : _code(std::move(code)) {}
    const char* what() const noexcept override { return _code.c_str(); }
    /// `malformed`, `unsupported`, `too_many_pixels`, `cannot_fit`, or the name of a cause of HelperFault.
    const std::string& code() const noexcept { return _code; }

private:
    std::string _code;
};

/// Makes a copy of a picture in a process of the helper `images`. Blocks until it has ended, for at most `longestPictureRun` after it
/// began.
/// @throws PictureFault; HelperFault where the helper could not run or was stopped, so that another attempt may succeed
MadeCopy makeCopy(PluginContext& context, const FileBody& picture, const CopyLimits& limits, const std::stop_token& stop);

/// Returns whether this build has the program that `makePoster` runs.
bool hasPosters() noexcept;
/// Makes a picture of a frame of a video in a process of the helper `posters`, as `makeCopy` does of a picture. Only where `hasPosters`.
/// @throws like makeCopy
MadeCopy makePoster(PluginContext& context, const FileBody& video, const CopyLimits& limits, const std::stop_token& stop);

inline constexpr std::chrono::seconds longestPictureRun{30};

} // namespace portico::social
