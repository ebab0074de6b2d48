#include "content/PostService.h"

#include "portico/Problem.h"

#include <algorithm>
#include <set>

namespace portico::social
{

namespace
{
std::vector<IntegrationId> accountsOf(const std::vector<Target>& targets)
{
    std::vector<IntegrationId> accounts;
    for (const auto& target : targets)
        if (std::ranges::find(accounts, target.integrationId) == accounts.end()) accounts.push_back(target.integrationId);
    return accounts;
}

std::string pathOf(std::size_t target) { return "targets[" + std::to_string(target) + "]"; }

void checkWhole(const Post& post, std::vector<FieldError>& errors)
{
    if (post.targets.empty()) errors.push_back({"targets", "too_few_values", "A post needs 1 to 50 targets."});
    if (!post.settings.text.starts_with('{')) errors.push_back({"settings", "wrong_type", "Expected a JSON object."});
    std::set<std::pair<std::string, std::string>> places;
    for (std::size_t i = 0; i < post.targets.size(); ++i)
    {
        const auto& target = post.targets[i];
        if (!places.emplace(target.integrationId.text(), target.externalId).second)
            errors.push_back({pathOf(i), "duplicate_target", "The post has the same account or page twice."});
    }
    const auto empty = [&](const Target& target)
    {
        ContentItem item;
        takeContent(item, post, target);
        return isBlank(item.text) && item.mediaIds.empty();
    };
    if (post.targets.empty() ? isBlank(post.text) && post.mediaIds.empty() : std::ranges::any_of(post.targets, empty))
        errors.push_back({"text", "required", "A post needs a text or a file."});
    for (std::size_t i = 0; i < post.thread.size(); ++i)
        if (isBlank(post.thread[i].text) && post.thread[i].mediaIds.empty())
            errors.push_back({"thread[" + std::to_string(i) + "].text", "required", "Each part of a thread needs a text or a file."});
}

void checkLinks(const Post& post, std::vector<FieldError>& errors)
{
    checkLink(post.linkUrl, "linkUrl", errors);
    for (std::size_t i = 0; i < post.targets.size(); ++i)
        if (const auto& own = post.targets[i].overrides; own && own->linkUrl)
            checkLink(*own->linkUrl, pathOf(i) + ".overrides.linkUrl", errors);
}

void raise(std::vector<FieldError> errors)
{
    if (!errors.empty()) throw Problem::invalid(std::move(errors));
}

void requireZone(const ContentTools& tools, Post& post, const Brand& brand)
{
    if (post.timeZone.empty()) post.timeZone = brand.timeZone;
    tools.zones.require(post.timeZone, "timeZone");
}

/// Builds a new post from a request, with targets filled in from their accounts. Problems of targets are added to `faults`.
Post drafted(const ContentTools& tools, const BrandContent& content, const Post& input, std::vector<std::vector<FieldError>>& faults)
{
    Post post = input;
    post.postId = PostId::make(content.now());
    post.brandId = content.brand().brandId;
    post.createdAt = post.updatedAt = content.now();
    post.createdBy = content.rights().userId;
    post.version = 1;
    post.status = PostStatus::Draft;
    requireZone(tools, post, content.brand());
    faults.resize(post.targets.size());
    for (std::size_t i = 0; i < post.targets.size(); ++i)
    {
        auto& target = post.targets[i];
        target.targetId.reset();
        target.contentId.reset();
        resolveTarget(content.transaction(), content.tenant(), post.brandId, target, pathOf(i), faults[i]);
    }
    std::vector<FieldError> whole;
    checkWhole(post, whole);
    raise(std::move(whole));
    requireMedia(content.transaction(), content.tenant(), post.brandId, post);
    return post;
}

bool isWaiting(const ContentItem& item)
{
    return item.publishStatus == PublishStatus::Queued ||
           (item.publishStatus == PublishStatus::None && item.approvalState == ApprovalState::Pending && item.scheduledFor);
}

bool isDone(const ContentItem& item)
{
    return item.publishStatus == PublishStatus::Published || item.publishStatus == PublishStatus::Cancelled;
}

void requireNotUnderWay(const BrandContent& content, const std::vector<ContentItem>& items)
{
    for (const auto& item : items)
        if (item.publishStatus == PublishStatus::Publishing || item.publishStatus == PublishStatus::Verifying)
            throwRefusal(item, Refusal::Publishing, content.rights());
}

/// Warnings about the items of a post that wait for their time.
std::vector<Warning> warningsOf(const BrandContent& content, const std::vector<ContentItem>& items)
{
    std::vector<Warning> warnings;
    for (const auto& item : items)
        if (isWaiting(item))
            for (auto& warning : warningsOf(content.transaction(), content.tenant(), item, item.scheduledFor))
                warnings.push_back(std::move(warning));
    return warnings;
}

/// Matches the targets of a request with the stored ones by their ids, so that absent members keep their values.
void keepTargets(const BrandContent& content, const Post& before, Post& after)
{
    std::vector<FieldError> errors;
    for (std::size_t i = 0; i < after.targets.size(); ++i)
    {
        auto& target = after.targets[i];
        const auto stored = std::ranges::find(before.targets, target.targetId, &Target::targetId);
        bool same = false;
        if (target.targetId && stored != before.targets.end())
        {
            if (target.integrationId.empty()) target.integrationId = stored->integrationId;
            if (target.externalId.empty() && target.integrationId == stored->integrationId)
            {
                target.externalId = stored->externalId;
                target.targetType = stored->targetType;
            }
            target.contentId = stored->contentId;
            if (target.metadata.text == "null")
                target.metadata = stored->metadata;
            else if (target.metadata != stored->metadata && target.metadata.text.starts_with('{'))
                target.metadata.text = mergedObject(stored->metadata.text, target.metadata.text);
            if (!target.overrides) target.overrides = stored->overrides;
            same = target.integrationId == stored->integrationId && target.externalId == stored->externalId;
            if (same)
            {
                target.platform = stored->platform;
                target.displayName = stored->displayName;
                target.handle = stored->handle;
                target.avatarUrl = stored->avatarUrl;
            }
        }
        else
        {
            target.targetId.reset();
            target.contentId.reset();
        }
        // A kept target may have a removed account; it only cannot be published.
        if (same)
            checkTarget(target, pathOf(i), errors);
        else
            resolveTarget(content.transaction(), content.tenant(), before.brandId, target, pathOf(i), errors);
    }
    raise(std::move(errors));
}
} // namespace

Post PostService::create(const Author& author, Tenant tenant, const BrandId& brand, const Post& input) const
{
    return _tools.context.database().transact(
        [&](Transaction& transaction)
        {
            BrandContent content(_tools.context, transaction, tenant, brand, author.doer, author.rights);
            std::vector<std::vector<FieldError>> faults;
            auto post = drafted(_tools, content, input, faults);
            std::vector<FieldError> all;
            for (auto& some : faults) all.insert(all.end(), some.begin(), some.end());
            checkLinks(post, all);
            raise(std::move(all));
            const auto time = requestedTime(content, _tools.zones, input.scheduledFor, input.slot.has_value(), accountsOf(post.targets));
            const auto items = posts::addItems(_tools, content, post, time);
            std::vector<Warning> warnings;
            for (const auto& item : items)
            {
                if (input.slot) takeSlot(content, item, *time);
                for (auto& warning : warningsOf(transaction, tenant, item, time)) warnings.push_back(std::move(warning));
            }
            deriveFromItems(post, items);
            content.insert(post);
            post.slot.reset();
            post.warnings = std::move(warnings);
            return post;
        });
}

PostDryRun PostService::check(const Author& author, Tenant tenant, const BrandId& brand, const Post& input) const
{
    // A transaction that is never committed, so that all of it is judged as `create` judges it.
    auto transaction = _tools.context.database().begin();
    BrandContent content(_tools.context, transaction, tenant, brand, author.doer, author.rights);
    std::vector<std::vector<FieldError>> faults;
    const auto post = drafted(_tools, content, input, faults);
    PostDryRun run;
    const bool known = std::ranges::all_of(faults, &std::vector<FieldError>::empty);
    if (known || !input.slot)
        run.scheduledFor = requestedTime(content, _tools.zones, input.scheduledFor, input.slot.has_value(), accountsOf(post.targets));
    for (std::size_t i = 0; i < post.targets.size(); ++i)
    {
        TargetCheck checked;
        checked.targetId = input.targets[i].targetId;
        checked.integrationId = post.targets[i].integrationId;
        checked.errors = faults[i];
        if (faults[i].empty())
        {
            ContentItem item;
            item.brandId = brand;
            item.integrationId = post.targets[i].integrationId;
            item.platform = post.targets[i].platform;
            takeContent(item, post, post.targets[i]);
            auto found = checkItem(_tools, content.transaction(), content.tenant(), item, content.brand());
            checked.platform = item.platform;
            checked.errors = std::move(found.errors);
            checked.warnings = warningsOf(transaction, tenant, item, run.scheduledFor);
            std::ranges::move(found.warnings, std::back_inserter(checked.warnings));
            checked.length = found.length;
            checked.limit = found.limit;
            checked.preview = std::move(found.preview);
        }
        run.valid = run.valid && checked.errors.empty();
        run.targets.push_back(std::move(checked));
    }
    return run;
}

Post PostService::change(const Author& author, Tenant tenant, const BrandId& brand, const PostId& id, const IfMatch& ifMatch,
                         const Patch<Post>& patch) const
{
    return _tools.context.database().transact(
        [&](Transaction& transaction)
        {
            BrandContent content(_tools.context, transaction, tenant, brand, author.doer, author.rights);
            const auto before = content.post(id);
            ifMatch.require(before.version);
            auto items = content.itemsOf(before);
            requireNotUnderWay(content, items);
            auto after = before;
            patch.applyTo(after);
            if (after.brandId != before.brandId) throw Problem::invalid("brandId", "fixed", "A post cannot be moved to another brand.");
            const bool draft = patch.has("status") && after.status == PostStatus::Draft && before.status != PostStatus::Draft;
            const bool cleared = patch.has("scheduledFor") && !after.scheduledFor && before.scheduledFor;
            const bool timed =
                !draft && !cleared && (after.slot || (patch.has("scheduledFor") && after.scheduledFor != before.scheduledFor));
            const auto wanted = after.scheduledFor;
            const bool slot = after.slot.has_value();
            after.slot.reset();
            after.status = before.status;
            after.scheduledFor = before.scheduledFor;
            if (patch.has("targets")) keepTargets(content, before, after);
            requireZone(_tools, after, content.brand());
            std::vector<FieldError> errors;
            checkWhole(after, errors);
            if (patch.has("linkUrl") || patch.has("targets")) checkLinks(after, errors);
            raise(std::move(errors));
            requireMedia(transaction, tenant, brand, after);

            bool edits = false, edited = false;
            std::optional<Instant> common;
            for (auto& item : items)
            {
                const auto target = std::ranges::find(after.targets, item.targetId, &Target::targetId);
                if (target == after.targets.end())
                {
                    if (item.publishStatus == PublishStatus::Published) throwRefusal(item, Refusal::NotAllowed, author.rights);
                    content.write(item, workflow::remove(item, content.now()));
                    continue;
                }
                auto next = item;
                takeContent(next, after, *target);
                next.integrationId = target->integrationId;
                next.platform = target->platform;
                if (!sameContent(item, next))
                {
                    edits = true;
                    if (!isDone(item))
                    {
                        item = posts::editItem(_tools, content, item, std::move(next));
                        edited = true;
                    }
                }
                if (isWaiting(item) && *item.scheduledFor >= content.now()) common = item.scheduledFor;
            }
            if (edits && !edited) throwRefusal(items.front(), Refusal::NotAllowed, author.rights);
            posts::addItems(_tools, content, after, draft || cleared || timed ? std::nullopt : common);

            items = content.itemsOf(after);
            if (draft || cleared)
            {
                if (std::ranges::all_of(items, isDone)) throwRefusal(items.front(), Refusal::NotAllowed, author.rights);
                for (const auto& item : items)
                    if (!isDone(item) && (item.publishStatus != PublishStatus::None || item.scheduledFor ||
                                          item.approvalState == ApprovalState::Pending || item.approvalState == ApprovalState::Rejected))
                        content.write(item, workflow::revertToDraft(item, content.now()));
            }
            else if (timed)
            {
                const auto time = requestedTime(content, _tools.zones, slot ? std::nullopt : wanted, slot, accountsOf(after.targets));
                bool any = false;
                for (const auto& item : items)
                {
                    if (isDone(item)) continue;
                    const auto scheduled = posts::scheduleItem(_tools, content, item, *time);
                    if (slot) takeSlot(content, scheduled, *time);
                    any = true;
                }
                if (!any) throwRefusal(items.front(), Refusal::NotAllowed, author.rights);
            }
            auto changed = content.settle(before, std::move(after));
            if (timed) changed.warnings = warningsOf(content, content.itemsOf(changed));
            return changed;
        });
}

void PostService::removeAtNetworks(Tenant tenant, const BrandId& brand, const PostId& id, const IfMatch& ifMatch) const
{
    std::vector<ContentItem> items;
    {
        auto session = _tools.context.database().session();
        ifMatch.require(postTable.require(session, tenant, brand, id).version);
        items = itemTable.select(tenant).where(&ContentItem::brandId, brand).where(&ContentItem::postId, id).all(session);
    }
    for (const auto& item : items)
    {
        if (item.publishStatus != PublishStatus::Published || !item.result) continue;
        auto* network = _tools.networks.find(item.platform);
        // Networks that do not allow applications to delete posts keep their copy.
        if (network == nullptr || !network->canRemove()) continue;
        const auto opened = item.integrationId ? _tools.accounts.fresh(tenant, brand, *item.integrationId) : OpenedAccount{};
        if (opened.state != OpenedAccount::State::Ready)
            throw Problem::conflict("conflict", "Reconnect the account of the published post, or delete the post at its network.");
        std::vector<StepResult> published{{item.result->platformPostId, item.result->platformUrl, {}}};
        for (const auto& part : item.result->parts)
            if (part.platformPostId != item.result->platformPostId) published.push_back({part.platformPostId, part.platformUrl, {}});
        // Deletes the last part of a thread first.
        for (auto part = published.rbegin(); part != published.rend(); ++part)
            if (const auto outcome = network->remove(opened.account, *part); outcome.kind != StepOutcome::Kind::Done)
                throw Problem::conflict("conflict", "The post was not deleted at " + std::string(toString(item.platform)) + ": " +
                                                        (outcome.message.empty() ? "the network did not answer." : outcome.message));
    }
}

void PostService::remove(const Author& author, Tenant tenant, const BrandId& brand, const PostId& id, const IfMatch& ifMatch,
                         bool remote) const
{
    if (remote) removeAtNetworks(tenant, brand, id, ifMatch);
    _tools.context.database().transact(
        [&](Transaction& transaction)
        {
            BrandContent content(_tools.context, transaction, tenant, brand, author.doer, author.rights);
            const auto post = content.post(id);
            ifMatch.require(post.version);
            for (const auto& item : content.itemsOf(post)) content.write(item, workflow::remove(item, content.now()));
            content.remove(post);
        });
}

Post PostService::publish(const Author& author, Tenant tenant, const BrandId& brand, const PostId& id, const IfMatch& ifMatch) const
{
    return _tools.context.database().transact(
        [&](Transaction& transaction)
        {
            BrandContent content(_tools.context, transaction, tenant, brand, author.doer, author.rights);
            const auto post = content.post(id);
            ifMatch.require(post.version);
            const auto items = content.itemsOf(post);
            requireNotUnderWay(content, items);
            bool any = false;
            for (const auto& item : items)
            {
                if (!allows(item, Action::PublishNow)) continue;
                posts::requireFit(_tools, content, item);
                content.write(item, workflow::publishNow(item, content.now()));
                any = true;
            }
            if (!any) throwRefusal(items.front(), Refusal::NotAllowed, author.rights);
            return content.settle(post, post);
        });
}

Post PostService::duplicate(const Author& author, Tenant tenant, const BrandId& brand, const PostId& id,
                            const std::optional<std::vector<Target>>& targets) const
{
    Post copy;
    {
        auto session = _tools.context.database().session();
        const auto post = postTable.require(session, tenant, brand, id);
        static_cast<PostContent&>(copy) = post;
        copy.title = post.title;
        copy.timeZone = post.timeZone;
        copy.targets = targets.value_or(post.targets);
        copy.labels = post.labels;
        copy.source = post.source;
    }
    return create(author, tenant, brand, copy);
}

} // namespace portico::social
