#include "content/BrandContent.h"

#include "audit/EventChanges.h"
#include "content/Publications.h"
#include "content/QueueCounts.h"

#include "portico/Flight.h"
#include "portico/Json.h"
#include "portico/Problem.h"

#include <algorithm>

namespace portico::social
{

/// Data of an event about an item or a post: ids, but no content.
struct ContentNews
{
    BrandId brandId;
    std::optional<PostId> postId;
    std::optional<ContentId> contentId;
};
constexpr auto schemaOf(const ContentNews*)
{
    return describe(field<&ContentNews::brandId>(), field<&ContentNews::postId>().omitEmpty(),
                    field<&ContentNews::contentId>().omitEmpty());
}

/// `data` of an audit event of an item.
struct ContentFacts
{
    std::string kind;
    std::string platform;
    std::int64_t revision = 1;
    std::optional<std::int64_t> step;
    std::optional<bool> last;
    std::optional<std::string> code;
};
constexpr auto schemaOf(const ContentFacts*)
{
    using F = ContentFacts;
    return describe(members<&F::kind, &F::platform, &F::revision>(), field<&F::step>().omitEmpty(), field<&F::last>().omitEmpty(),
                    field<&F::code>().omitEmpty());
}

/// `details` of a rejected move.
struct RefusalDetails
{
    std::string currentState;
    std::vector<SafeAction> safeActions;
    std::int64_t revision = 1;
};
constexpr auto schemaOf(const RefusalDetails*)
{
    return describe(members<&RefusalDetails::currentState, &RefusalDetails::safeActions, &RefusalDetails::revision>());
}

namespace
{
Json factsOf(const ContentItem& item, AuditKind kind)
{
    ContentFacts facts{std::string(toString(item.kind)), std::string(toString(item.platform)), item.revision, {}, {}, {}};
    if (kind == AuditKind::ContentApproved || kind == AuditKind::ContentRejected)
        facts.step = item.approvals.empty() ? 1 : item.approvals.back().step;
    if (kind == AuditKind::ContentApproved) facts.last = item.approvalState == ApprovalState::Approved;
    if (item.failure) facts.code = toString(item.failure->code);
    return {toJson(facts)};
}

Brand lockedBrand(Transaction& transaction, Tenant tenant, const BrandId& brand)
{
    static const auto sql = "SELECT " + columns<Brand>() + " FROM brand WHERE organization_id = $1 AND id = $2";
    Flight flight(transaction);
    auto locked = audit::lock(flight, tenant, brand);
    auto found = flight.one<Brand>(sql, tenant, brand);
    if (*locked == 0 || !*found) throw Problem::notFound("There is no such brand.");
    return **found;
}

bool isInLine(const Post& before, const Post& after)
{
    return before.status == after.status && before.scheduledFor == after.scheduledFor && before.scheduleOrder == after.scheduleOrder &&
           before.publishedAt == after.publishedAt && before.searchText == after.searchText;
}
} // namespace

void throwRefusal(const ContentItem& item, Refusal refusal, const Rights& rights)
{
    const RefusalDetails details{stateName(item), safeActionsOf(item, rights), item.revision};
    switch (refusal)
    {
    case Refusal::Publishing:
        throw Problem::conflict("conflict", "The post is currently being published.").withDetails(details);
    case Refusal::SelfApproval:
        throw Problem::forbidden("self_approval", "Another user must approve this, because you wrote or already approved it.");
    case Refusal::RevisionChanged:
        throw Problem::conflict("revision_changed", "The content was edited after you opened it.").withDetails(details);
    case Refusal::NotAllowed:
        break;
    }
    throw Problem::conflict("action_not_allowed", "The status does not allow this action.").withDetails(details);
}

BrandContent::BrandContent(PluginContext& context, Transaction& transaction, Tenant tenant, const BrandId& brand, Doer doer, Rights rights)
    : _context(context),
      _transaction(transaction),
      _tenant(tenant),
      _now(context.clock().now()),
      _doer(std::move(doer)),
      _rights(std::move(rights)),
      _brand(lockedBrand(transaction, tenant, brand))
{
}

ContentItem BrandContent::item(const ContentId& id) const { return itemTable.require(_transaction, _tenant, _brand.brandId, id); }

Post BrandContent::post(const PostId& id) const { return postTable.require(_transaction, _tenant, _brand.brandId, id); }

std::vector<ContentItem> BrandContent::itemsOf(const Post& post) const
{
    auto items =
        itemTable.select(_tenant).where(&ContentItem::brandId, _brand.brandId).where(&ContentItem::postId, post.postId).all(_transaction);
    const auto place = [&](const ContentItem& item)
    { return std::ranges::find(post.targets, item.targetId, &Target::targetId) - post.targets.begin(); };
    std::ranges::sort(items, {}, place);
    return items;
}

ContentItem BrandContent::insert(const Move& move, std::string_view reason)
{
    auto item = move.item;
    item.updatedAt = _now;
    item.version = 1;
    checkQueue({}, item);
    itemTable.insert(_transaction, _tenant, item);
    record({}, item, move.events, reason);
    announce({}, item);
    wakeWorker(item);
    return item;
}

ContentItem BrandContent::write(const ContentItem& before, const Move& move, std::string_view reason)
{
    if (move.refusal) throwRefusal(before, *move.refusal, _rights);
    if (move.item == before) return before;
    checkQueue(before, move.item);
    const ContentItem after = itemTable.change(_transaction, _tenant, _brand.brandId, before.contentId, IfMatch(""), {_now},
                                               [&](ContentItem& item)
                                               {
                                                   const auto version = item.version;
                                                   item = move.item;
                                                   item.version = version;
                                               });
    releaseSlot(before, after);
    record(before, after, move.events, reason);
    announce(before, after);
    if (after.dueAt != before.dueAt) wakeWorker(after);
    return after;
}

/// The worker's sweep finds items that are due later.
void BrandContent::wakeWorker(const ContentItem& item)
{
    if (item.publishStatus != PublishStatus::Queued || !item.dueAt || *item.dueAt > _now + Publications::lookAhead) return;
    const auto id = item.contentId.text();
    // Items of one time share a few jobs. A job that is due may have looked already, so an item that is due gets its own.
    const auto share = *item.dueAt > _now ? std::to_string(std::hash<std::string>{}(id) % Publications::maxJobsAtOneTime) : id;
    _context.jobs().enqueue(_transaction, Publications::slotJob,
                            JobOptions{.dedupeKey = "publish:" + share + ":" + std::to_string(toMillis(*item.dueAt)), .dueAt = item.dueAt});
}

Post BrandContent::settle(const Post& before, Post after)
{
    deriveFromItems(after, itemsOf(after));
    const auto ids = after.contentIds;
    Post written = postTable.change(_transaction, _tenant, _brand.brandId, before.postId, IfMatch(""), {_now},
                                    [&](Post& post)
                                    {
                                        const auto version = post.version;
                                        post = std::move(after);
                                        post.version = version;
                                    });
    written.contentIds = ids;
    if (written.version != before.version) tell("social.post.changed", written.postId, std::nullopt);
    return written;
}

Post BrandContent::settle(const PostId& id)
{
    static const auto readPost =
        "SELECT " + columns<Post>() + " FROM post WHERE organization_id = $1 AND brand_id = $2 AND id = $3 AND deleted_at IS NULL";
    static const auto readItems = "SELECT " + columns<ContentItem>() +
                                  " FROM content_item WHERE organization_id = $1 AND brand_id = $2 AND post_id = $3 AND deleted_at IS NULL";
    Flight flight(_transaction);
    auto found = flight.one<Post>(readPost, _tenant, _brand.brandId, id);
    auto items = flight.all<ContentItem>(readItems, _tenant, _brand.brandId, id);
    if (!*found) throw Problem::notFound();
    auto post = **found;
    deriveFromItems(post, *items);
    if (isInLine(**found, post)) return post;
    // The lock of the chain keeps other writers away.
    flight.execute(
        "UPDATE post SET status = $4, scheduled_for = $5, schedule_order = $6, published_at = $7, search_text = $8, updated_at = "
        "$9, version = version + 1 WHERE organization_id = $1 AND brand_id = $2 AND id = $3",
        _tenant, _brand.brandId, id, std::string(toString(post.status)), post.scheduledFor, post.scheduleOrder, post.publishedAt,
        post.searchText, _now);
    ++post.version;
    post.updatedAt = _now;
    tell("social.post.changed", post.postId, std::nullopt);
    return post;
}

void BrandContent::insert(Post& post)
{
    postTable.insert(_transaction, _tenant, post);
    tell("social.post.changed", post.postId, std::nullopt);
}

void BrandContent::remove(const Post& post)
{
    postTable.change(_transaction, _tenant, _brand.brandId, post.postId, IfMatch(""), {_now}, [&](Post& gone) { gone.deletedAt = _now; });
    tell("social.post.changed", post.postId, std::nullopt);
}

void BrandContent::tell(std::string_view type, const std::optional<PostId>& post, const std::optional<ContentId>& item)
{
    _context.events().publish(_transaction, type, _tenant.text(), toJson(ContentNews{_brand.brandId, post, item}));
}

void BrandContent::record(const ContentItem& before, const ContentItem& after, const std::vector<AuditKind>& events,
                          std::string_view reason)
{
    auto changes = changesBetween(before, after, {"text", "mediaIds", "altTexts", "thread", "linkUrl", "settings", "scheduledFor"});
    for (const auto kind : events)
    {
        NewEvent event{kind, _brand.brandId};
        event.contentId = after.contentId;
        event.postId = after.postId;
        event.integrationId = after.integrationId;
        event.changes = std::move(changes);
        changes.clear();
        if (!reason.empty()) event.reason = reason;
        event.data = factsOf(after, kind);
        audit::record(_transaction, _tenant, _doer, event, _now);
    }
}

void BrandContent::releaseSlot(const ContentItem& before, const ContentItem& after)
{
    const bool waits = !after.deletedAt && after.publishStatus != PublishStatus::Cancelled && after.publishStatus != PublishStatus::Failed;
    if (!before.scheduledFor || (waits && after.scheduledFor == before.scheduledFor && after.integrationId == before.integrationId)) return;
    _transaction.execute("DELETE FROM taken_slot WHERE organization_id = $1 AND brand_id = $2 AND content_id = $3 AND starts_at = $4",
                         _tenant, _brand.brandId, after.contentId, *before.scheduledFor);
}

void BrandContent::checkQueue(const ContentItem& before, const ContentItem& after) const
{
    if (after.publishStatus != PublishStatus::Queued || before.publishStatus == PublishStatus::Queued) return;
    const auto queued = queueCounts(_transaction, _tenant, _brand.brandId)["queued"];
    if (queued >= maxQueued) throw Problem::conflict("conflict", "The brand has reached its limit of 10,000 queued items.");
}

void BrandContent::announce(const ContentItem& before, const ContentItem& after)
{
    tell("social.item.changed", after.postId, after.contentId);
    const bool pending = after.approvalState == ApprovalState::Pending && !after.deletedAt;
    if (pending && (before.approvalState != ApprovalState::Pending || before.revision != after.revision))
        tell("social.item.pending_approval", after.postId, after.contentId);
    if (after.publishStatus == before.publishStatus) return;
    if (after.publishStatus == PublishStatus::Published) tell("social.post.published", after.postId, after.contentId);
    if (after.publishStatus == PublishStatus::Failed) tell("social.post.failed", after.postId, after.contentId);
}

} // namespace portico::social
