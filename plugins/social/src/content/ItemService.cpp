#include "content/ItemService.h"

#include "portico/Problem.h"

#include <algorithm>

namespace portico::social
{

namespace
{
/// Returns the item in its current state: a suggestion whose time has passed is expired, even if the row is not updated yet.
ContentItem seenAt(const ContentItem& item, Instant now)
{
    const auto expired = workflow::expire(item, now);
    return expired.refusal ? item : expired.item;
}

std::vector<IntegrationId> accountOf(const ContentItem& item)
{
    return item.integrationId ? std::vector{*item.integrationId} : std::vector<IntegrationId>{};
}

Target targetOf(const ContentItem& item, const TargetAccount& account, Instant now)
{
    Target target;
    target.targetId = TargetId::make(now);
    target.contentId = item.contentId;
    target.integrationId = account.integrationId;
    target.platform = account.platform;
    target.externalId = account.externalId;
    target.displayName = account.displayName;
    target.handle = account.handle;
    target.avatarUrl = account.avatarUrl;
    target.metadata.text = "{}";
    target.overrides = TargetOverrides{};
    if (!item.altTexts.empty()) target.overrides->altTexts = item.altTexts;
    return target;
}

Post postOf(const ContentItem& item, const TargetAccount& account, const BrandContent& content)
{
    Post post;
    post.postId = PostId::make(content.now());
    post.brandId = item.brandId;
    static_cast<PostContent&>(post) = item;
    post.timeZone = content.brand().timeZone;
    post.targets = {targetOf(item, account, content.now())};
    post.source = {SourceKind::Suggestion, item.contentId, item.source.sourceItemId};
    post.createdBy = item.createdBy;
    post.createdAt = post.updatedAt = content.now();
    return post;
}
} // namespace

template <class F>
ContentItem ItemService::move(const Author& author, Tenant tenant, const BrandId& brand, const ContentId& id, const IfMatch& ifMatch,
                              const F& work) const
{
    return _tools.context.database().transact(
        [&](Transaction& transaction)
        {
            BrandContent content(_tools.context, transaction, tenant, brand, author.doer, author.rights);
            const auto before = content.item(id);
            ifMatch.require(before.version);
            auto after = work(content, seenAt(before, content.now()));
            if (after.postId) content.settle(*after.postId);
            return after;
        });
}

ContentItem ItemService::change(const Author& author, Tenant tenant, const BrandId& brand, const ContentId& id, const IfMatch& ifMatch,
                                const Patch<ItemView>& patch) const
{
    return move(author, tenant, brand, id, ifMatch,
                [&](BrandContent& content, const ContentItem& item)
                {
                    auto wanted = viewOf(item, author.rights);
                    patch.applyTo(wanted);
                    if (!wanted.settings.text.starts_with('{')) throw Problem::invalid("settings", "wrong_type", "Expected a JSON object.");
                    if (isBlank(wanted.text) && wanted.mediaIds.empty())
                        throw Problem::invalid("text", "required", "An item needs a text or a file.");
                    std::vector<FieldError> errors;
                    if (patch.has("linkUrl")) checkLink(wanted.linkUrl, "linkUrl", errors);
                    if (!errors.empty()) throw Problem::invalid(std::move(errors));
                    requireMedia(content.transaction(), content.tenant(), item.brandId, wanted.mediaIds, "mediaIds");
                    return item.kind == ContentKind::Suggestion ? changeSuggestion(content, item, wanted, patch)
                                                                : changePostItem(content, item, wanted, patch);
                });
}

ContentItem ItemService::changePostItem(BrandContent& content, const ContentItem& before, const ItemView& wanted,
                                        const Patch<ItemView>& patch) const
{
    if (wanted.integrationId != before.integrationId)
        throw Problem::invalid("integrationId", "fixed",
                               "The account of a post's item cannot change. Change the targets of the post instead.");
    const auto post = content.post(*before.postId);
    auto changed = post;
    const auto target = std::ranges::find(changed.targets, before.targetId, &Target::targetId);
    auto item = before;
    if (target != changed.targets.end())
    {
        auto& own = target->overrides.emplace(target->overrides.value_or(TargetOverrides{}));
        if (wanted.text != before.text) own.text = wanted.text;
        if (wanted.mediaIds != before.mediaIds) own.mediaIds = wanted.mediaIds;
        if (wanted.altTexts != before.altTexts) own.altTexts = wanted.altTexts;
        if (wanted.linkUrl != before.linkUrl) own.linkUrl = wanted.linkUrl;
        if (wanted.settings != before.settings) own.settings = wanted.settings;
        auto next = before;
        takeContent(next, changed, *target);
        if (!sameContent(before, next))
        {
            item = posts::editItem(_tools, content, before, std::move(next));
            content.settle(post, changed);
        }
    }
    if (patch.has("scheduledFor") && !wanted.scheduledFor && before.scheduledFor)
        return content.write(item, workflow::revertToDraft(item, content.now()));
    if (!wanted.slot && (!patch.has("scheduledFor") || wanted.scheduledFor == before.scheduledFor)) return item;
    const auto time =
        requestedTime(content, _tools.zones, wanted.slot ? std::nullopt : wanted.scheduledFor, wanted.slot.has_value(), accountOf(item));
    item = posts::scheduleItem(_tools, content, item, *time);
    if (wanted.slot) takeSlot(content, item, *time);
    return item;
}

ContentItem ItemService::changeSuggestion(BrandContent& content, const ContentItem& before, const ItemView& wanted,
                                          const Patch<ItemView>& patch) const
{
    auto item = before;
    if (wanted.integrationId != before.integrationId)
    {
        const auto account = wanted.integrationId ? accountFor(content.transaction(), content.tenant(), before.brandId, before.platform,
                                                               wanted.integrationId)
                                                  : std::nullopt;
        if (account && before.approvalState == ApprovalState::Approved) return adopt(content, before, *account);
        item.integrationId = wanted.integrationId;
    }
    auto next = item;
    static_cast<PostContent&>(next) = wanted;
    next.altTexts = wanted.altTexts;
    if (!sameContent(item, next))
        item = posts::editItem(_tools, content, before, std::move(next));
    else if (item.integrationId != before.integrationId)
        item = content.write(before, {item, {}, {}});
    if (!patch.has("scheduledFor") || wanted.scheduledFor == before.scheduledFor) return item;
    if (wanted.scheduledFor)
    {
        requireTime(*wanted.scheduledFor, content.now());
        return posts::scheduleItem(_tools, content, item, *wanted.scheduledFor);
    }
    auto cleared = item;
    cleared.scheduledFor.reset();
    return content.write(item, {workflow::settled(std::move(cleared)), {}, {}});
}

ContentItem ItemService::approve(const Author& author, Tenant tenant, const BrandId& brand, const ContentId& id, const IfMatch& ifMatch,
                                 const ApproveRequest& request) const
{
    return move(author, tenant, brand, id, ifMatch,
                [&](BrandContent& content, const ContentItem& item)
                {
                    const bool suggestion = item.kind == ContentKind::Suggestion;
                    auto before = item;
                    if (suggestion && request.integrationId) before.integrationId = request.integrationId;
                    Verdict verdict{author.rights.userId, request.comment, request.revision, {}};
                    // Problems of the state or the revision are reported before problems of the time.
                    const auto trial = workflow::approve(before, verdict, content.now());
                    if (trial.refusal) throwRefusal(item, *trial.refusal, author.rights);
                    std::optional<TargetAccount> account;
                    if (suggestion && (request.integrationId || trial.item.approvalState == ApprovalState::Approved))
                        account = accountFor(content.transaction(), content.tenant(), brand, item.platform, before.integrationId);
                    if (account) before.integrationId = account->integrationId;
                    verdict.scheduledFor =
                        requestedTime(content, _tools.zones, request.scheduledFor, request.slot.has_value(), accountOf(before));
                    const auto move = workflow::approve(before, verdict, content.now());
                    auto after = content.write(item, move, request.comment);
                    if (suggestion && after.approvalState == ApprovalState::Approved && account) after = adopt(content, after, *account);
                    if (request.slot && after.integrationId) takeSlot(content, after, *verdict.scheduledFor);
                    return after;
                });
}

ContentItem ItemService::adopt(BrandContent& content, const ContentItem& item, const TargetAccount& account) const
{
    auto post = postOf(item, account, content);
    auto owned = item;
    owned.postId = post.postId;
    owned.targetId = post.targets.front().targetId;
    owned.integrationId = account.integrationId;
    owned.valid = checkItem(_tools, content.transaction(), content.tenant(), owned, content.brand()).errors.empty();
    const auto move = workflow::adopt(owned, content.now());
    if (move.item.publishStatus == PublishStatus::Queued) posts::requireFit(_tools, content, move.item);
    const auto after = content.write(item, move);
    deriveFromItems(post, {after});
    content.insert(post);
    return after;
}

ContentItem ItemService::reject(const Author& author, Tenant tenant, const BrandId& brand, const ContentId& id, const IfMatch& ifMatch,
                                const RejectRequest& request) const
{
    return move(author, tenant, brand, id, ifMatch,
                [&](BrandContent& content, const ContentItem& item)
                {
                    const Verdict verdict{author.rights.userId, request.reason, request.revision, {}};
                    return content.write(item, workflow::reject(item, verdict, content.now()), request.reason);
                });
}

ContentItem ItemService::reschedule(const Author& author, Tenant tenant, const BrandId& brand, const ContentId& id, const IfMatch& ifMatch,
                                    const RescheduleRequest& request) const
{
    return move(author, tenant, brand, id, ifMatch,
                [&](BrandContent& content, const ContentItem& item)
                {
                    if (!request.scheduledFor && !request.slot)
                        throw Problem::invalid("scheduledFor", "required", "Send scheduledFor or slot.");
                    if (const auto trial = workflow::reschedule(item, content.now(), content.now()); trial.refusal)
                        throwRefusal(item, *trial.refusal, author.rights);
                    const auto time = requestedTime(content, _tools.zones, request.scheduledFor, request.slot.has_value(), accountOf(item));
                    posts::requireFit(_tools, content, item);
                    const auto after = content.write(item, workflow::reschedule(item, *time, content.now()));
                    if (request.slot) takeSlot(content, after, *time);
                    return after;
                });
}

ContentItem ItemService::retry(const Author& author, Tenant tenant, const BrandId& brand, const ContentId& id, const IfMatch& ifMatch,
                               bool confirmed) const
{
    return move(author, tenant, brand, id, ifMatch,
                [&](BrandContent& content, const ContentItem& item)
                { return content.write(item, workflow::retry(item, confirmed, content.now())); });
}

ContentItem ItemService::submit(const Author& author, Tenant tenant, const BrandId& brand, const ContentId& id,
                                const IfMatch& ifMatch) const
{
    return move(author, tenant, brand, id, ifMatch,
                [&](BrandContent& content, const ContentItem& item)
                {
                    const auto submitted = workflow::submit(item, content.policy(), content.now());
                    if (submitted.refusal && !item.valid && item.kind == ContentKind::Post) posts::requireFit(_tools, content, item);
                    return content.write(item, submitted);
                });
}

ContentItem ItemService::cancel(const Author& author, Tenant tenant, const BrandId& brand, const ContentId& id,
                                const IfMatch& ifMatch) const
{
    return move(author, tenant, brand, id, ifMatch,
                [&](BrandContent& content, const ContentItem& item) { return content.write(item, workflow::cancel(item, content.now())); });
}

ContentItem ItemService::markPublished(const Author& author, Tenant tenant, const BrandId& brand, const ContentId& id,
                                       const IfMatch& ifMatch, std::string_view platformUrl) const
{
    return move(author, tenant, brand, id, ifMatch,
                [&](BrandContent& content, const ContentItem& item)
                { return content.write(item, workflow::markPublished(item, platformUrl, content.now())); });
}

ContentItem ItemService::suggest(BrandContent& content, ContentItem item)
{
    item.contentId = ContentId::make(content.now());
    item.brandId = content.brand().brandId;
    item.createdAt = content.now();
    if (item.createdBy.empty()) item.createdBy = content.rights().userId;
    return content.insert(workflow::suggest(std::move(item), content.policy(), content.now()));
}

ContentItem ItemService::duplicate(const Author& author, Tenant tenant, const BrandId& brand, const ContentId& id) const
{
    return _tools.context.database().transact(
        [&](Transaction& transaction)
        {
            BrandContent content(_tools.context, transaction, tenant, brand, author.doer, author.rights);
            const auto item = seenAt(content.item(id), content.now());
            if (item.kind != ContentKind::Suggestion || !allows(item, Action::Duplicate))
                throwRefusal(item, Refusal::NotAllowed, author.rights);
            ContentItem copy;
            static_cast<PostContent&>(copy) = item;
            copy.platform = item.platform;
            copy.altTexts = item.altTexts;
            copy.valid = item.valid;
            copy.source = item.source;
            copy.sourceObservedAt = item.sourceObservedAt;
            copy.generator = item.generator;
            return suggest(content, std::move(copy));
        });
}

void ItemService::remove(const Author& author, Tenant tenant, const BrandId& brand, const ContentId& id, const IfMatch& ifMatch) const
{
    _tools.context.database().transact(
        [&](Transaction& transaction)
        {
            BrandContent content(_tools.context, transaction, tenant, brand, author.doer, author.rights);
            const auto before = content.item(id);
            ifMatch.require(before.version);
            const auto item = seenAt(before, content.now());
            if (item.kind != ContentKind::Suggestion || !allows(item, Action::Delete))
                throwRefusal(item, Refusal::NotAllowed, author.rights);
            content.write(before, workflow::remove(item, content.now()));
        });
}

void ItemService::expireSuggestions() const
{
    struct Over
    {
        std::string organization;
        BrandId brand;
        ContentId item;
    };
    std::vector<Over> over;
    {
        auto session = _tools.context.database().session();
        for (const auto& row : session.query(
                 "SELECT organization_id, brand_id, id FROM content_item WHERE kind = 'suggestion' AND approval_state = 'pending' "
                 "AND expires_at <= $1 AND deleted_at IS NULL ORDER BY expires_at LIMIT 1000",
                 _tools.context.clock().now()))
            over.push_back({row.get<std::string>(0), row.get<BrandId>(1), row.get<ContentId>(2)});
    }
    for (const auto& one : over)
        _tools.context.database().transact(
            [&](Transaction& transaction)
            {
                const auto tenant = Tenant::fromStored(one.organization);
                if (!brandTable.exists(transaction, tenant, one.brand)) return;
                BrandContent content(_tools.context, transaction, tenant, one.brand, Doer::system());
                const auto item = itemTable.find(transaction, tenant, one.brand, one.item);
                if (!item) return;
                if (const auto expired = workflow::expire(*item, content.now()); !expired.refusal) content.write(*item, expired);
            });
}

} // namespace portico::social
