#pragma once

#include "ai/ImageModels.h"
#include "common/BrandChoice.h"
#include "media/MediaService.h"

#include "portico/Routes.h"

namespace portico::social
{

bool isPictureSize(std::string_view text);

struct GenerateImages
{
    std::optional<std::string> brandId;
    std::string prompt;
    std::int64_t count = 1;
    std::string size = "1024x1024";
    std::optional<std::string> model;
    std::string style;
    std::optional<std::int64_t> seed;
};
constexpr auto schemaOf(const GenerateImages*)
{
    using G = GenerateImages;
    return describe(field<&G::brandId>().maxLength(64), field<&G::prompt>().required().trimmed().minLength(1).maxLength(4000),
                    field<&G::count>().range(1, 4),
                    field<&G::size>().matches(isPictureSize, "invalid_size", "1024x1024, 1024x1536, 1536x1024 or auto"),
                    field<&G::model>().maxLength(200).description("For this request only; needs the permission ai:override_model"),
                    field<&G::style>().maxLength(100), field<&G::seed>().range(0, 4'294'967'295));
}

struct GeneratedImage
{
    MediaId mediaId;
    std::string url;
    std::optional<std::int64_t> width;
    std::optional<std::int64_t> height;
    std::string contentType;
};
constexpr auto schemaOf(const GeneratedImage*)
{
    return describe(members<&GeneratedImage::mediaId, &GeneratedImage::url, &GeneratedImage::width, &GeneratedImage::height,
                            &GeneratedImage::contentType>());
}

/// Remaining budget of the caller, in pictures.
struct ImageQuota
{
    std::int64_t limit = 0;
    std::int64_t remaining = 0;
    Instant resetAt{};
};
constexpr auto schemaOf(const ImageQuota*) { return describe(members<&ImageQuota::limit, &ImageQuota::remaining, &ImageQuota::resetAt>()); }

struct GeneratedImages
{
    std::vector<GeneratedImage> images;
    std::string model;
    /// `org_default` or `inline_override`.
    std::string modelSource;
    std::string gatewayRequestId;
    bool sample = false;
    ImageQuota quota;
};
constexpr auto schemaOf(const GeneratedImages*)
{
    using G = GeneratedImages;
    return describe(members<&G::images, &G::model, &G::modelSource, &G::gatewayRequestId>(),
                    field<&G::sample>().description("True for sample pictures of this server, which no model generated"),
                    field<&G::quota>());
}

/// POST /api/ai/generate-image (2.A.9). Thread-safe.
class ImageRoutes
{
public:
    ImageRoutes(PluginContext& context, const MediaService& media, const MediaLinks& links)
        : _context(context), _media(media), _links(links), _models(context.config(), context.http(), context.state())
    {
    }
    void declare(Routes& routes);
    GeneratedImages generate(const Request& request, const BrandHeader& brand, const Query<BrandChoice>& choice,
                             const Body<GenerateImages>& body) const;

private:
    ImageQuota takeBudget(const Caller& caller, const BrandId& brand, std::int64_t pictures) const;
    PictureAnswer make(const Caller& caller, const BrandId& brand, const std::string& model, const PictureRequest& wanted) const;

    PluginContext& _context;
    const MediaService& _media;
    const MediaLinks& _links;
    const ImageModels _models;
};

} // namespace portico::social
