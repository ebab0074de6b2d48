#include "content/Publications.h"

#include "portico/Flight.h"

#include <algorithm>
#include <utility>

namespace portico::social
{

namespace
{
PublishAttempt lastAttempt(Transaction& transaction, Tenant tenant, const ContentItem& item)
{
    return attemptTable.require(transaction, tenant, item.brandId, item.contentId, item.totalAttempts);
}

/// An item, and whether another item of its account is being published now.
std::pair<std::optional<ContentItem>, bool> itemAndRival(Transaction& transaction, Tenant tenant, const BrandId& brand, const ContentId& id,
                                                         Instant now)
{
    static const auto sql = "SELECT " + columns<ContentItem>() +
                            " FROM content_item WHERE organization_id = $1 AND brand_id = $2 AND id = $3 AND deleted_at IS NULL";
    Flight flight(transaction);
    auto item = flight.one<ContentItem>(sql, tenant, brand, id);
    auto rival = flight.value<std::int64_t>(
        "SELECT 1 FROM content_item WHERE organization_id = $1 AND brand_id = $2 AND integration_id = (SELECT integration_id FROM "
        "content_item WHERE organization_id = $1 AND brand_id = $2 AND id = $3) AND id <> $3 AND leased_until > $4 AND deleted_at IS NULL "
        "LIMIT 1",
        tenant, brand, id, now);
    return {std::move(*item), rival->has_value()};
}

ContentItem leased(ContentItem item, std::string_view worker, Instant until)
{
    item.leasedBy = worker;
    item.leasedUntil = until;
    return workflow::settled(std::move(item));
}
} // namespace

std::vector<DueItem> Publications::due(Session& session, Instant now, std::int64_t most) const
{
    std::vector<DueItem> found;
    for (const auto& row :
         session.query("SELECT organization_id, brand_id, id, integration_id, platform, publish_status, due_at, schedule_order "
                       "FROM content_item WHERE due_at IS NOT NULL AND due_at <= $1 ORDER BY due_at LIMIT $2",
                       now, most))
        found.push_back({row.get<std::string>(0), row.get<BrandId>(1), row.get<ContentId>(2), row.get<std::optional<IntegrationId>>(3),
                         *parseEnum<Platform>(row.text(4)), *parseEnum<PublishStatus>(row.text(5)), row.get<Instant>(6),
                         row.get<Instant>(7)});
    return found;
}

std::int64_t Publications::overdue(Session& session, Instant now, std::chrono::seconds late) const
{
    return *session.value<std::int64_t>("SELECT count(*) FROM content_item WHERE due_at IS NOT NULL AND due_at <= $1", now - late);
}

std::optional<Lease> Publications::take(Transaction& transaction, Tenant tenant, const BrandId& brand, const ContentId& id,
                                        std::string_view worker, std::chrono::seconds lease) const
{
    BrandContent content(_context, transaction, tenant, brand, Doer::system());
    const auto now = content.now();
    const auto [found, hasRival] = itemAndRival(transaction, tenant, brand, id, now);
    if (!found || !found->dueAt || *found->dueAt > now || hasRival) return std::nullopt;
    const auto until = now + lease;
    if (found->publishStatus == PublishStatus::Publishing || found->publishStatus == PublishStatus::Verifying)
    {
        const auto item = content.write(*found, {leased(*found, worker, until), {}, {}});
        const auto work = found->publishStatus == PublishStatus::Verifying ? Lease::Work::Verify : Lease::Work::Resume;
        return Lease{work, item, lastAttempt(transaction, tenant, item), content.brand()};
    }
    auto move = workflow::begin(*found, std::chrono::minutes(content.brand().latePublishGraceMinutes), now);
    if (move.refusal) return std::nullopt;
    if (move.item.publishStatus == PublishStatus::Failed)
    {
        content.write(*found, move);
        content.settle(*found->postId);
        return std::nullopt;
    }
    move.item = leased(std::move(move.item), worker, until);
    const auto item = content.write(*found, move);
    content.settle(*item.postId);
    PublishAttempt attempt;
    attempt.attemptId = AttemptId::make(now);
    attempt.brandId = brand;
    attempt.contentId = id;
    attempt.postId = *item.postId;
    attempt.number = item.totalAttempts;
    attempt.trigger = found->publishStatus == PublishStatus::Retrying ? Trigger::Retry : item.nextTrigger;
    attempt.startedAt = now;
    Flight(transaction).insert(attemptTable.name(), attempt, {"organization_id"}, tenant);
    return Lease{Lease::Work::Publish, item, attempt, content.brand()};
}

template <class F>
bool Publications::held(Transaction& transaction, const Held& held, const F& work) const
{
    BrandContent content(_context, transaction, held.tenant, held.brandId, Doer::system());
    const auto item = itemTable.find(transaction, held.tenant, held.brandId, held.contentId);
    if (!item || item->leasedBy != held.worker) return false;
    return work(content, *item);
}

void Publications::endOtherLeases(Transaction& transaction, std::string_view process) const
{
    transaction.execute("UPDATE content_item SET leased_until = $1, due_at = $1 WHERE leased_by <> '' AND leased_by NOT LIKE $2"
                        " AND due_at IS NOT NULL",
                        _context.clock().now(), std::string(process) + "%");
}

bool Publications::renew(Transaction& transaction, const Held& held, std::chrono::seconds lease) const
{
    const auto until = _context.clock().now() + lease;
    return transaction.execute(
               "UPDATE content_item SET leased_until = $5, due_at = $5 WHERE organization_id = $1 AND brand_id = $2 AND id = $3 "
               "AND leased_by = $4 AND deleted_at IS NULL",
               held.tenant, held.brandId, held.contentId, held.worker, until) == 1;
}

bool Publications::giveBack(Transaction& transaction, const Held& held) const
{
    return transaction.execute("UPDATE content_item SET leased_until = $5, due_at = $5, leased_by = '' WHERE organization_id = $1 AND "
                               "brand_id = $2 AND id = $3 AND leased_by = $4 AND deleted_at IS NULL",
                               held.tenant, held.brandId, held.contentId, held.worker, _context.clock().now()) == 1;
}

void Publications::giveBackAll(Transaction& transaction, std::string_view workers) const
{
    transaction.execute("UPDATE content_item SET leased_until = $1, due_at = $1, leased_by = '' WHERE leased_by LIKE $2 AND due_at IS NOT "
                        "NULL AND deleted_at IS NULL",
                        _context.clock().now(), std::string(workers) + "%");
}

bool Publications::saveProgress(Transaction& transaction, const Held& held, std::string_view json) const
{
    return transaction.execute("UPDATE content_item SET progress = $5 WHERE organization_id = $1 AND brand_id = $2 AND id = $3 AND "
                               "leased_by = $4 AND deleted_at IS NULL",
                               held.tenant, held.brandId, held.contentId, held.worker, json) == 1;
}

InFlight<std::int64_t> Publications::beginStep(Transaction& transaction, const Held& held, std::chrono::seconds lease,
                                               std::string_view json) const
{
    return Flight(transaction)
        .execute("UPDATE content_item SET leased_until = $5, due_at = $5, progress = $6 WHERE organization_id = $1 AND brand_id = $2 AND "
                 "id = $3 AND leased_by = $4 AND deleted_at IS NULL",
                 held.tenant, held.brandId, held.contentId, held.worker, _context.clock().now() + lease, json);
}

bool Publications::finish(Transaction& transaction, const Held& held, const Move& move, const AttemptEnd& end, AttemptOutcome outcome) const
{
    // A text that is not known stays as it was.
    Flight(transaction)
        .execute("UPDATE publish_attempt SET finished_at = $5, outcome = $6, http_status = coalesce($7, http_status), platform_code = "
                 "coalesce(nullif($8, ''), platform_code), message = coalesce(nullif($9, ''), message), request_digest = "
                 "coalesce(nullif($10, ''), "
                 "request_digest), next_attempt_at = $11 WHERE organization_id = $1 AND brand_id = $2 AND content_id = $3 AND number = $4",
                 held.tenant, held.brandId, held.contentId, move.item.totalAttempts, _context.clock().now(), std::string(toString(outcome)),
                 end.httpStatus, end.platformCode, end.message, end.requestDigest, move.item.nextAttemptAt);
    return true;
}

bool Publications::succeed(Transaction& transaction, const Held& lease, PublishResult result, const AttemptEnd& end) const
{
    return held(transaction, lease,
                [&](BrandContent& content, const ContentItem& item)
                {
                    const auto move = workflow::succeed(item, std::move(result), content.now());
                    content.write(item, move);
                    content.settle(*item.postId);
                    return finish(transaction, lease, move, end, AttemptOutcome::Published);
                });
}

bool Publications::setBack(Transaction& transaction, const Held& lease, Setback setback, const AttemptEnd& end,
                           std::optional<PublishResult> partial) const
{
    return held(transaction, lease,
                [&](BrandContent& content, const ContentItem& item)
                {
                    setback.failure.attempt = item.totalAttempts;
                    auto move = workflow::setBack(item, std::move(setback), content.now());
                    if (move.refusal) return false;
                    if (partial) move.item.result = std::move(partial);
                    content.write(item, move);
                    content.settle(*item.postId);
                    return finish(transaction, lease, move, end,
                                  move.item.publishStatus == PublishStatus::Failed ? AttemptOutcome::Failed : AttemptOutcome::WillRetry);
                });
}

bool Publications::loseTrack(Transaction& transaction, const Held& lease, const AttemptEnd& end) const
{
    return held(transaction, lease,
                [&](BrandContent& content, const ContentItem& item)
                {
                    const auto move = workflow::loseTrack(item, content.now());
                    if (move.refusal) return false;
                    content.write(item, move);
                    content.settle(*item.postId);
                    return finish(transaction, lease, move, end, AttemptOutcome::Unknown);
                });
}

bool Publications::found(Transaction& transaction, const Held& lease, PublishResult result) const
{
    return held(transaction, lease,
                [&](BrandContent& content, const ContentItem& item)
                {
                    if (item.publishStatus != PublishStatus::Verifying) return false;
                    const auto move = workflow::succeed(item, std::move(result), content.now());
                    content.write(item, move);
                    content.settle(*item.postId);
                    return finish(transaction, lease, move, {}, AttemptOutcome::Published);
                });
}

bool Publications::absent(Transaction& transaction, const Held& lease) const
{
    return held(transaction, lease,
                [&](BrandContent& content, const ContentItem& item)
                {
                    const auto move = workflow::lookInVain(item, content.now());
                    if (move.refusal) return false;
                    content.write(item, move);
                    content.settle(*item.postId);
                    const bool retries = move.item.publishStatus == PublishStatus::Retrying;
                    return finish(transaction, lease, move, {}, retries ? AttemptOutcome::WillRetry : AttemptOutcome::Unknown);
                });
}

bool Publications::unsure(Transaction& transaction, const Held& lease, Instant nextLook) const
{
    return held(transaction, lease,
                [&](BrandContent& content, const ContentItem& item)
                {
                    const auto move = workflow::stayUnsure(item, nextLook, content.now());
                    if (move.refusal) return false;
                    content.write(item, move);
                    content.settle(*item.postId);
                    const bool failed = move.item.publishStatus == PublishStatus::Failed;
                    return finish(transaction, lease, move, {}, failed ? AttemptOutcome::Failed : AttemptOutcome::Unknown);
                });
}

bool Publications::wait(Transaction& transaction, Tenant tenant, const BrandId& brand, const ContentId& id, BlockedReason reason,
                        Instant until) const
{
    BrandContent content(_context, transaction, tenant, brand, Doer::system());
    const auto item = itemTable.find(transaction, tenant, brand, id);
    if (!item) return false;
    const auto move = workflow::wait(*item, reason, until);
    if (move.refusal) return false;
    content.write(*item, move);
    return true;
}

std::optional<Instant> Publications::nextAttempt(const ContentItem& item, Instant now, double jitter)
{
    const auto used = static_cast<std::size_t>(item.automaticAttempts);
    if (used >= workflow::retryWaits.size()) return std::nullopt;
    const auto wait = std::chrono::duration<double, std::milli>(workflow::retryWaits.at(used)) * (1 + 0.2 * std::clamp(jitter, -1.0, 1.0));
    return now + std::chrono::duration_cast<std::chrono::milliseconds>(wait);
}

void Publications::loseAccount(Transaction& transaction, Tenant tenant, const BrandId& brand, const IntegrationId& account,
                               const Doer& doer) const
{
    BrandContent content(_context, transaction, tenant, brand, doer);
    for (const auto& item : itemTable.select(tenant)
                                .where(&ContentItem::brandId, brand)
                                .where(&ContentItem::integrationId, account)
                                .where("publish_status IN ('queued', 'retrying')")
                                .all(transaction))
    {
        content.write(item, workflow::loseAccount(item, content.now()));
        content.settle(*item.postId);
    }
}

void Publications::wakeAccount(Transaction& transaction, Tenant tenant, const BrandId& brand, const IntegrationId& account) const
{
    BrandContent content(_context, transaction, tenant, brand, Doer::system());
    for (const auto& item : itemTable.select(tenant)
                                .where(&ContentItem::brandId, brand)
                                .where(&ContentItem::integrationId, account)
                                .where("publish_status = 'queued' AND blocked_reason = 'reconnect_required'")
                                .all(transaction))
    {
        auto woken = item;
        woken.blockedReason.reset();
        woken.nextAttemptAt.reset();
        content.write(item, {workflow::settled(std::move(woken)), {}, {}});
    }
}

bool Publications::isPublishing(Session& session, Tenant tenant, const BrandId& brand)
{
    return session
        .value<std::int64_t>("SELECT 1 FROM content_item WHERE organization_id = $1 AND brand_id = $2 AND queue_state IN ('publishing', "
                             "'retrying', 'verifying') AND queue_state <> '' LIMIT 1",
                             tenant, brand)
        .has_value();
}

} // namespace portico::social
