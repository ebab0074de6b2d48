#include "media/LinkPreviewRoutes.h"

#include "links/LinkPage.h"
#include "media/ImageCleaner.h"
#include "media/MediaTypes.h"

#include "portico/Problem.h"

namespace portico::social
{

namespace
{
constexpr std::uint64_t largestImage = 2'000'000;
} // namespace

LinkPreviewRoutes::LinkPreviewRoutes(PluginContext& context, const MediaLinks& links)
    : _context(context), _links(links), _perCaller(context.state(), context.clock(), {"social-link-preview", 30, std::chrono::minutes(1)})
{
}

void LinkPreviewRoutes::declare(Routes& routes)
{
    routes
        .get("/api/link-preview", access::bearer("posts:write"), &LinkPreviewRoutes::show, this,
             {.summary = "Read the preview of a page: title, description and picture",
              .execution = Execution::Long,
              .problems = {"400 address_not_allowed", "429 rate_limited", "502 upstream_failed"}})
        .get("/link-image", access::open(), &LinkPreviewRoutes::image, this,
             {.summary = "Download the picture of a link preview",
              .execution = Execution::Long,
              .cacheControl = "private, max-age=86400",
              .problems = {"403 invalid_signature", "410 link_expired", "502 upstream_failed"},
              .produces = {"image/*"}});
}

LinkPreview LinkPreviewRoutes::show(const Caller& caller, const Query<LinkQuery>& query) const
{
    if (!query->url.starts_with("https://") && !_context.http().isAllowedByOperator(query->url))
        throw Problem::invalid("url", "https_required", "Expected an https URL.");
    _perCaller.require(caller.principalId);
    const auto page = fetchLinkPage(_context.http(), query->url);
    LinkPreview preview{query->url, page.title, page.description, page.siteName, std::nullopt, _context.clock().now()};
    if (!page.imageUrl.empty()) preview.imageUrl = _links.imageUrl(page.imageUrl, preview.fetchedAt);
    return preview;
}

Response LinkPreviewRoutes::image(const Query<LinkImageQuery>& query) const
{
    if (!_links.isSignedImage(query->url, query->exp, query->sig))
        throw Problem::forbidden("invalid_signature", "The address was altered.");
    if (Instant(std::chrono::seconds(query->exp)) < _context.clock().now()) throw Problem::gone("link_expired", "The address has expired.");
    const auto picture = fetchLinkImage(_context.http(), query->url, largestImage);
    if (!picture) throw Problem(502, "upstream_failed", "The address did not return a picture.");
    Response response;
    try
    {
        response.body = cleanImage(picture->contentType, picture->bytes).bytes;
    }
    catch (const MediaFault&)
    {
        throw Problem(502, "upstream_failed", "The picture cannot be read.");
    }
    response.contentType = picture->contentType;
    response.addHeader("Content-Security-Policy", "default-src 'none'; sandbox");
    return response;
}

} // namespace portico::social
