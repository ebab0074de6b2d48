#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace portico::social
{

/// Reads `length` bytes of a file from a position; fewer at its end.
using ReadBytes = std::function<std::string(std::uint64_t at, std::size_t length)>;

/// A part of a file that is overwritten when the file is copied.
struct BlankedPart
{
    std::uint64_t at = 0;
    std::uint64_t length = 0;
    /// Comes first in the part; zeros follow.
    std::string start;
};

/// Facts from the boxes of an ISO base media file (ISO/IEC 14496-12): MP4, QuickTime and AVIF.
struct BoxFacts
{
    std::optional<std::int64_t> width;
    std::optional<std::int64_t> height;
    std::optional<std::int64_t> durationMs;
    /// Metadata: user data, XMP, Exif. Their boxes become free space of the same size, so that no offset changes.
    std::vector<BlankedPart> blanked;
};

/// Reads only the box headers of a file; memory does not depend on its size.
/// @throws MediaFault `truncated`, `malformed`
BoxFacts readBoxes(const ReadBytes& read, std::uint64_t size, bool isImage);

} // namespace portico::social
