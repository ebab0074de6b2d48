#include "hosts/PictureRoutes.h"

#include "hosts/Handles.h"
#include "service/AdminRoutes.h"
#include "service/Live.h"

#include <array>

namespace portico::calendar
{

namespace
{
/// The app makes pictures smaller than that before it sends them.
constexpr std::uint64_t maxBytes = 2 * 1024 * 1024;

/// @throws Problem 400
std::string_view requirePicture(const Upload& upload)
{
    std::array<char, pictureHeadBytes> head{};
    const auto type = pictureTypeOf({head.data(), upload.read(0, head)});
    if (type.empty()) throw Problem::invalid("", "not_a_picture", "Send a picture as PNG, JPEG, WebP or GIF.");
    return type;
}
} // namespace

void PictureRoutes::declare(Routes& routes)
{
    AdminRoutes(routes, "host:write", "host.write")
        .put("/host/pictures/{use}", &PictureRoutes::put, this,
             {.summary = "Upload the avatar or logo of a host",
              .bodyLimit = maxBytes,
              .problems = {"413 payload_too_large"},
              .consumes = {"image/png", "image/jpeg", "image/webp", "image/gif"}});
    routes.get("/public/pictures/{pictureId}", access::open(), &PictureRoutes::show, this,
               {.summary = "Download a picture of a host",
                .cacheControl = "public, max-age=86400, immutable",
                .produces = {"image/png", "image/jpeg", "image/webp", "image/gif"}});
}

Host PictureRoutes::put(const Caller& caller, const Path<PictureUse>& use, const Query<HostChoice>& choice, const IfMatch& ifMatch,
                        const Upload& upload)
{
    const auto tenant = caller.tenant();
    const Stamp stamp{_context.clock().now()};
    const auto hostId = [&]
    {
        auto session = _context.database().session();
        return requireHost(session, caller, *choice).hostId;
    }();
    const auto picture = _pictures.stage(tenant, hostId, requirePicture(upload), upload.file());
    return transactLive(_context, tenant, "calendar.host",
                        [&](Transaction& transaction)
                        {
                            _pictures.adopt(transaction, tenant, picture);
                            const auto show = [&](Host& host)
                            { (*use == PictureUse::Avatar ? host.avatarUrl : host.branding.logoUrl) = picture.url; };
                            Host host = hostTable.change(transaction, tenant, hostId, ifMatch, stamp, show);
                            _pictures.dropUnused(transaction, tenant, host);
                            host.organizationId = caller.organizationId;
                            host.previousHandles = previousHandles(transaction, tenant, hostId, stamp.now);
                            return host;
                        });
}

Response PictureRoutes::show(const Path<PictureId>& id) const
{
    const auto picture = [&]
    {
        auto session = _context.database().session();
        return session.one<Picture>("SELECT " + columns<Picture>() + " FROM picture WHERE id = $1 AND remove_at IS NULL", *id);
    }();
    Response response;
    if (picture) response.file = _context.blobs().open(picture->blobKey);
    if (!response.file) throw Problem::notFound("There is no such picture.");
    response.contentType = picture->contentType;
    response.etag = '"' + id->text() + '"';
    // Prevents the bytes from running as a document on this origin. Mails and pages of other origins may show them.
    response.addHeader("Content-Security-Policy", "default-src 'none'; sandbox");
    response.addHeader("Cross-Origin-Resource-Policy", "cross-origin");
    return response;
}

} // namespace portico::calendar
