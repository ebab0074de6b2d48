#pragma once

#include "Ids.h"

#include "portico/Table.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace portico::calendar
{

/// Picture that a host has uploaded; its bytes are a blob. Immutable: a new upload has another address.
struct Picture
{
    PictureId pictureId;
    HostId hostId;
    /// Public address.
    std::string url;
    /// Media type of the bytes.
    std::string contentType;
    std::int64_t size = 0;
    Instant createdAt{};
    /// Key of the blob.
    std::string blobKey;
    /// Time after which it may be deleted; empty while the host uses it.
    std::optional<Instant> removeAt;
};

constexpr auto schemaOf(const Picture*)
{
    return describe(field<&Picture::pictureId>().column("id"),
                    members<&Picture::hostId, &Picture::url, &Picture::contentType, &Picture::size, &Picture::createdAt>(),
                    field<&Picture::blobKey>().columnOnly(), field<&Picture::removeAt>().columnOnly());
}

inline constexpr Table pictureTable{"picture", &Picture::pictureId};

/// Number of bytes that `pictureTypeOf` examines.
inline constexpr std::size_t pictureHeadBytes = 12;

/// Detects the media type by the first bytes. Accepts formats that browsers show and that cannot contain scripts: PNG, JPEG, WebP, GIF.
/// Returns an empty text for others.
std::string_view pictureTypeOf(std::string_view firstBytes) noexcept;

} // namespace portico::calendar
