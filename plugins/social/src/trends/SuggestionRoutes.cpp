#include "trends/SuggestionRoutes.h"

#include "content/ItemView.h"
#include "content/PostRoutes.h"
#include "trends/SuggestionWriter.h"

#include "portico/Problem.h"

#include <algorithm>

namespace portico::social
{

/// An item of the request with its source.
struct SuggestionRoutes::Source
{
    SourceItem item;
    SourceKind kind = SourceKind::Manual;
    std::optional<SourceItemId> id;
};

/// A suggestion before it has a record.
struct SuggestionRoutes::Draft
{
    ContentItem item;
    bool isCut = false;
};

SuggestionRoutes::SuggestionRoutes(const ContentTools& tools)
    : _tools(tools),
      _model(tools.context.config(), tools.context.http()),
      _perCaller(tools.context.state(), tools.context.clock(), {"social-suggest-caller", 10, std::chrono::minutes(1)}),
      _perBrand(tools.context.state(), tools.context.clock(), {"social-suggest-brand", 100, std::chrono::hours(1)})
{
}

void SuggestionRoutes::declare(Routes& routes)
{
    routes.post("/api/content-strategy/suggestions/generate-from-trends",
                access::bearerOrKey("content:write", "posts.write").bindInHandler(brandResource), &SuggestionRoutes::generate, this,
                {.summary = "Create suggestions from trends, seeds or entered items",
                 .bodyLimit = 256 * 1024,
                 .execution = Execution::Long,
                 .problems = {"400 brand_required", "400 brand_mismatch", "429 rate_limited"}});
}

void SuggestionRoutes::takeBudget(const Caller& caller, const BrandId& brand) const
{
    // A rejected call is charged to neither budget.
    _tools.context.state().withLock(
        "suggest:" + brand.text(), std::chrono::seconds(5),
        [&]
        {
            for (const auto& [limit, key] : {std::pair(&_perCaller, caller.principalId), {&_perBrand, brand.text()}})
                if (const auto left = limit->look(key); !left.allowed) throw Problem::rateLimited(left.retryAfter.count());
            _perCaller.count(caller.principalId);
            _perBrand.count(brand.text());
        });
}

std::vector<SuggestionRoutes::Source> SuggestionRoutes::sourcesOf(Session& session, const Caller& caller, const BrandId& brand,
                                                                  const SuggestionRequest& body) const
{
    const auto tenant = caller.tenant();
    std::vector<Source> sources;
    for (std::size_t i = 0; i < body.items.size(); ++i)
    {
        const auto& wanted = body.items[i];
        const auto place = "items[" + std::to_string(i) + "]";
        if (wanted.sourceItemId.has_value() == wanted.title.has_value())
            throw Problem::invalid(place, "required", "Send sourceItemId or title.");
        if (!wanted.sourceItemId)
        {
            const bool byKey = caller.credential == CredentialKind::ApiKey;
            sources.push_back({sourceItemOf({*wanted.title, wanted.summary, wanted.url, {}, {}, {}}, byKey, _tools.context.clock().now()),
                               byKey ? SourceKind::Api : SourceKind::Manual, std::nullopt});
            continue;
        }
        const auto seed =
            seedTable.select(tenant).where(&Seed::brandId, brand).where(&Seed::sourceItemId, wanted.sourceItemId->text()).first(session);
        auto item = sourceItemTable.find(session, tenant, brand, *wanted.sourceItemId);
        if (!item && seed)
        {
            item.emplace();
            item->title = seed->title;
            item->summary = seed->summary;
            item->url = seed->url;
            item->language = seed->language;
            item->observedAt = seed->observedAt;
        }
        if (!item) throw Problem::invalid(place + ".sourceItemId", "unknown_item", "The brand has no such item.");
        sources.push_back({*std::move(item), SourceKind::Seed, wanted.sourceItemId});
    }
    return sources;
}

void SuggestionRoutes::countUse(Transaction& transaction, Tenant tenant, const BrandId& brand, const std::vector<Source>& sources) const
{
    for (const auto& source : sources)
        if (source.id)
            transaction.execute("UPDATE seed SET use_count = use_count + 1, last_used_at = $4 WHERE organization_id = $1 AND brand_id = $2 "
                                "AND source_item_id = $3",
                                tenant, brand, source.id->text(), _tools.context.clock().now());
}

std::vector<SuggestionRoutes::Draft> SuggestionRoutes::write(Tenant tenant, const BrandId& brand, const SuggestionRequest& body,
                                                             const std::vector<Source>& sources, SuggestionAnswer& answer) const
{
    TextWish desired;
    desired.tone = body.tone;
    desired.instructions = body.instructions;
    desired.perTopic = body.perPlatform;
    {
        auto session = _tools.context.database().session();
        desired.language = body.language.value_or(brandTable.require(session, tenant, brand).language);
    }
    std::vector<SourceItem> items;
    for (const auto& source : sources) items.push_back(source.item);
    SuggestionWriter writer(_model, _tools.context.clock(), tenant, desired);
    std::vector<Draft> drafts;
    for (const auto platform : body.platforms)
    {
        if (_tools.networks.find(platform) == nullptr || platform == Platform::Instagram)
        {
            answer.skipped.push_back({platform, platform == Platform::Instagram ? "media_required" : "platform_not_ready"});
            continue;
        }
        const auto texts = writer.write(platform, _tools.networks.limits(platform), items);
        for (std::size_t i = 0; i < sources.size(); ++i)
            for (const auto& text : texts[i])
            {
                Draft draft;
                draft.item.platform = platform;
                draft.item.text = text.text;
                draft.item.source = {sources[i].kind, std::nullopt, sources[i].id};
                draft.item.sourceObservedAt = sources[i].item.observedAt;
                draft.item.generator = text.isByModel ? Generator::Model : Generator::Template;
                draft.isCut = text.isCut;
                if (text.isByModel) answer.generator = Generator::Model;
                drafts.push_back(std::move(draft));
            }
    }
    if (writer.hasFailed())
        answer.warnings.push_back(
            {"model_failed", std::nullopt, "The model did not respond as expected. Text templates were used instead."});
    return drafts;
}

Created<SuggestionAnswer> SuggestionRoutes::generate(const Request& request, const BrandHeader& brand, const Query<BrandChoice>& choice,
                                                     const Body<SuggestionRequest>& body) const
{
    const auto& caller = *request.caller;
    const auto author = authorOf(request);
    const auto tenant = caller.tenant();
    BrandId where;
    std::vector<Source> sources;
    {
        auto session = _tools.context.database().session();
        where = requireBrand(session, caller, brand, choice->brandId, body->brandId);
        // Checked after the brand, so that a key that is restricted to other brands learns nothing about the body.
        if (body->items.empty()) throw Problem::invalid("items", "required", "Must be present");
        if (body->platforms.empty()) throw Problem::invalid("platforms", "required", "Must be present");
        sources = sourcesOf(session, caller, where, *body);
    }
    takeBudget(caller, where);
    Created<SuggestionAnswer> made;
    const auto drafts = write(tenant, where, *body, sources, made.record);
    const auto warnings = made.record.warnings;
    _tools.context.database().transact(
        [&](Transaction& transaction)
        {
            made.record.suggestions.clear();
            made.record.warnings = warnings;
            BrandContent content(_tools.context, transaction, tenant, where, author.doer, author.rights);
            for (const auto& draft : drafts)
            {
                made.record.suggestions.push_back(viewOf(ItemService::suggest(content, draft.item), author.rights));
                if (draft.isCut)
                    made.record.warnings.push_back({"text_cut", made.record.suggestions.back().contentId,
                                                    "The model's text was too long for the network and was shortened at a word."});
            }
            countUse(transaction, tenant, where, sources);
        });
    return made;
}

} // namespace portico::social
