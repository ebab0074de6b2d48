#include "social/PublishingFixture.h"

#include "analytics/NumbersService.h"
#include "content/PostService.h"

#include "portico/TimeZones.h"

namespace portico::tests
{

using namespace social;
using namespace std::chrono_literals;

/// Numbers of published posts, and posts that are deleted at their networks.
class AnalyticsTest : public Suite<AnalyticsTest, PublishingFixture>
{
    void setUp() override
    {
        PublishingFixture::setUp();
        zones = std::make_unique<TimeZones>();
        tools = std::make_unique<ContentTools>(ContentTools{host->context(), *networks, *accounts, *zones});
        numbers = std::make_unique<NumbersService>(*tools);
    }
    void tearDown() override
    {
        numbers.reset();
        tools.reset();
        zones.reset();
        PublishingFixture::tearDown();
    }

    ContentId idOf(const std::string& content) const { return *ContentId::parse(content); }
    BrandId brandId() const { return *BrandId::parse(brand); }
    testing::TestAnswer read(const std::string& target) const { return made(inBrand(brand, Method::Get, target, admin)); }
    std::size_t dueFetches() const
    {
        numbers->sweep();
        std::size_t count = 0;
        for (const auto& job : host->context().jobs().waiting(NumbersService::fetchJob)) count += job.dueAt <= now() ? 1 : 0;
        return count;
    }

    TEST(fetchesNumbersAtTheirTimes)
    {
        const auto at = *parseInstant("2026-11-23T08:00:00Z");
        CHECK(nextNumbersAt(at, at) == at + 1h);
        CHECK(nextNumbersAt(at, at + 1h) == at + 6h);
        CHECK(nextNumbersAt(at, at + 8 * 24h) == at + 30 * 24h);
        CHECK(!nextNumbersAt(at, at + 30 * 24h));
        publish(addAccount(Platform::Mastodon), "Counted");
        work();
        equal(0, dueFetches());
        advance(59min);
        equal(0, dueFetches());
        advance(1min);
        equal(1, dueFetches());
        // A job that waits is not enqueued again.
        equal(1, dueFetches());
    }

    TEST(sumsNumbersByGroup)
    {
        const auto mastodon = publish(addAccount(Platform::Mastodon), "One"), webhook = publish(addAccount(Platform::Webhook), "Two");
        work();
        forAWhile->onNumbers = [](const StepResult&) { return PostNumbers{5, 2, 1}; };
        for (const auto& each : {mastodon, webhook}) numbers->fetch(tenant(), brandId(), idOf(each));
        const auto day = read("/api/analytics/summary?groupBy=day");
        equal("2026-11-23", day.at("/groups/0/key"));
        CHECK(day.at("/totals/posts") == "2" && day.at("/totals/likes") == "5" && day.at("/totals/replies") == "1");
        const auto platform = read("/api/analytics/summary?groupBy=platform");
        CHECK(platform.at("/groups/0/key") == "mastodon" && platform.at("/groups/0/reposts") == "2");
        equal("1-08", read("/api/analytics/summary?groupBy=weekday_hour").at("/groups/0/key"));
        equal("1", read("/api/analytics/summary?platform=webhook").at("/totals/posts"));
        equal("0", read("/api/analytics/summary?label=none").at("/totals/posts"));
        equal("0", read("/api/analytics/summary?from=2026-10-01&to=2026-10-31").at("/totals/posts"));
        const auto list = read("/api/analytics/posts?sort=-likes&limit=1");
        CHECK(list.at("/items/0/contentId") == mastodon && list.at("/items/0/likes") == "5");
        const auto rest = read("/api/analytics/posts?sort=-likes&limit=1&cursor=" + list.at("/nextCursor"));
        CHECK(rest.at("/items/0/contentId") == webhook && rest.at("/items/0/likes") == "null");
        refused(inBrand(brand, Method::Get, "/api/analytics/summary?from=2026-11-24&to=2026-11-01", admin), 400, "validation_failed");
    }

    TEST(keepsTheLastNumbersOfASilentNetwork)
    {
        const auto content = publish(addAccount(Platform::Mastodon), "One");
        work();
        int asked = 0;
        forAWhile->onNumbers = [&](const StepResult&) -> std::optional<PostNumbers> {
            return ++asked == 1 ? std::optional(PostNumbers{5, 2, 1}) : std::nullopt;
        };
        const auto post = *PostId::parse(item(content).at("/postId"));
        CHECK(numbers->ofPost(tenant(), brandId(), post).at(0).likes == 5);
        // Fresh numbers are not fetched again, old ones are.
        numbers->ofPost(tenant(), brandId(), post);
        equal(1, asked);
        advance(15min);
        const auto kept = numbers->ofPost(tenant(), brandId(), post);
        equal(2, asked);
        CHECK(kept.at(0).likes == 5 && kept.at(0).fetchedAt == now() - 15min);
    }

    TEST(deletesPostsAtTheirNetworks)
    {
        const auto content = publish(addAccount(Platform::Mastodon), "First", 0s, {"Second"});
        work();
        equal(2, forAWhile->posts.size());
        const PostService service(*tools);
        const auto post = *PostId::parse(item(content).at("/postId"));
        const Author author{Doer::system(), {}};
        forAWhile->onRemove = [](const StepResult&) { return StepOutcome::retry(FailureCode::NetworkUnreachable, "No answer."); };
        CPPUNIT_ASSERT_THROW(service.remove(author, tenant(), brandId(), post, IfMatch(""), true), Problem);
        equal("published", status(content));
        std::vector<std::string> order;
        forAWhile->onRemove = [&](const StepResult& published) -> std::optional<StepOutcome>
        {
            order.push_back(published.id);
            return std::nullopt;
        };
        service.remove(author, tenant(), brandId(), post, IfMatch(""), true);
        CHECK(order == (std::vector<std::string>{"p2", "p1"}));
        CHECK(forAWhile->posts.empty());
        equal(404, inBrand(brand, Method::Get, "/api/posts/" + post.text(), admin).status);
    }

    TEST(leavesCopiesAtNetworksThatDeleteNothing)
    {
        const auto answer = made(inBrand(brand, Method::Post, "/api/posts", admin,
                                         jsonWith(R"({"text":"Both","targets":[{"integrationId":"$"},{"integrationId":"$"}]})",
                                                  addAccount(Platform::Mastodon), addAccount(Platform::Webhook))));
        const auto post = answer.at("/postId");
        equal(202, inBrand(brand, Method::Post, "/api/posts/" + post + "/publish", admin, "{}").status);
        work();
        equal(1, forAWhile->posts.size());
        equal(1, idempotent->posts.size());
        const PostService service(*tools);
        service.remove({Doer::system(), {}}, tenant(), brandId(), *PostId::parse(post), IfMatch(""), true);
        CHECK(forAWhile->posts.empty());
        equal(1, idempotent->posts.size());
        equal(404, inBrand(brand, Method::Get, "/api/posts/" + post, admin).status);
    }

    std::unique_ptr<TimeZones> zones;
    std::unique_ptr<ContentTools> tools;
    std::unique_ptr<NumbersService> numbers;
};

} // namespace portico::tests
