#pragma once

#include "common/BrandChoice.h"
#include "content/ItemService.h"
#include "content/PostRoutes.h"

#include "portico/Routes.h"

namespace portico::social
{

enum class ItemPart : std::uint8_t
{
    Attempts,
    Events
};
constexpr auto schemaOf(const ItemPart*)
{
    return portico::choices<ItemPart>({{"attempts", ItemPart::Attempts}, {"events", ItemPart::Events}});
}

struct OneItemQuery : BrandChoice
{
    std::vector<ItemPart> include;
};
constexpr auto schemaOf(const OneItemQuery*) { return describe(inherited<BrandChoice>(), field<&OneItemQuery::include>()); }

struct RetryRequest
{
    bool confirm = false;
};
constexpr auto schemaOf(const RetryRequest*)
{
    return describe(
        field<&RetryRequest::confirm>().description("Confirms that the post may already be published; required after `outcome_unknown`"));
}

struct MarkPublishedRequest
{
    std::string platformUrl;
};
constexpr auto schemaOf(const MarkPublishedRequest*) { return describe(field<&MarkPublishedRequest::platformUrl>().maxLength(2000).uri()); }

/// /api/content-ops/items/{contentId}. Thread-safe.
class ItemRoutes
{
public:
    ItemRoutes(const ContentTools& tools, const ItemService& service) : _context(tools.context), _service(service) {}
    void declare(Routes& routes);

    ItemView show(const Caller& caller, const BrandHeader& brand, const Path<ContentId>& id, const Query<OneItemQuery>& query) const;
    ItemView change(const Request& request, const BrandHeader& brand, const Path<ContentId>& id, const Query<BrandChoice>& query,
                    const IfMatch& ifMatch, const Body<Patch<ItemView>>& body);
    ItemView approve(const Request& request, const BrandHeader& brand, const Path<ContentId>& id, const Query<BrandChoice>& query,
                     const IfMatch& ifMatch, const Body<ApproveRequest>& body);
    ItemView reject(const Request& request, const BrandHeader& brand, const Path<ContentId>& id, const Query<BrandChoice>& query,
                    const IfMatch& ifMatch, const Body<RejectRequest>& body);
    ItemView reschedule(const Request& request, const BrandHeader& brand, const Path<ContentId>& id, const Query<BrandChoice>& query,
                        const IfMatch& ifMatch, const Body<RescheduleRequest>& body);
    ItemView retry(const Request& request, const BrandHeader& brand, const Path<ContentId>& id, const Query<BrandChoice>& query,
                   const IfMatch& ifMatch, const Body<RetryRequest>& body);
    ItemView submit(const Request& request, const BrandHeader& brand, const Path<ContentId>& id, const Query<BrandChoice>& query,
                    const IfMatch& ifMatch, const Body<EmptyRequest>& body);
    ItemView cancel(const Request& request, const BrandHeader& brand, const Path<ContentId>& id, const Query<BrandChoice>& query,
                    const IfMatch& ifMatch, const Body<EmptyRequest>& body);
    ItemView markPublished(const Request& request, const BrandHeader& brand, const Path<ContentId>& id, const Query<BrandChoice>& query,
                           const IfMatch& ifMatch, const Body<MarkPublishedRequest>& body);
    Created<ItemView> duplicate(const Request& request, const BrandHeader& brand, const Path<ContentId>& id,
                                const Query<BrandChoice>& query, const Body<EmptyRequest>& body);
    NoContent remove(const Request& request, const BrandHeader& brand, const Path<ContentId>& id, const Query<BrandChoice>& query,
                     const IfMatch& ifMatch);

private:
    BrandId brandOf(const Caller& caller, const BrandHeader& header, const std::optional<std::string>& query, const ContentId& id) const;
    ItemView shown(const Request& request, const ContentItem& item) const { return viewOf(item, rightsOf(*request.caller)); }

    PluginContext& _context;
    const ItemService& _service;
};

} // namespace portico::social
