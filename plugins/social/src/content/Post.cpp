#include "content/Post.h"

#include "portico/Json.h"
#include "portico/Text.h"

#include <algorithm>

namespace portico::social
{

bool isNextSlot(std::string_view text) { return text == "next"; }

PostStatus postStatusOf(const std::vector<ContentItem>& items)
{
    std::vector<const ContentItem*> live;
    for (const auto& item : items)
        if (item.publishStatus != PublishStatus::Cancelled) live.push_back(&item);
    if (live.empty()) return items.empty() ? PostStatus::Draft : PostStatus::Cancelled;
    const auto any = [&](auto... states)
    { return std::ranges::any_of(live, [&](const ContentItem* item) { return ((item->publishStatus == states) || ...); }); };
    const auto all = [&](PublishStatus state)
    { return std::ranges::all_of(live, [&](const ContentItem* item) { return item->publishStatus == state; }); };
    using enum PublishStatus;
    if (any(Publishing, Retrying, Verifying) || (any(Published) && any(Queued))) return PostStatus::Publishing;
    if (all(Published)) return PostStatus::Published;
    if (any(Published)) return PostStatus::PartiallyPublished;
    if (any(Failed)) return PostStatus::Failed;
    if (any(Queued)) return PostStatus::Scheduled;
    const bool pending = std::ranges::any_of(live, [](const ContentItem* item) { return item->approvalState == ApprovalState::Pending; });
    return pending ? PostStatus::PendingApproval : PostStatus::Draft;
}

void deriveFromItems(Post& post, const std::vector<ContentItem>& items)
{
    post.status = postStatusOf(items);
    post.scheduledFor.reset();
    post.publishedAt.reset();
    for (const auto& item : items)
    {
        if (item.publishStatus != PublishStatus::Cancelled && item.scheduledFor &&
            (!post.scheduledFor || *item.scheduledFor < *post.scheduledFor))
            post.scheduledFor = item.scheduledFor;
        if (item.publishedAt && (!post.publishedAt || *item.publishedAt < *post.publishedAt)) post.publishedAt = item.publishedAt;
    }
    post.scheduleOrder = post.scheduledFor.value_or(withoutTime);
    post.searchText = fold(post.title + '\n' + post.text);
    post.contentIds.clear();
    for (const auto& target : post.targets)
        if (target.contentId) post.contentIds.push_back(*target.contentId);
}

std::string mergedObject(const std::string& base, const std::string& over)
{
    using Members = std::map<std::string, Json>;
    auto merged = fromStoredJson<Members>(base);
    for (auto& [name, value] : fromStoredJson<Members>(over))
    {
        if (value.text == "null")
            merged.erase(name);
        else
            merged[name] = value;
    }
    return toJson(merged);
}

void takeContent(ContentItem& item, const Post& post, const Target& target)
{
    const auto own = target.overrides.value_or(TargetOverrides{});
    item.text = own.text.value_or(post.text);
    item.mediaIds = own.mediaIds.value_or(post.mediaIds);
    item.altTexts = own.altTexts.value_or(std::map<std::string, std::string>{});
    item.thread = post.thread;
    item.linkUrl = own.linkUrl.value_or(post.linkUrl);
    item.settings.text = own.settings.text == "null" ? post.settings.text : mergedObject(post.settings.text, own.settings.text);
}

bool sameContent(const ContentItem& one, const ContentItem& other)
{
    return one.text == other.text && one.mediaIds == other.mediaIds && one.altTexts == other.altTexts && one.thread == other.thread &&
           one.linkUrl == other.linkUrl && one.settings == other.settings && one.integrationId == other.integrationId;
}

} // namespace portico::social
