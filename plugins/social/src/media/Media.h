#pragma once

#include "common/Ids.h"

#include "portico/Table.h"

#include <cstdint>
#include <optional>
#include <string>

namespace portico::social
{

enum class MediaKind : std::uint8_t
{
    Image,
    Gif,
    Video,
    Document
};

constexpr auto schemaOf(const MediaKind*)
{
    using enum MediaKind;
    return portico::choices<MediaKind>({{"image", Image}, {"gif", Gif}, {"video", Video}, {"document", Document}});
}

enum class MediaStatus : std::uint8_t
{
    PendingUpload,
    Processing,
    Ready,
    Rejected
};

constexpr auto schemaOf(const MediaStatus*)
{
    using enum MediaStatus;
    return portico::choices<MediaStatus>(
        {{"pending_upload", PendingUpload}, {"processing", Processing}, {"ready", Ready}, {"rejected", Rejected}});
}

enum class MediaSource : std::uint8_t
{
    Upload,
    Ai,
    Import
};

constexpr auto schemaOf(const MediaSource*)
{
    using enum MediaSource;
    return portico::choices<MediaSource>({{"upload", Upload}, {"ai", Ai}, {"import", Import}});
}

/// A file of a brand.
struct Media : Versioned
{
    MediaId mediaId;
    BrandId brandId;
    MediaKind kind = MediaKind::Image;
    MediaStatus status = MediaStatus::PendingUpload;
    std::string fileName;
    std::string contentType;
    std::int64_t size = 0;
    std::optional<std::string> sha256;
    std::optional<std::int64_t> width;
    std::optional<std::int64_t> height;
    std::optional<std::int64_t> durationMs;
    std::string altText;
    /// Signed; filled in where the record is shown, while the file is ready.
    std::optional<std::string> url;
    std::optional<std::string> thumbnailUrl;
    MediaSource source = MediaSource::Upload;
    std::optional<std::string> rejectReason;
    std::string createdBy;
    /// Items that refer to it; filled in where the record is shown.
    std::int64_t usedBy = 0;

    std::string fileNameFolded;
    /// The ticket under which the bytes come.
    std::string uploadId;
    std::optional<Instant> uploadExpiresAt;
    /// Keys of the uploaded and of the served bytes; empty: none.
    std::string originalKey;
    std::string publishKey;
    /// The blob of its thumbnail and its type; empty: there is none.
    std::string thumbnailKey;
    std::string thumbnailType;
    /// Why no thumbnail can be made.
    std::optional<std::string> thumbnailFault;
    bool uploaded = false;
    std::string originalSha256;
};

constexpr auto schemaOf(const Media*)
{
    return describe(
        field<&Media::mediaId>().readOnly().column("id"), field<&Media::brandId>().readOnly(), field<&Media::kind>().readOnly(),
        field<&Media::status>().readOnly(), field<&Media::fileName>().readOnly(), field<&Media::contentType>().readOnly(),
        field<&Media::size>().readOnly().description("Size in bytes of the stored file; until the upload is processed, the declared size"),
        field<&Media::sha256>().readOnly().description("Hash of the stored bytes"), field<&Media::width>().readOnly(),
        field<&Media::height>().readOnly(), field<&Media::durationMs>().readOnly(), field<&Media::altText>().trimmed().maxLength(1500),
        field<&Media::url>().readOnly().transient().description("Signed URL, valid for 24 hours; null until the file is ready"),
        field<&Media::thumbnailUrl>().readOnly().transient().description(
            "Signed URL, valid for 24 hours; null without a thumbnail, for example for documents and AVIF"),
        field<&Media::source>().readOnly(), field<&Media::rejectReason>().readOnly(), field<&Media::createdBy>().readOnly(),
        field<&Media::usedBy>().readOnly().transient().description("Items that refer to the file"),
        field<&Media::fileNameFolded>().columnOnly(), field<&Media::uploadId>().columnOnly(), field<&Media::uploadExpiresAt>().columnOnly(),
        field<&Media::originalKey>().columnOnly(), field<&Media::publishKey>().columnOnly(), field<&Media::thumbnailKey>().columnOnly(),
        field<&Media::thumbnailType>().columnOnly(), field<&Media::thumbnailFault>().columnOnly(), field<&Media::uploaded>().columnOnly(),
        field<&Media::originalSha256>().columnOnly(), versioned<Media>());
}

inline constexpr Table mediaTable{"media", &Media::brandId, &Media::mediaId};

} // namespace portico::social
