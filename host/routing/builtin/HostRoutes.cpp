#include "host/routing/builtin/HostRoutes.h"

#include "host/routing/docs/DocsAssets.h"

#include <algorithm>

namespace portico::host::routing
{

namespace
{

/// Nothing from elsewhere, nothing inline: the page shows text that plugins wrote.
constexpr std::string_view docsPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// Kept by browsers, but asked about each time: it changes when a plugin does.
constexpr std::string_view revalidated = "no-cache";

void answerDocument(const Site& site, Response& response)
{
    const auto& document = site.document.text();
    response.json(200, document.json);
    response.etag = document.etag;
    response.cacheControl = revalidated;
}

void answerDocs(std::string_view path, Response& response)
{
    const auto assets = docsAssets();
    const auto asset = std::find_if(assets.begin(), assets.end(), [path](const DocsAsset& candidate) { return candidate.path == path; });
    response.status = 200;
    response.contentType = asset->contentType;
    response.body = asset->content;
    response.etag = asset->etag;
    response.cacheControl = revalidated;
    if (asset->contentType.starts_with("text/html")) response.addHeader("Content-Security-Policy", docsPolicy);
}

} // namespace

void HostRoutes::answer(const RouteEntry& entry, const Site& site, Response& response) const
{
    switch (entry.host)
    {
    case HostRoute::Liveness:
        return _health.liveness(response);
    case HostRoute::Readiness:
        return _health.readiness(site, response);
    case HostRoute::Health:
        return _health.health(site, response);
    case HostRoute::ApiDocument:
        return answerDocument(site, response);
    // The table has a docs route for exactly each asset.
    case HostRoute::Docs:
        return answerDocs(entry.info->pattern, response);
    case HostRoute::None:
        return;
    }
}

} // namespace portico::host::routing
