#pragma once

#include "common/BrandChoice.h"
#include "media/MediaService.h"

#include "portico/Routes.h"

namespace portico::social
{

enum class MediaSort : std::uint8_t
{
    CreatedAtDescending,
    CreatedAt,
    FileName
};

constexpr auto schemaOf(const MediaSort*)
{
    using enum MediaSort;
    return portico::choices<MediaSort>({{"-createdAt", CreatedAtDescending}, {"createdAt", CreatedAt}, {"fileName", FileName}});
}

struct MediaFilter : BrandChoice
{
    std::vector<MediaKind> kind;
    std::vector<MediaStatus> status;
    std::string q;
    MediaSort sort = MediaSort::CreatedAtDescending;
};

constexpr auto schemaOf(const MediaFilter*)
{
    return describe(inherited<BrandChoice>(), members<&MediaFilter::kind, &MediaFilter::status>(),
                    field<&MediaFilter::q>().maxLength(200).description("Words to find in the file name"), field<&MediaFilter::sort>());
}

/// Returns whether the text is a SHA-256 in lower-case hexadecimal digits.
bool isSha256(std::string_view text);

struct UploadBody
{
    std::optional<std::string> brandId;
    std::string fileName;
    std::string contentType;
    std::int64_t size = 0;
    std::optional<std::string> sha256;
    std::string altText;
};

constexpr auto schemaOf(const UploadBody*)
{
    return describe(field<&UploadBody::brandId>().maxLength(64), field<&UploadBody::fileName>().required().trimmed().maxLength(255),
                    field<&UploadBody::contentType>().required().maxLength(100),
                    field<&UploadBody::size>().required().range(1, std::int64_t{1} << 40).description("Bytes"),
                    field<&UploadBody::sha256>().matches(isSha256, "invalid_digest", "64 lower-case hexadecimal digits"),
                    field<&UploadBody::altText>().trimmed().maxLength(1500));
}

/// Headers that the upload is sent with.
struct TicketHeaders
{
    std::string contentType;
    std::string contentLength;
};

constexpr auto schemaOf(const TicketHeaders*)
{
    return describe(field<&TicketHeaders::contentType>("Content-Type"), field<&TicketHeaders::contentLength>("Content-Length"));
}

/// Answer of POST /api/media/upload (2.A.8).
struct UploadTicket
{
    MediaId mediaId;
    std::string method = "PUT";
    std::string uploadUrl;
    TicketHeaders headers;
    Instant expiresAt{};
    std::int64_t maxBytes = 0;
    std::string completeUrl;
};

constexpr auto schemaOf(const UploadTicket*)
{
    return describe(members<&UploadTicket::mediaId, &UploadTicket::method, &UploadTicket::uploadUrl, &UploadTicket::headers,
                            &UploadTicket::expiresAt, &UploadTicket::maxBytes, &UploadTicket::completeUrl>());
}

struct UploadProof
{
    std::int64_t exp = 0;
    std::int64_t len = 0;
    std::string ct;
    std::string sig;
};

constexpr auto schemaOf(const UploadProof*)
{
    return describe(members<&UploadProof::exp, &UploadProof::len, &UploadProof::ct, &UploadProof::sig>());
}

struct UploadReceipt
{
    std::string uploadId;
    std::int64_t size = 0;
};

constexpr auto schemaOf(const UploadReceipt*) { return describe(members<&UploadReceipt::uploadId, &UploadReceipt::size>()); }

struct CompleteBody
{
    std::optional<std::string> sha256;
};

constexpr auto schemaOf(const CompleteBody*)
{
    return describe(field<&CompleteBody::sha256>().matches(isSha256, "invalid_digest", "64 lower-case hexadecimal digits"));
}

struct LinkProof
{
    std::int64_t exp = 0;
    std::string sig;
};

constexpr auto schemaOf(const LinkProof*) { return describe(members<&LinkProof::exp, &LinkProof::sig>()); }

/// /api/media, the place of uploads, and the signed addresses of files. Thread-safe.
class MediaRoutes
{
public:
    MediaRoutes(PluginContext& context, const MediaService& service, const MediaLinks& links)
        : _context(context), _service(service), _links(links)
    {
    }
    void declare(Routes& routes);

    Page<Media> list(const Caller& caller, const BrandHeader& brand, const Query<MediaFilter>& filter, const Paging& paging) const;
    UploadTicket upload(const Request& request, const BrandHeader& brand, const Query<BrandChoice>& choice,
                        const Body<UploadBody>& body) const;
    using UploadLength = Header<"Content-Length", std::optional<std::int64_t>>;
    using UploadType = Header<"Content-Type", std::optional<std::string>>;
    /// Checks the proof, the declared length and the type of an upload.
    void checkUpload(const Path<std::string>& uploadId, const Query<UploadProof>& proof, const UploadLength& length,
                     const UploadType& contentType) const;
    UploadReceipt receive(const Path<std::string>& uploadId, const Query<UploadProof>& proof, const Upload& upload) const;
    Media complete(const Request& request, const BrandHeader& brand, const Query<BrandChoice>& choice, const Path<MediaId>& id,
                   const Body<CompleteBody>& body) const;
    Media show(const Caller& caller, const BrandHeader& brand, const Query<BrandChoice>& choice, const Path<MediaId>& id) const;
    Media change(const Request& request, const BrandHeader& brand, const Query<BrandChoice>& choice, const Path<MediaId>& id,
                 const Body<Patch<Media>>& patch, const IfMatch& ifMatch) const;
    NoContent remove(const Request& request, const BrandHeader& brand, const Query<BrandChoice>& choice, const Path<MediaId>& id,
                     const IfMatch& ifMatch) const;
    Response file(const Request& request, const Path<MediaId>& id, const Path<std::string>& variant, const Query<LinkProof>& proof) const;

private:
    /// The bytes behind a signed address.
    struct Served
    {
        std::string blobKey;
        std::string contentType;
        std::string tag;
    };
    /// Returns none for an unknown variant.
    std::optional<Served> servedAs(const MediaId& id, std::string_view variant) const;
    BrandId brandOf(const Caller& caller, const BrandHeader& header, const std::optional<std::string>& query,
                    const std::optional<std::string>& body = std::nullopt) const;
    Media shown(Session& session, Media media, Tenant tenant) const;

    PluginContext& _context;
    const MediaService& _service;
    const MediaLinks& _links;
};

} // namespace portico::social
