#include "social/PublishingFixture.h"

#include "analytics/NumbersService.h"
#include "content/PostService.h"

#include "portico/TimeZones.h"

namespace portico::tests
{

using namespace social;
using namespace std::chrono_literals;

/// Numbers of published posts, and posts that are deleted at their networks.
class AnalyticsTest : public PublishingFixture
{
    CPPUNIT_TEST_SUITE(AnalyticsTest);
    CPPUNIT_TEST(fetchesNumbersAtTheirTimes);
    CPPUNIT_TEST(sumsNumbersByGroup);
    CPPUNIT_TEST(keepsTheLastNumbersOfASilentNetwork);
    CPPUNIT_TEST(deletesPostsAtTheirNetworks);
    CPPUNIT_TEST(leavesCopiesAtNetworksThatDeleteNothing);
    CPPUNIT_TEST_SUITE_END();

public:
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

    void fetchesNumbersAtTheirTimes()
    {
        const auto at = *parseInstant("2026-11-23T08:00:00Z");
        CPPUNIT_ASSERT(nextNumbersAt(at, at) == at + 1h);
        CPPUNIT_ASSERT(nextNumbersAt(at, at + 1h) == at + 6h);
        CPPUNIT_ASSERT(nextNumbersAt(at, at + 8 * 24h) == at + 30 * 24h);
        CPPUNIT_ASSERT(!nextNumbersAt(at, at + 30 * 24h));
        publish(addAccount(Platform::Mastodon), "Counted");
        work();
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, dueFetches());
        advance(59min);
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, dueFetches());
        advance(1min);
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, dueFetches());
        // A job that waits is not enqueued again.
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, dueFetches());
    }

    void sumsNumbersByGroup()
    {
        const auto mastodon = publish(addAccount(Platform::Mastodon), "One"), webhook = publish(addAccount(Platform::Webhook), "Two");
        work();
        forAWhile->onNumbers = [](const StepResult&) { return PostNumbers{5, 2, 1}; };
        for (const auto& each : {mastodon, webhook}) numbers->fetch(tenant(), brandId(), idOf(each));
        const auto day = read("/api/analytics/summary?groupBy=day");
        CPPUNIT_ASSERT_EQUAL(std::string("2026-11-23"), day.at("/groups/0/key"));
        CPPUNIT_ASSERT(day.at("/totals/posts") == "2" && day.at("/totals/likes") == "5" && day.at("/totals/replies") == "1");
        const auto platform = read("/api/analytics/summary?groupBy=platform");
        CPPUNIT_ASSERT(platform.at("/groups/0/key") == "mastodon" && platform.at("/groups/0/reposts") == "2");
        CPPUNIT_ASSERT_EQUAL(std::string("1-08"), read("/api/analytics/summary?groupBy=weekday_hour").at("/groups/0/key"));
        CPPUNIT_ASSERT_EQUAL(std::string("1"), read("/api/analytics/summary?platform=webhook").at("/totals/posts"));
        CPPUNIT_ASSERT_EQUAL(std::string("0"), read("/api/analytics/summary?label=none").at("/totals/posts"));
        CPPUNIT_ASSERT_EQUAL(std::string("0"), read("/api/analytics/summary?from=2026-10-01&to=2026-10-31").at("/totals/posts"));
        const auto list = read("/api/analytics/posts?sort=-likes&limit=1");
        CPPUNIT_ASSERT(list.at("/items/0/contentId") == mastodon && list.at("/items/0/likes") == "5");
        const auto rest = read("/api/analytics/posts?sort=-likes&limit=1&cursor=" + list.at("/nextCursor"));
        CPPUNIT_ASSERT(rest.at("/items/0/contentId") == webhook && rest.at("/items/0/likes") == "null");
        assertProblem(inBrand(brand, Method::Get, "/api/analytics/summary?from=2026-11-24&to=2026-11-01", admin), 400, "validation_failed");
    }

    void keepsTheLastNumbersOfASilentNetwork()
    {
        const auto content = publish(addAccount(Platform::Mastodon), "One");
        work();
        int asked = 0;
        forAWhile->onNumbers = [&](const StepResult&) -> std::optional<PostNumbers> {
            return ++asked == 1 ? std::optional(PostNumbers{5, 2, 1}) : std::nullopt;
        };
        const auto post = *PostId::parse(item(content).at("/postId"));
        CPPUNIT_ASSERT(numbers->ofPost(tenant(), brandId(), post).at(0).likes == 5);
        // Fresh numbers are not fetched again, old ones are.
        numbers->ofPost(tenant(), brandId(), post);
        CPPUNIT_ASSERT_EQUAL(1, asked);
        advance(15min);
        const auto kept = numbers->ofPost(tenant(), brandId(), post);
        CPPUNIT_ASSERT_EQUAL(2, asked);
        CPPUNIT_ASSERT(kept.at(0).likes == 5 && kept.at(0).fetchedAt == now() - 15min);
    }

    void deletesPostsAtTheirNetworks()
    {
        const auto content = publish(addAccount(Platform::Mastodon), "First", 0s, {"Second"});
        work();
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, forAWhile->posts.size());
        const PostService service(*tools);
        const auto post = *PostId::parse(item(content).at("/postId"));
        const Author author{Doer::system(), {}};
        forAWhile->onRemove = [](const StepResult&) { return StepOutcome::retry(FailureCode::NetworkUnreachable, "No answer."); };
        CPPUNIT_ASSERT_THROW(service.remove(author, tenant(), brandId(), post, IfMatch(""), true), Problem);
        CPPUNIT_ASSERT_EQUAL(std::string("published"), status(content));
        std::vector<std::string> order;
        forAWhile->onRemove = [&](const StepResult& published) -> std::optional<StepOutcome>
        {
            order.push_back(published.id);
            return std::nullopt;
        };
        service.remove(author, tenant(), brandId(), post, IfMatch(""), true);
        CPPUNIT_ASSERT(order == (std::vector<std::string>{"p2", "p1"}));
        CPPUNIT_ASSERT(forAWhile->posts.empty());
        CPPUNIT_ASSERT_EQUAL(404, inBrand(brand, Method::Get, "/api/posts/" + post.text(), admin).status);
    }

    void leavesCopiesAtNetworksThatDeleteNothing()
    {
        const auto answer = made(inBrand(brand, Method::Post, "/api/posts", admin,
                                         R"({"text":"Both","targets":[{"integrationId":")" + addAccount(Platform::Mastodon) +
                                             R"("},{"integrationId":")" + addAccount(Platform::Webhook) + R"("}]})"));
        const auto post = answer.at("/postId");
        CPPUNIT_ASSERT_EQUAL(202, inBrand(brand, Method::Post, "/api/posts/" + post + "/publish", admin, "{}").status);
        work();
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, forAWhile->posts.size());
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, idempotent->posts.size());
        const PostService service(*tools);
        service.remove({Doer::system(), {}}, tenant(), brandId(), *PostId::parse(post), IfMatch(""), true);
        CPPUNIT_ASSERT(forAWhile->posts.empty());
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, idempotent->posts.size());
        CPPUNIT_ASSERT_EQUAL(404, inBrand(brand, Method::Get, "/api/posts/" + post, admin).status);
    }

private:
    std::unique_ptr<TimeZones> zones;
    std::unique_ptr<ContentTools> tools;
    std::unique_ptr<NumbersService> numbers;
};

CPPUNIT_TEST_SUITE_REGISTRATION(AnalyticsTest);

} // namespace portico::tests
