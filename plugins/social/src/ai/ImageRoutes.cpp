#include "ai/ImageRoutes.h"

#include "media/MediaTypes.h"

#include "portico/Crypto.h"
#include "portico/Json.h"
#include "portico/Problem.h"
#include "portico/RateLimit.h"
#include "portico/Text.h"

#include <algorithm>
#include <array>

namespace portico::social
{

namespace
{
constexpr std::string_view overridePermission = "social.ai:override_model";

/// `details` of a 429.
struct BudgetDetails
{
    std::string scope;
    std::int64_t limit = 0;
    std::int64_t windowSeconds = 0;
    std::int64_t retryAfterSeconds = 0;
    Instant resetAt{};
};
constexpr auto schemaOf(const BudgetDetails*)
{
    using D = BudgetDetails;
    return describe(members<&D::scope, &D::limit, &D::windowSeconds, &D::retryAfterSeconds, &D::resetAt>());
}

/// `data` of the audit event: the prompt as a hash only.
struct ImageFacts
{
    std::string model;
    std::string promptSha256;
    std::int64_t count = 1;
};
constexpr auto schemaOf(const ImageFacts*)
{
    return describe(members<&ImageFacts::model, &ImageFacts::promptSha256, &ImageFacts::count>());
}

/// Budget to which a picture is charged.
struct PictureBudget
{
    std::string_view scope;
    RateLimit::Budget rule;
    std::string key;
};

std::array<PictureBudget, 3> budgetsOf(const Caller& caller, const BrandId& brand)
{
    return {{{"user", {"social-image-user", 10, std::chrono::minutes(1)}, caller.principalId},
             {"brand", {"social-image-brand", 60, std::chrono::hours(1)}, brand.text()},
             {"organization", {"social-image-org", 200, std::chrono::hours(24)}, caller.organizationId}}};
}
} // namespace

bool isPictureSize(std::string_view text) { return text == "1024x1024" || text == "1024x1536" || text == "1536x1024" || text == "auto"; }

void ImageRoutes::declare(Routes& routes)
{
    routes.post("/api/ai/generate-image", access::bearer("ai:generate"), &ImageRoutes::generate, this,
                {.summary = "Generate pictures from a text",
                 .execution = Execution::Long,
                 .problems = {"400 brand_required", "400 brand_mismatch", "403 permission_denied", "413 payload_too_large",
                              "429 rate_limited", "502 gateway_error", "503 gateway_unconfigured"}});
}

ImageQuota ImageRoutes::takeBudget(const Caller& caller, const BrandId& brand, std::int64_t pictures) const
{
    const auto budgets = budgetsOf(caller, brand);
    ImageQuota quota;
    // Pictures cost money: a call is charged to all three budgets or to none, also if request limits are off.
    const auto take = [&]
    {
        const auto now = _context.clock().now();
        for (const auto& [scope, rule, key] : budgets)
        {
            const RateLimit limit(_context.state(), _context.clock(), rule);
            const auto left = limit.look(key);
            // `look` has already counted one picture.
            if (left.allowed && left.remaining + 1 >= pictures) continue;
            const auto wait = left.retryAfter.count();
            throw Problem::rateLimited(wait).withDetails(
                BudgetDetails{std::string(scope), rule.limit, rule.window.count(), wait, now + left.retryAfter});
        }
        for (const auto& [scope, rule, key] : budgets)
        {
            const auto left = RateLimit(_context.state(), _context.clock(), rule).count(key, pictures);
            if (scope == "user") quota = {rule.limit, left.remaining, now + left.retryAfter};
        }
    };
    _context.state().withLock("social-image-budget:" + caller.organizationId, std::chrono::seconds(5), take);
    return quota;
}

PictureAnswer ImageRoutes::make(const Caller& caller, const BrandId& brand, const std::string& model, const PictureRequest& wanted) const
{
    try
    {
        return _models.make(caller.tenant(), model, wanted);
    }
    catch (const Problem& problem)
    {
        // A refused call uses no budget.
        if (problem.status() == 429)
            for (const auto& [scope, rule, key] : budgetsOf(caller, brand))
                RateLimit(_context.state(), _context.clock(), rule).count(key, -wanted.count);
        throw;
    }
}

GeneratedImages ImageRoutes::generate(const Request& request, const BrandHeader& brand, const Query<BrandChoice>& choice,
                                      const Body<GenerateImages>& body) const
{
    const auto& caller = *request.caller;
    const auto where = [&]
    {
        auto session = _context.database().session();
        return requireBrand(session, caller, brand, choice->brandId, body->brandId);
    }();
    const bool overrides = body->model && !body->model->empty();
    if (overrides && !caller.may(overridePermission))
        throw Problem::forbidden("permission_denied", "The permission social.ai:override_model is needed to name a model.");
    const PictureRequest wanted{body->prompt, body->count, body->size, body->style, body->seed, overrides ? *body->model : std::string()};
    const auto model = _models.modelFor(caller.tenant(), wanted);
    GeneratedImages answer;
    answer.quota = takeBudget(caller, where, body->count);
    const auto made = make(caller, where, model, wanted);
    answer.model = made.model;
    answer.modelSource = overrides ? "inline_override" : "org_default";
    answer.gatewayRequestId = made.requestId;
    answer.sample = made.isSample;
    const Json facts{toJson(ImageFacts{made.model, sha256(body->prompt).hex(), static_cast<std::int64_t>(made.pictures.size())})};
    for (const auto& bytes : made.pictures)
    {
        const auto* type = sniffMediaType(std::string_view(bytes).substr(0, 64));
        if (type == nullptr || type->kind != MediaKind::Image) throw Problem(502, "gateway_error", "The model did not return a picture.");
        const auto name = std::string(made.isSample ? "sample-" : "generated-") + sha256(bytes).hex().substr(0, 8);
        const auto media =
            _media.add(Doer::of(request), caller.tenant(), where,
                       {name, std::string(type->contentType), bytes,
                        made.isSample ? "A sample picture" : std::string(firstCharacters(body->prompt, 300)), MediaSource::Ai},
                       {.kind = overrides ? AuditKind::AiModelOverridden : AuditKind::AiImageGenerated, .brandId = where, .data = facts});
        answer.images.push_back({media.mediaId, _links.publicUrl(media.mediaId, "publish", _context.clock().now()), media.width,
                                 media.height, media.contentType});
    }
    return answer;
}

} // namespace portico::social
