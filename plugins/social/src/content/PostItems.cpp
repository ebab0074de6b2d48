#include "content/PostService.h"

#include "portico/Problem.h"

#include <algorithm>

namespace portico::social::posts
{

void requireFit(const ContentTools& tools, const BrandContent& content, const ContentItem& item)
{
    auto check = checkItem(tools, content.transaction(), content.tenant(), item, content.brand());
    if (!check.errors.empty()) throw Problem::invalid(std::move(check.errors));
}

std::vector<ContentItem> addItems(const ContentTools& tools, BrandContent& content, Post& post, std::optional<Instant> time)
{
    std::vector<ContentItem> made;
    std::vector<FieldError> errors;
    for (std::size_t i = 0; i < post.targets.size(); ++i)
    {
        auto& target = post.targets[i];
        if (target.contentId) continue;
        ContentItem item;
        item.contentId = ContentId::make(content.now());
        item.brandId = post.brandId;
        item.postId = post.postId;
        target.targetId = item.targetId = target.targetId ? target.targetId : TargetId::make(content.now());
        target.contentId = item.contentId;
        item.integrationId = target.integrationId;
        item.platform = target.platform;
        item.source = post.source;
        item.createdBy = content.rights().userId;
        item.createdAt = content.now();
        takeContent(item, post, target);
        auto check = checkItem(tools, content.transaction(), content.tenant(), item, content.brand());
        item.valid = check.errors.empty();
        if (time)
            for (auto& error : check.errors)
            {
                const bool own = target.overrides && target.overrides->text && error.field == "text";
                if (own) error.field = "targets[" + std::to_string(i) + "].overrides.text";
                errors.push_back(std::move(error));
            }
        made.push_back(std::move(item));
    }
    if (!errors.empty()) throw Problem::invalid(std::move(errors));
    for (auto& item : made) item = content.insert(workflow::create(item, content.policy(), time, content.now()));
    return made;
}

ContentItem editItem(const ContentTools& tools, BrandContent& content, const ContentItem& before, ContentItem after)
{
    after.valid = checkItem(tools, content.transaction(), content.tenant(), after, content.brand()).errors.empty();
    const auto move = workflow::edit(before, std::move(after), content.policy(), content.rights().userId, content.now());
    if (!move.refusal && !move.item.valid &&
        (move.item.publishStatus != PublishStatus::None || move.item.approvalState == ApprovalState::Pending))
        requireFit(tools, content, move.item);
    return content.write(before, move);
}

ContentItem scheduleItem(const ContentTools& tools, BrandContent& content, const ContentItem& item, Instant time)
{
    if (item.scheduledFor == time && (item.publishStatus == PublishStatus::Queued || item.approvalState == ApprovalState::Pending))
        return item;
    if (item.kind == ContentKind::Post && item.publishStatus == PublishStatus::None) requireFit(tools, content, item);
    return content.write(item, workflow::schedule(item, content.policy(), time, content.now()));
}

} // namespace portico::social::posts
