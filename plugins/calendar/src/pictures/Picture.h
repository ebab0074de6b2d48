#pragma once

#include "Ids.h"

#include "portico/Table.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace portico::calendar
{

/// A picture that a host has sent; its bytes are a blob. It never changes: another one has another address.
struct Picture
{
    PictureId pictureId;
    HostId hostId;
    /// Where everybody reads it.
    std::string url;
    /// What the bytes are.
    std::string contentType;
    std::int64_t size = 0;
    Instant createdAt{};
    /// Key of the blob.
    std::string blobKey;
    /// When it may be removed; empty while the host shows it.
    std::optional<Instant> removeAt;
};

constexpr auto schemaOf(const Picture*)
{
    return describe(field<&Picture::pictureId>().column("id"),
                    members<&Picture::hostId, &Picture::url, &Picture::contentType, &Picture::size, &Picture::createdAt>(),
                    field<&Picture::blobKey>().columnOnly(), field<&Picture::removeAt>().columnOnly());
}

inline constexpr Table pictureTable{"picture", &Picture::pictureId};

/// As many first bytes as `pictureTypeOf` looks at.
inline constexpr std::size_t pictureHeadBytes = 12;

/// The media type of a picture by its first bytes, of those that browsers show and that hold nothing that runs: PNG, JPEG, WebP, GIF.
/// Empty for anything else.
std::string_view pictureTypeOf(std::string_view firstBytes) noexcept;

} // namespace portico::calendar
