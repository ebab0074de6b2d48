#include "social/ContentFixture.h"

#include <set>

namespace portico::tests
{

/// Queue, deck and figures of a brand.
class QueueTest : public ContentFixture
{
    CPPUNIT_TEST_SUITE(QueueTest);
    CPPUNIT_TEST(listsWhatWaits);
    CPPUNIT_TEST(pagesTheQueue);
    CPPUNIT_TEST(ranksTheDeck);
    CPPUNIT_TEST(pagesTheDeck);
    CPPUNIT_TEST(countsDays);
    CPPUNIT_TEST(countsDaysOfAClockChange);
    CPPUNIT_TEST(countsOnceAndTheSameTwice);
    CPPUNIT_TEST(refusesBadRanges);
    CPPUNIT_TEST(tellsOfChanges);
    CPPUNIT_TEST_SUITE_END();

public:
    void listsWhatWaits()
    {
        newPost(member, "draft");
        const auto later = newPost(member, "later", timed("2026-11-25T10:00:00Z")).at("/contentIds/0");
        const auto sooner = newPost(member, "sooner", timed("2026-11-24T10:00:00Z")).at("/contentIds/0");
        const auto now = newPost(member, "now", timed("2026-11-23T08:00:00Z")).at("/contentIds/0");
        const auto idea = newSuggestion(member);
        CPPUNIT_ASSERT_EQUAL(now + sooner + later + idea, ids("/api/content-ops/queue"));
        fail(now, social::FailureCode::DuplicateContent, false);
        const auto queue = get(member, "/api/content-ops/queue");
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"pending":1,"queued":2,"retrying":0,"verifying":0,"failed":1})"), queue.at("/counts"));
        CPPUNIT_ASSERT_EQUAL(sooner + later, ids("/api/content-ops/queue?publishStatus=queued"));
        CPPUNIT_ASSERT_EQUAL(idea, ids("/api/content-ops/queue?approvalState=pending"));
        CPPUNIT_ASSERT_EQUAL(idea, ids("/api/content-ops/queue?kind=suggestion"));
        CPPUNIT_ASSERT_EQUAL(std::string(), ids("/api/content-ops/queue?platform=bluesky"));
        CPPUNIT_ASSERT_EQUAL(sooner, ids("/api/content-ops/queue?dueFrom=2026-11-24T10:00:00Z&dueTo=2026-11-25T10:00:00Z"));
        CPPUNIT_ASSERT_EQUAL(idea + later + sooner + now, ids("/api/content-ops/queue?sort=-scheduledFor"));
        // What is being published, or is out, waits for nobody.
        host->context().clock().jumpTo(*parseInstant("2026-11-24T10:00:00Z"));
        CPPUNIT_ASSERT(take(sooner));
        CPPUNIT_ASSERT_EQUAL(now + later + idea, ids("/api/content-ops/queue"));
    }

    void pagesTheQueue()
    {
        std::set<std::string> expected, found;
        for (int i = 0; i < 25; ++i) expected.insert(newPost(member, "x", timed("2026-11-24T10:00:00Z")).at("/contentIds/0"));
        std::string cursor;
        do {
            const auto page = get(member, "/api/content-ops/queue?include=total&limit=7" + cursor);
            CPPUNIT_ASSERT_EQUAL(std::string("25"), page.at("/total"));
            for (std::size_t i = 0; i < page.count("/items"); ++i)
                CPPUNIT_ASSERT(found.insert(page.at("/items/" + std::to_string(i) + "/contentId")).second);
            cursor = page.at("/nextCursor") == "null" ? "" : "&cursor=" + page.at("/nextCursor");
        } while (!cursor.empty());
        CPPUNIT_ASSERT(expected == found);
    }

    void ranksTheDeck()
    {
        setPolicy(1);
        const auto old = newSuggestion(member, "old");
        advance(std::chrono::hours(24));
        const auto fresh = newSuggestion(member, "fresh");
        const auto due = newPost(member, "due", timed(toString(host->context().clock().now()))).at("/contentIds/0");
        const auto deck = get(admin, "/api/content-ops/deck");
        CPPUNIT_ASSERT_EQUAL(due + fresh + old, ids("/api/content-ops/deck", "/item/contentId"));
        CPPUNIT_ASSERT_EQUAL(std::string("1000 700 350"),
                             deck.at("/items/0/rank") + ' ' + deck.at("/items/1/rank") + ' ' + deck.at("/items/2/rank"));
        CPPUNIT_ASSERT_EQUAL(std::string("2026-11-24T08:00:00.000Z"), deck.at("/asOf"));
        // Cut to the minute.
        CPPUNIT_ASSERT_EQUAL(std::string("2026-11-25T08:00:00.000Z"),
                             get(admin, "/api/content-ops/deck?asOf=2026-11-25T08:00:59Z").at("/asOf"));
        CPPUNIT_ASSERT_EQUAL(std::string("350"),
                             get(admin, "/api/content-ops/deck?asOf=2026-11-25T08:00:59Z&kind=suggestion").at("/items/0/rank"));
        CPPUNIT_ASSERT_EQUAL(due, ids("/api/content-ops/deck?kind=post", "/item/contentId"));
        // An edit makes it new.
        made(patch(member, itemPath(old), R"({"text":"new"})"));
        CPPUNIT_ASSERT_EQUAL(std::string("700"), get(admin, "/api/content-ops/deck").at("/items/2/rank"));
    }

    void pagesTheDeck()
    {
        for (int i = 0; i < 45; ++i)
        {
            if (i % 3 == 0) advance(std::chrono::minutes(90));
            newSuggestion(member);
        }
        CPPUNIT_ASSERT_EQUAL(std::size_t{20}, get(admin, "/api/content-ops/deck").count("/items"));
        const auto all = ids("/api/content-ops/deck?limit=200", "/item/contentId");
        std::string paged, cursor;
        do {
            const auto page = get(admin, "/api/content-ops/deck?limit=4" + cursor);
            for (std::size_t i = 0; i < page.count("/items"); ++i) paged += page.at("/items/" + std::to_string(i) + "/item/contentId");
            cursor = page.at("/nextCursor") == "null" ? "" : "&cursor=" + page.at("/nextCursor");
            // Time goes on, and the pages are those of the first one's moment.
            advance(std::chrono::minutes(10));
        } while (!cursor.empty());
        CPPUNIT_ASSERT_EQUAL(all, paged);
    }

    void countsDays()
    {
        setPolicy(1);
        const auto id = newPost(member, "a", timed("2026-11-24T10:00:00Z")).at("/contentIds/0");
        advance(std::chrono::hours(24));
        made(step(approver, id, "approve"));
        host->context().clock().jumpTo(*parseInstant("2026-11-24T10:00:00Z"));
        publish(id);
        const auto deleted = newPost(member, "b");
        CPPUNIT_ASSERT_EQUAL(204, del(member, "/api/posts/" + deleted.at("/postId")).status);
        const auto daily = get(admin, "/api/content-ops/daily?from=2026-11-22&to=2026-11-25");
        CPPUNIT_ASSERT_EQUAL(std::size_t{4}, daily.count("/days"));
        CPPUNIT_ASSERT_EQUAL(std::string(zeros("2026-11-22")), daily.at("/days/0"));
        CPPUNIT_ASSERT_EQUAL(
            std::string(
                R"({"date":"2026-11-23","created":1,"submitted":1,"approved":0,"rejected":0,"scheduled":0,"rescheduled":0,"published":0,"failed":0,"cancelled":0})"),
            daily.at("/days/1"));
        CPPUNIT_ASSERT_EQUAL(
            std::string(
                R"({"date":"2026-11-24","created":1,"submitted":0,"approved":1,"rejected":0,"scheduled":1,"rescheduled":0,"published":1,"failed":0,"cancelled":0})"),
            daily.at("/days/2"));
        CPPUNIT_ASSERT_EQUAL(std::string("2"), daily.at("/totals/created"));
        // Thirty days up to today.
        const auto usual = get(admin, "/api/content-ops/daily");
        CPPUNIT_ASSERT_EQUAL(std::string("2026-10-26 2026-11-24 UTC"),
                             usual.at("/from") + ' ' + usual.at("/to") + ' ' + usual.at("/timeZone"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{30}, usual.count("/days"));
        CPPUNIT_ASSERT_EQUAL(std::string("0"), get(admin, "/api/content-ops/daily?platform=bluesky").at("/totals/created"));
        // Days of the brand, or of a zone that is asked for.
        CPPUNIT_ASSERT_EQUAL(
            std::string("1"),
            get(admin, "/api/content-ops/daily?from=2026-11-22&to=2026-11-23&timeZone=America/New_York").at("/totals/created"));
    }

    void countsDaysOfAClockChange()
    {
        made(patch(admin, "/api/brands/" + brand, R"({"timeZone":"Europe/Berlin"})"));
        // 2027-03-28 has 23 hours in Berlin: from 23:00 UTC of the day before to 22:00 UTC.
        for (const auto* time : {"2027-03-27T22:59:59.999Z", "2027-03-27T23:00:00Z", "2027-03-28T21:59:59.999Z", "2027-03-28T22:00:00Z"})
        {
            host->context().clock().jumpTo(*parseInstant(time));
            newPost(member, time);
        }
        const auto spring = get(admin, "/api/content-ops/daily?from=2027-03-27&to=2027-03-29");
        CPPUNIT_ASSERT_EQUAL(std::string("1 2 1"),
                             spring.at("/days/0/created") + ' ' + spring.at("/days/1/created") + ' ' + spring.at("/days/2/created"));
        // 2027-10-31 has 25: from 22:00 UTC of the day before to 23:00 UTC.
        for (const auto* time : {"2027-10-30T21:59:59.999Z", "2027-10-30T22:00:00Z", "2027-10-31T22:59:59.999Z", "2027-10-31T23:00:00Z"})
        {
            host->context().clock().jumpTo(*parseInstant(time));
            newPost(member, time);
        }
        const auto autumn = get(admin, "/api/content-ops/daily?from=2027-10-30&to=2027-11-01");
        CPPUNIT_ASSERT_EQUAL(std::string("1 2 1"),
                             autumn.at("/days/0/created") + ' ' + autumn.at("/days/1/created") + ' ' + autumn.at("/days/2/created"));
        CPPUNIT_ASSERT_EQUAL(autumn.body, get(admin, "/api/content-ops/daily?verify=events&from=2027-10-30&to=2027-11-01").body);
    }

    void countsOnceAndTheSameTwice()
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
        CPPUNIT_ASSERT_EQUAL(first.body, second.body);
        CPPUNIT_ASSERT(!first.etag.empty());
        CPPUNIT_ASSERT_EQUAL(first.etag, second.etag);
        const auto recounted = get(admin, "/api/content-ops/daily?verify=events");
        CPPUNIT_ASSERT_EQUAL(first.body, recounted.body);
        CPPUNIT_ASSERT_EQUAL(std::string("24"), first.at("/totals/created"));
        // By hand, from the items themselves.
        std::int64_t approved = 0;
        auto session = host->context().database().session();
        for (const auto& row : session.query("SELECT count(*) FROM content_item WHERE approved_at IS NOT NULL"))
            approved = row.get<std::int64_t>(0);
        CPPUNIT_ASSERT_EQUAL(std::to_string(approved), first.at("/totals/approved"));
        // The check finds what is not in line.
        change("UPDATE content_item SET approved_at = NULL");
        CPPUNIT_ASSERT(get(admin, "/api/content-ops/daily").body != get(admin, "/api/content-ops/daily?verify=events").body);
    }

    void refusesBadRanges()
    {
        CPPUNIT_ASSERT_EQUAL(std::size_t{92}, get(admin, "/api/content-ops/daily?from=2026-08-24&to=2026-11-23").count("/days"));
        assertProblem(get(admin, "/api/content-ops/daily?from=2026-08-23&to=2026-11-23"), 400, "validation_failed");
        assertProblem(get(admin, "/api/content-ops/daily?from=2026-11-24&to=2026-11-23"), 400, "validation_failed");
        assertProblem(get(admin, "/api/content-ops/daily?from=2026-02-30"), 400, "validation_failed");
        assertProblem(get(admin, "/api/content-ops/daily?timeZone=Mars/Base"), 400, "validation_failed");
        assertProblem(get(admin, "/api/content-ops/daily?verify=all"), 400, "validation_failed");
        assertProblem(get(newKey(admin.organizationId, {"posts.read"}), "/api/content-ops/daily"), 403, "insufficient_scope");
        assertProblem(get(newKey(admin.organizationId, {"analytics.read"}), "/api/content-ops/queue"), 403, "insufficient_scope");
        CPPUNIT_ASSERT_EQUAL(404, inBrand("brd_" + makeUlid(Instant{}), Method::Get, "/api/content-ops/queue", admin).status);
        CPPUNIT_ASSERT_EQUAL(404, inBrand(brand, Method::Get, "/api/content-ops/deck", stranger).status);
    }

    void tellsOfChanges()
    {
        const auto made = newPost(member, "a", timed("2026-11-23T08:00:00Z"));
        publish(made.at("/contentIds/0"));
        const auto published = host->context().events().published("social.post.published");
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, published.size());
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"brandId":")" + brand + R"(","postId":")" + made.at("/postId") + R"(","contentId":")" +
                                         made.at("/contentIds/0") + R"("})"),
                             published.front().data);
        CPPUNIT_ASSERT(!host->context().events().published("social.item.changed").empty());
        CPPUNIT_ASSERT(!host->context().events().published("social.post.changed").empty());
        CPPUNIT_ASSERT(get(member, "/api/changes").live);
    }

private:
    std::string ids(const std::string& target, const std::string& member_ = "/contentId") const
    {
        const auto answer = get(admin, target);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(answer.body, 200, answer.status);
        std::string found;
        for (std::size_t i = 0; i < answer.count("/items"); ++i) found += answer.at("/items/" + std::to_string(i) + member_);
        return found;
    }
    static std::string zeros(const std::string& date)
    {
        return R"({"date":")" + date +
               R"(","created":0,"submitted":0,"approved":0,"rejected":0,"scheduled":0,"rescheduled":0,"published":0,"failed":0,"cancelled":0})";
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(QueueTest);

} // namespace portico::tests
