#pragma once

#include "media/MediaLinks.h"

#include "portico/RateLimit.h"
#include "portico/Routes.h"
#include "portico/Text.h"

namespace portico::social
{

struct LinkQuery
{
    std::string url;
};
constexpr auto schemaOf(const LinkQuery*)
{
    return describe(
        field<&LinkQuery::url>().required().trimmed().maxLength(2048).matches(isWebUrl, "invalid_url", "an absolute http or https URL"));
}

/// Content of a link card.
struct LinkPreview
{
    std::string url;
    std::string title;
    std::string description;
    std::string siteName;
    /// On this origin, signed for a day; null: the page names no picture.
    std::optional<std::string> imageUrl;
    Instant fetchedAt{};
};
constexpr auto schemaOf(const LinkPreview*)
{
    using P = LinkPreview;
    return describe(members<&P::url, &P::title, &P::description, &P::siteName>(),
                    field<&P::imageUrl>().description("Signed URL on this origin, valid for 24 hours; null if the page has no picture"),
                    field<&P::fetchedAt>());
}

/// The signed address of a picture of another server.
struct LinkImageQuery
{
    std::string url;
    std::int64_t exp = 0;
    std::string sig;
};
constexpr auto schemaOf(const LinkImageQuery*)
{
    return describe(members<&LinkImageQuery::url, &LinkImageQuery::exp, &LinkImageQuery::sig>());
}

/// /api/link-preview, and the pictures of its answers, which browsers load from this origin only. Thread-safe.
class LinkPreviewRoutes
{
public:
    LinkPreviewRoutes(PluginContext& context, const MediaLinks& links);
    void declare(Routes& routes);

    LinkPreview show(const Caller& caller, const Query<LinkQuery>& query) const;
    Response image(const Query<LinkImageQuery>& query) const;

private:
    PluginContext& _context;
    const MediaLinks& _links;
    const RateLimit _perCaller;
};

} // namespace portico::social
