#pragma once

#include "ai/TextModel.h"
#include "common/BrandChoice.h"
#include "content/ItemService.h"
#include "trends/SeedService.h"

#include "portico/RateLimit.h"
#include "portico/Routes.h"

namespace portico::social
{

/// Input of a suggestion: an item of a source or a seed by its id, or entered content.
struct SuggestionItem
{
    std::optional<SourceItemId> sourceItemId;
    std::optional<std::string> title;
    std::string summary;
    std::string url;
};
constexpr auto schemaOf(const SuggestionItem*)
{
    using I = SuggestionItem;
    return describe(field<&I::sourceItemId>(), field<&I::title>().trimmed().maxLength(300), field<&I::summary>().trimmed().maxLength(2000),
                    field<&I::url>().trimmed().maxLength(2048).matches(isWebUrl, "invalid_url", "an absolute http or https URL"));
}

struct SuggestionRequest
{
    std::optional<std::string> brandId;
    std::vector<SuggestionItem> items;
    std::vector<Platform> platforms;
    std::int64_t perPlatform = 1;
    std::string tone;
    std::optional<std::string> language;
    std::string instructions;
};
constexpr auto schemaOf(const SuggestionRequest*)
{
    using R = SuggestionRequest;
    return describe(field<&R::brandId>().maxLength(64), field<&R::items>().maxItems(20).description("At least one"),
                    field<&R::platforms>().maxItems(10).description("At least one"), field<&R::perPlatform>().range(1, 5),
                    field<&R::tone>().maxLength(100), field<&R::language>().maxLength(35), field<&R::instructions>().maxLength(2000));
}

/// A platform without suggestions.
struct SkippedPlatform
{
    Platform platform = Platform::Bluesky;
    /// `media_required`, `platform_not_ready`
    std::string reason;
};
constexpr auto schemaOf(const SkippedPlatform*) { return describe(members<&SkippedPlatform::platform, &SkippedPlatform::reason>()); }

/// A warning about an answer: `model_failed`, `text_cut`.
struct SuggestionWarning
{
    std::string code;
    /// Empty: it is about the whole answer.
    std::optional<ContentId> contentId;
    std::string message;
};
constexpr auto schemaOf(const SuggestionWarning*)
{
    return describe(members<&SuggestionWarning::code, &SuggestionWarning::contentId, &SuggestionWarning::message>());
}

struct SuggestionAnswer
{
    std::vector<ItemView> suggestions;
    /// `model` where at least one text is by the model.
    Generator generator = Generator::Template;
    std::vector<SkippedPlatform> skipped;
    std::vector<SuggestionWarning> warnings;
};
constexpr auto schemaOf(const SuggestionAnswer*)
{
    using A = SuggestionAnswer;
    return describe(members<&A::suggestions, &A::generator, &A::skipped, &A::warnings>());
}

/// POST /api/content-strategy/suggestions/generate-from-trends. Thread-safe.
class SuggestionRoutes
{
public:
    explicit SuggestionRoutes(const ContentTools& tools);
    void declare(Routes& routes);
    Created<SuggestionAnswer> generate(const Request& request, const BrandHeader& brand, const Query<BrandChoice>& choice,
                                       const Body<SuggestionRequest>& body) const;

private:
    struct Source;
    struct Draft;
    void takeBudget(const Caller& caller, const BrandId& brand) const;
    std::vector<Source> sourcesOf(Session& session, const Caller& caller, const BrandId& brand, const SuggestionRequest& body) const;
    /// Writes the texts, which may wait for the model, and fills in the response.
    std::vector<Draft> write(Tenant tenant, const BrandId& brand, const SuggestionRequest& body, const std::vector<Source>& sources,
                             SuggestionAnswer& answer) const;
    void countUse(Transaction& transaction, Tenant tenant, const BrandId& brand, const std::vector<Source>& sources) const;

    const ContentTools _tools;
    const TextModel _model;
    const RateLimit _perCaller;
    const RateLimit _perBrand;
};

} // namespace portico::social
