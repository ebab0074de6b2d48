#include "social/ContentFixture.h"

#include "content/DeckPage.h"

#include <algorithm>
#include <atomic>
#include <random>
#include <set>
#include <thread>
#include <vector>

namespace portico::tests
{

/// Queue, deck and figures of a brand.
class QueueTest : public Suite<QueueTest, ContentFixture>
{
    TEST(listsWhatWaits)
    {
        newPost(member, "draft");
        const auto later = newPost(member, "later", timed("2026-11-25T10:00:00Z")).at("/contentIds/0");
        const auto sooner = newPost(member, "sooner", timed("2026-11-24T10:00:00Z")).at("/contentIds/0");
        const auto now = newPost(member, "now", timed("2026-11-23T08:00:00Z")).at("/contentIds/0");
        const auto idea = newSuggestion(member);
        equal(now + sooner + later + idea, ids("/api/content-ops/queue"));
        fail(now, social::FailureCode::DuplicateContent, false);
        const auto queue = get(member, "/api/content-ops/queue");
        equal(R"({"pending":1,"queued":2,"retrying":0,"verifying":0,"failed":1})", queue.at("/counts"));
        equal(sooner + later, ids("/api/content-ops/queue?publishStatus=queued"));
        equal(idea, ids("/api/content-ops/queue?approvalState=pending"));
        equal(idea, ids("/api/content-ops/queue?kind=suggestion"));
        equal("", ids("/api/content-ops/queue?platform=bluesky"));
        equal(sooner, ids("/api/content-ops/queue?dueFrom=2026-11-24T10:00:00Z&dueTo=2026-11-25T10:00:00Z"));
        equal(idea + later + sooner + now, ids("/api/content-ops/queue?sort=-scheduledFor"));
        // Items that are being published, or were published, are not in the queue.
        host->context().clock().jumpTo(*parseInstant("2026-11-24T10:00:00Z"));
        CHECK(take(sooner));
        equal(now + later + idea, ids("/api/content-ops/queue"));
    }

    TEST(pagesTheQueue)
    {
        std::set<std::string> expected, found;
        for (int i = 0; i < 25; ++i) expected.insert(newPost(member, "x", timed("2026-11-24T10:00:00Z")).at("/contentIds/0"));
        std::string cursor;
        do {
            const auto page = get(member, "/api/content-ops/queue?include=total&limit=7" + cursor);
            equal("25", page.at("/total"));
            for (std::size_t i = 0; i < page.count("/items"); ++i)
                CHECK(found.insert(page.at("/items/" + std::to_string(i) + "/contentId")).second);
            cursor = page.at("/nextCursor") == "null" ? "" : "&cursor=" + page.at("/nextCursor");
        } while (!cursor.empty());
        CHECK(expected == found);
    }

    TEST(keepsCountsUnderLoad)
    {
        std::atomic<int> refused = 0;
        std::vector<std::thread> writers;
        for (int i = 0; i < 4; ++i)
            writers.emplace_back(
                [&, i]
                {
                    for (int n = 0; n < 12; ++n)
                    {
                        const auto text = std::to_string(i) + '-' + std::to_string(n);
                        const auto made = post(member, "/api/posts", bodyOf(text, timed("2026-11-24T10:00:00Z")));
                        const auto id = made.status == 201 ? made.at("/contentIds/0") : std::string();
                        if (id.empty() || (n % 3 == 0 && step(member, id, "cancel").status != 200) ||
                            (n % 3 == 1 && patch(member, itemPath(id), R"({"scheduledFor":null})").status != 200))
                            ++refused;
                    }
                });
        for (auto& writer : writers) writer.join();
        equal(0, refused.load());
        assertKeptCounts("under load");
        equal("16", get(member, "/api/content-ops/queue").at("/counts/queued"));
        // Rows that something else than the service writes.
        change("UPDATE content_item SET queue_state = 'failed' WHERE queue_state = 'queued'");
        assertKeptCounts("changed");
        change("DELETE FROM content_item WHERE queue_state = ''");
        assertKeptCounts("deleted");
    }

    TEST(keepsCountsOfATransferredBrand)
    {
        newPost(member, "one", timed("2026-11-24T10:00:00Z"));
        newSuggestion(member);
        auto there = admin;
        there.organizationId = stranger.organizationId;
        directory.add(there.organizationId, admin.principalId, {"social.brands:transfer"});
        made(post(admin, "/api/brands/" + brand + "/transfer-organization", jsonWith(R"({"organizationId":"$"})", there.organizationId)));
        assertKeptCounts("transferred");
        equal(R"({"pending":1,"queued":1,"retrying":0,"verifying":0,"failed":0})", get(there, "/api/content-ops/queue").at("/counts"));
    }

    TEST(ranksTheDeck)
    {
        setPolicy(1);
        const auto old = newSuggestion(member, "old");
        advance(std::chrono::hours(24));
        const auto fresh = newSuggestion(member, "fresh");
        const auto due = newPost(member, "due", timed(toString(host->context().clock().now()))).at("/contentIds/0");
        const auto deck = get(admin, "/api/content-ops/deck");
        equal(due + fresh + old, ids("/api/content-ops/deck", "/item/contentId"));
        equal("1000 700 350", deck.at("/items/0/rank") + ' ' + deck.at("/items/1/rank") + ' ' + deck.at("/items/2/rank"));
        equal("2026-11-24T08:00:00.000Z", deck.at("/asOf"));
        // Cut to the minute.
        equal("2026-11-25T08:00:00.000Z", get(admin, "/api/content-ops/deck?asOf=2026-11-25T08:00:59Z").at("/asOf"));
        equal("350", get(admin, "/api/content-ops/deck?asOf=2026-11-25T08:00:59Z&kind=suggestion").at("/items/0/rank"));
        equal(due, ids("/api/content-ops/deck?kind=post", "/item/contentId"));
        // An edit makes it new.
        made(patch(member, itemPath(old), R"({"text":"new"})"));
        equal("700", get(admin, "/api/content-ops/deck").at("/items/2/rank"));
    }

    TEST(pagesTheDeck)
    {
        for (int i = 0; i < 45; ++i)
        {
            if (i % 3 == 0) advance(std::chrono::minutes(90));
            newSuggestion(member);
        }
        equal(20, get(admin, "/api/content-ops/deck").count("/items"));
        const auto all = ids("/api/content-ops/deck?limit=200", "/item/contentId");
        std::string paged, cursor;
        do {
            const auto page = get(admin, "/api/content-ops/deck?limit=4" + cursor);
            for (std::size_t i = 0; i < page.count("/items"); ++i) paged += page.at("/items/" + std::to_string(i) + "/item/contentId");
            cursor = page.at("/nextCursor") == "null" ? "" : "&cursor=" + page.at("/nextCursor");
            // Later pages show the state at the time of the first one.
            advance(std::chrono::minutes(10));
        } while (!cursor.empty());
        equal(all, paged);
    }

    /// Random items with many equal ranks: merging the ends of two orders must yield the beginning of the whole order.
    TEST(readsPartsOfTheDeck)
    {
        using namespace std::chrono_literals;
        const auto now = host->context().clock().now();
        std::mt19937 random(29);
        const auto pick = [&](int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); };
        const auto sometimes = [&](Instant time) { return pick(3) == 0 ? std::optional(time) : std::nullopt; };
        work(
            [&](Transaction& transaction)
            {
                for (int i = 0; i < 400; ++i)
                {
                    social::ContentItem item;
                    item.contentId = social::ContentId::make(now);
                    item.brandId = brandId();
                    item.kind = pick(2) == 0 ? social::ContentKind::Suggestion : social::ContentKind::Post;
                    item.platform = pick(2) == 0 ? social::Platform::Bluesky : social::Platform::Webhook;
                    item.approvalState = social::ApprovalState::Pending;
                    item.queueState = "pending";
                    item.createdAt = item.updatedAt = now - 1h * pick(90);
                    item.lastEditedAt = sometimes(item.createdAt + 1h * pick(30));
                    item.sourceObservedAt = sometimes(item.createdAt + 1h * (pick(60) - 30));
                    item.scheduledFor = sometimes(now + 1h * (pick(90) - 30));
                    item.scheduleOrder = item.scheduledFor.value_or(social::withoutTime);
                    item.expiresAt = sometimes(now + 1h * (pick(60) - 30));
                    social::itemTable.insert(transaction, tenant(), item);
                }
            });
        std::size_t shorter = 0;
        auto session = host->context().database().session();
        for (const auto& platforms : {std::vector<social::Platform>{}, {social::Platform::Bluesky}})
            for (const auto& kinds : {std::vector<social::ContentKind>{}, {social::ContentKind::Suggestion}})
                for (const auto halfLife : {1, 24, 168})
                    for (const auto asOf : {now - 48h, now, now + 48h})
                        shorter += compareDeck(session, {brandId(), platforms, kinds, halfLife, asOf});
        CHECK(shorter > 50);
    }

    TEST(countsDays)
    {
        setPolicy(1);
        const auto id = newPost(member, "a", timed("2026-11-24T10:00:00Z")).at("/contentIds/0");
        advance(std::chrono::hours(24));
        made(step(approver, id, "approve"));
        host->context().clock().jumpTo(*parseInstant("2026-11-24T10:00:00Z"));
        publish(id);
        const auto deleted = newPost(member, "b");
        equal(204, del(member, "/api/posts/" + deleted.at("/postId")).status);
        const auto daily = get(admin, "/api/content-ops/daily?from=2026-11-22&to=2026-11-25");
        equal(4, daily.count("/days"));
        equal(std::string(zeros("2026-11-22")), daily.at("/days/0"));
        equal(R"({"date":"2026-11-23","created":1,"submitted":1,"approved":0,"rejected":0,"scheduled":0,"rescheduled":0,"published":0,)"
              R"("failed":0,"cancelled":0})",
              daily.at("/days/1"));
        equal(R"({"date":"2026-11-24","created":1,"submitted":0,"approved":1,"rejected":0,"scheduled":1,"rescheduled":0,"published":1,)"
              R"("failed":0,"cancelled":0})",
              daily.at("/days/2"));
        equal("2", daily.at("/totals/created"));
        // Thirty days up to today.
        const auto usual = get(admin, "/api/content-ops/daily");
        equal("2026-10-26 2026-11-24 UTC", usual.at("/from") + ' ' + usual.at("/to") + ' ' + usual.at("/timeZone"));
        equal(30, usual.count("/days"));
        equal("0", get(admin, "/api/content-ops/daily?platform=bluesky").at("/totals/created"));
        // Days of the brand, or of a zone that is asked for.
        equal("1", get(admin, "/api/content-ops/daily?from=2026-11-22&to=2026-11-23&timeZone=America/New_York").at("/totals/created"));
    }

    TEST(countsDaysOfAClockChange)
    {
        made(patch(admin, "/api/brands/" + brand, R"({"timeZone":"Europe/Berlin"})"));
        // 2027-03-28 has 23 hours in Berlin: from 23:00 UTC of the day before to 22:00 UTC.
        for (const auto* time : {"2027-03-27T22:59:59.999Z", "2027-03-27T23:00:00Z", "2027-03-28T21:59:59.999Z", "2027-03-28T22:00:00Z"})
        {
            host->context().clock().jumpTo(*parseInstant(time));
            newPost(member, time);
        }
        const auto spring = get(admin, "/api/content-ops/daily?from=2027-03-27&to=2027-03-29");
        equal("1 2 1", spring.at("/days/0/created") + ' ' + spring.at("/days/1/created") + ' ' + spring.at("/days/2/created"));
        // 2027-10-31 has 25: from 22:00 UTC of the day before to 23:00 UTC.
        for (const auto* time : {"2027-10-30T21:59:59.999Z", "2027-10-30T22:00:00Z", "2027-10-31T22:59:59.999Z", "2027-10-31T23:00:00Z"})
        {
            host->context().clock().jumpTo(*parseInstant(time));
            newPost(member, time);
        }
        const auto autumn = get(admin, "/api/content-ops/daily?from=2027-10-30&to=2027-11-01");
        equal("1 2 1", autumn.at("/days/0/created") + ' ' + autumn.at("/days/1/created") + ' ' + autumn.at("/days/2/created"));
        equal(autumn.body, get(admin, "/api/content-ops/daily?verify=events&from=2027-10-30&to=2027-11-01").body);
    }

    TEST(countsOnceAndTheSameTwice)
    {
        setPolicy(2);
        const auto third = newAdmin(admin.organizationId);
        for (int day = 0; day < 12; ++day)
        {
            const auto idea = newSuggestion(member);
            const auto id = newPost(member, "x" + std::to_string(day)).at("/contentIds/0");
            made(step(member, id, "submit"));
            made(step(approver, id, "approve"));
            if (day % 3 == 0)
                made(step(third, id, "reject"));
            else
                made(step(third, id, "approve"));
            // Approved or rejected a second time on a later day: the last one counts.
            advance(std::chrono::hours(30));
            if (day % 4 == 1)
            {
                made(patch(member, itemPath(id), R"({"text":"again"})"));
                made(step(approver, id, "approve"));
                made(step(third, id, "approve"));
            }
            if (day % 4 == 2 && day % 3 != 0)
            {
                publishNow(member, item(id).at("/postId"));
                publish(id);
            }
            if (day % 5 == 0) made(step(approver, idea, "reject"));
        }
        const auto first = get(admin, "/api/content-ops/daily"), second = get(member, "/api/content-ops/daily");
        equal(first.body, second.body);
        CHECK(!first.etag.empty());
        equal(first.etag, second.etag);
        const auto recounted = get(admin, "/api/content-ops/daily?verify=events");
        equal(first.body, recounted.body);
        equal("24", first.at("/totals/created"));
        // Computes the figures from the items.
        std::int64_t approved = 0;
        auto session = host->context().database().session();
        for (const auto& row : session.query("SELECT count(*) FROM content_item WHERE approved_at IS NOT NULL"))
            approved = row.get<std::int64_t>(0);
        equal(std::to_string(approved), first.at("/totals/approved"));
        // The check finds an inconsistency.
        change("UPDATE content_item SET approved_at = NULL");
        // Figures are counted again after an event.
        made(patch(admin, "/api/brands/" + brand, R"({"description":"Changed"})"));
        CHECK(get(admin, "/api/content-ops/daily").body != get(admin, "/api/content-ops/daily?verify=events").body);
    }

    TEST(keepsFewFigures)
    {
        newPost(member, "one");
        const auto first = get(admin, "/api/content-ops/daily?from=2026-11-01&to=2026-11-23");
        for (int day = 10; day < 30; ++day)
            for (const std::string month : {"08", "09"})
            {
                const auto date = "2026-" + month + '-' + std::to_string(day);
                equal(zeros(date), get(admin, "/api/content-ops/daily?from=" + date + "&to=" + date).at("/days/0"));
            }
        const auto second = get(admin, "/api/content-ops/daily?from=2026-11-01&to=2026-11-23");
        equal(first.body + first.etag, second.body + second.etag);
        equal("1", second.at("/totals/created"));
        newPost(member, "two");
        equal("2", get(admin, "/api/content-ops/daily?from=2026-11-01&to=2026-11-23").at("/totals/created"));
    }

    TEST(refusesBadRanges)
    {
        equal(92, get(admin, "/api/content-ops/daily?from=2026-08-24&to=2026-11-23").count("/days"));
        refused(get(admin, "/api/content-ops/daily?from=2026-08-23&to=2026-11-23"), 400, "validation_failed");
        refused(get(admin, "/api/content-ops/daily?from=2026-11-24&to=2026-11-23"), 400, "validation_failed");
        refused(get(admin, "/api/content-ops/daily?from=2026-02-30"), 400, "validation_failed");
        refused(get(admin, "/api/content-ops/daily?timeZone=Mars/Base"), 400, "validation_failed");
        refused(get(admin, "/api/content-ops/daily?verify=all"), 400, "validation_failed");
        refused(get(newKey(admin.organizationId, {"posts.read"}), "/api/content-ops/daily"), 403, "insufficient_scope");
        refused(get(newKey(admin.organizationId, {"analytics.read"}), "/api/content-ops/queue"), 403, "insufficient_scope");
        equal(404, inBrand("brd_" + makeUlid(Instant{}), Method::Get, "/api/content-ops/queue", admin).status);
        equal(404, inBrand(brand, Method::Get, "/api/content-ops/deck", stranger).status);
    }

    TEST(changesPublishEvents)
    {
        const auto made = newPost(member, "a", timed("2026-11-23T08:00:00Z"));
        publish(made.at("/contentIds/0"));
        const auto published = host->context().events().published("social.post.published");
        equal(1, published.size());
        equal(std::string(jsonWith(R"({"brandId":"$","postId":"$","contentId":"$"})", brand, made.at("/postId"), made.at("/contentIds/0"))),
              published.front().data);
        CHECK(!host->context().events().published("social.item.changed").empty());
        CHECK(!host->context().events().published("social.post.changed").empty());
        CHECK(get(member, "/api/changes").live);
    }

    /// @return how many parts did not contain the rest of the deck
    std::size_t compareDeck(Session& session, const social::DeckChoice& choice) const
    {
        const auto whole = social::rankedDeck(session, tenant(), choice);
        CHECK(whole.size() > 20);
        std::size_t shorter = 0;
        for (const std::size_t count : {1, 6, 21})
            for (const std::size_t begin : {std::size_t{0}, std::size_t{1}, whole.size() / 3, whole.size() - 2, whole.size()})
            {
                const auto part =
                    social::deckBehind(session, tenant(), choice, begin == 0 ? std::nullopt : std::optional(whole[begin - 1]), count);
                CHECK(part.size() >= std::min(count, whole.size() - begin) && part.size() <= whole.size() - begin);
                CHECK(std::equal(part.begin(), part.end(), whole.begin() + static_cast<std::ptrdiff_t>(begin)));
                shorter += part.size() < whole.size() - begin;
            }
        return shorter;
    }
    std::string ids(const std::string& target, const std::string& member_ = "/contentId") const
    {
        const auto answer = get(admin, target);
        equal(200, answer.status, answer.body);
        std::string found;
        for (std::size_t i = 0; i < answer.count("/items"); ++i) found += answer.at("/items/" + std::to_string(i) + member_);
        return found;
    }
    static std::string zeros(const std::string& date)
    {
        return jsonWith(
            R"({"date":"$","created":0,"submitted":0,"approved":0,"rejected":0,"scheduled":0,"rescheduled":0,"published":0,"failed":0,)"
            R"("cancelled":0})",
            date);
    }
};

} // namespace portico::tests
