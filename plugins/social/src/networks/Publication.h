#pragma once

#include "common/Ids.h"
#include "networks/Limits.h"
#include "text/Entities.h"

#include "portico/Instant.h"
#include "portico/Schema.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace portico::social
{

/// A file of a post, ready to be sent. `blobKey` names its bytes in `Blobs`.
struct PublishedFile
{
    MediaId mediaId;
    /// `image`, `gif`, `video` or `document`.
    std::string kind;
    std::string contentType;
    std::int64_t size = 0;
    std::int64_t width = 0;
    std::int64_t height = 0;
    std::string altText;
    std::string blobKey;
    /// A signed address of the file for receivers that fetch it; empty: there is none.
    std::string url;
};

/// One post of a thread.
struct PublicationPart
{
    std::string text;
    std::vector<PublishedFile> files;
};

/// The published form of a content item. The first part is the post; the others are replies in order.
struct Publication
{
    ContentId contentId;
    std::int64_t revision = 1;
    std::vector<PublicationPart> parts;
    std::string linkUrl;
    /// BCP 47 tag of the brand; empty: unknown.
    std::string language;
    /// The target's settings: a JSON object, of which each network reads its own members.
    std::string settings = "{}";
    Instant scheduledFor{};
};

/// Why a publication does not fit a network.
struct PublicationFault
{
    /// The part of the thread, from 0.
    int part = 0;
    /// `text`, `mediaIds`, `settings` or `linkUrl`.
    std::string field;
    /// A code such as `text_too_long`.
    std::string code;
    std::string message;
};

/// A run of a previewed text, in bytes of UTF-8.
struct PreviewMark
{
    EntityKind kind = EntityKind::Link;
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::string value;
};

constexpr auto schemaOf(const PreviewMark*)
{
    return describe(field<&PreviewMark::kind>(), field<&PreviewMark::begin>().description("Offset of the first byte in UTF-8"),
                    field<&PreviewMark::end>().description("Offset of the first byte after the part"), field<&PreviewMark::value>());
}

/// One post of a thread as the network shows it.
struct PreviewPart
{
    std::string text;
    std::int64_t length = 0;
    std::int64_t limit = 0;
    std::vector<PreviewMark> marks;
};

constexpr auto schemaOf(const PreviewPart*)
{
    return describe(field<&PreviewPart::text>().description("Text that is sent"),
                    members<&PreviewPart::length, &PreviewPart::limit, &PreviewPart::marks>());
}

struct PublicationPreview
{
    std::vector<PreviewPart> parts;
    /// Link whose card is shown; empty: none.
    std::string cardUrl;
};

constexpr auto schemaOf(const PublicationPreview*)
{
    return describe(field<&PublicationPreview::parts>(),
                    field<&PublicationPreview::cardUrl>().description("Link whose preview the post shows; empty for none"));
}

} // namespace portico::social
