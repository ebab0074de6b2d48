#include "content/MediaRefs.h"

#include "content/BrandContent.h"
#include "media/MediaCopies.h"

#include "portico/Problem.h"

#include <algorithm>
#include <stdexcept>

namespace portico::social
{

void requireMedia(Session& session, Tenant tenant, const BrandId& brand, const std::vector<MediaId>& ids, const std::string& field)
{
    for (std::size_t i = 0; i < ids.size(); ++i)
    {
        const auto media = mediaTable.find(session, tenant, brand, ids[i]);
        const auto place = field + "[" + std::to_string(i) + "]";
        if (!media) throw Problem::invalid(place, "unknown_media", "The brand has no such file.");
        if (media->status != MediaStatus::Ready) throw Problem::invalid(place, "media_not_ready", "The file is not ready.");
    }
}

bool addFiles(Session& session, Tenant tenant, const ContentItem& item, const MediaLinks* links, Instant now, Publication& publication)
{
    bool complete = true;
    const auto filesOf = [&](const std::vector<MediaId>& ids)
    {
        std::vector<PublishedFile> files;
        for (const auto& id : ids)
        {
            const auto media = mediaTable.find(session, tenant, item.brandId, id);
            if (!media || media->status != MediaStatus::Ready)
            {
                complete = false;
                continue;
            }
            const auto own = item.altTexts.find(id.text());
            files.push_back(
                {id, std::string(toString(media->kind)), media->contentType, media->size, media->width.value_or(0),
                 media->height.value_or(0), own == item.altTexts.end() ? media->altText : own->second, media->publishKey,
                 links == nullptr ? std::string() : links->fetchUrl(id, "publish", media->publishKey, media->contentType, now)});
        }
        return files;
    };
    if (publication.parts.size() != item.thread.size() + 1) throw std::logic_error("the publication is not of this item");
    publication.parts.front().files = filesOf(item.mediaIds);
    for (std::size_t i = 0; i < item.thread.size(); ++i) publication.parts[i + 1].files = filesOf(item.thread[i].mediaIds);
    return complete;
}

bool expectCopies(Session& session, Tenant tenant, const BrandId& brand, const NetworkLimits& limits, Publication& publication)
{
    bool any = false;
    for (auto& part : publication.parts)
        for (auto& file : part.files)
        {
            const auto wanted = copyNeeded(file, limits);
            if (!wanted) continue;
            const auto copy = MediaCopies::find(session, tenant, brand, file.mediaId, variantOf(*wanted));
            const auto media = mediaTable.find(session, tenant, brand, file.mediaId);
            if (copy ? !copy->fault.empty() : !media || media->thumbnailFault) continue;
            file.contentType = copy ? copy->contentType : wanted->types.front();
            file.size = copy ? copy->size : std::min(file.size, wanted->bytes);
            if (wanted->pixels > 0 && file.width * file.height > wanted->pixels) file.width = file.height = 1;
            any = true;
        }
    return any;
}

namespace
{
/// Returns a pattern that finds an id in the JSON of lists and maps, where it is a whole string. An underscore in it matches itself, too.
std::string jsonPattern(const MediaId& id) { return "%\"" + id.text() + "\"%"; }
} // namespace

std::int64_t itemsWithMedia(Session& session, Tenant tenant, const BrandId& brand, const MediaId& id)
{
    const auto pattern = jsonPattern(id);
    const auto items = session.value<std::int64_t>(
        "SELECT count(*) FROM content_item WHERE organization_id = $1 AND brand_id = $2 AND deleted_at IS NULL AND publish_status NOT IN "
        "('published', 'cancelled') AND (media_ids LIKE $3 OR thread LIKE $3)",
        tenant, brand, pattern);
    if (*items > 0) return *items;
    return *session.value<std::int64_t>("SELECT count(*) FROM post WHERE organization_id = $1 AND brand_id = $2 AND deleted_at IS NULL AND "
                                        "status NOT IN ('published', 'cancelled') AND (media_ids LIKE $3 OR thread LIKE $3)",
                                        tenant, brand, pattern);
}

namespace
{
/// Returns the items that wait for approval or are approved, and are going to be published with the alternative text of a file.
std::vector<ContentItem> itemsShowing(Session& session, Tenant tenant, const BrandId& brand, const MediaId& id)
{
    const auto pattern = jsonPattern(id);
    return itemTable.select(tenant)
        .where(&ContentItem::brandId, brand)
        .whereIn(&ContentItem::approvalState, std::vector{ApprovalState::Pending, ApprovalState::Approved})
        .where("publish_status NOT IN ('published', 'cancelled') AND (media_ids LIKE ? OR thread LIKE ?) AND alt_texts NOT LIKE ?", pattern,
               pattern, pattern)
        .all(session);
}

bool isApprovedOnce(const ContentItem& item) { return item.approvalState == ApprovalState::Approved || !item.approvals.empty(); }
} // namespace

bool isApprovedWithMedia(Session& session, Tenant tenant, const BrandId& brand, const MediaId& id)
{
    return std::ranges::any_of(itemsShowing(session, tenant, brand, id), isApprovedOnce);
}

void reviseItemsWithMedia(PluginContext& context, Transaction& transaction, Tenant tenant, const BrandId& brand, const MediaId& id,
                          const Doer& doer)
{
    BrandContent content(context, transaction, tenant, brand, doer);
    for (const auto& item : itemsShowing(transaction, tenant, brand, id))
    {
        if (isApprovedOnce(item)) continue;
        const auto after = content.write(item, workflow::edit(item, item, content.policy(), doer.actor.id, content.now()),
                                         "The alternative text of a file was changed.");
        if (after.postId) content.settle(*after.postId);
    }
}

} // namespace portico::social
