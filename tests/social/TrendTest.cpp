#include "social/NetworkFixture.h"

#include "trends/TrendService.h"

namespace portico::tests
{

using namespace social;
using namespace std::chrono_literals;

/// Sources of trends, what is read of them, seeds and suggestions.
class TrendTest : public NetworkFixture
{
    CPPUNIT_TEST_SUITE(TrendTest);
    CPPUNIT_TEST(readsAFeedAndRanksItsItems);
    CPPUNIT_TEST(fetchesConditionallyAndBacksOff);
    CPPUNIT_TEST(readsMastodonAndBluesky);
    CPPUNIT_TEST(refusesAddressesAndTooManySources);
    CPPUNIT_TEST(keepsASeedOnce);
    CPPUNIT_TEST(makesSuggestionsForEachPlatform);
    CPPUNIT_TEST(limitsSuggestions);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override
    {
        NetworkFixture::setUp();
        brand = newBrand(admin);
    }

    static std::string rss(const std::vector<std::string>& titles)
    {
        std::string text = "<rss><channel>";
        for (const auto& title : titles)
            text += "<item><title>" + title + "</title><link>https://news.example/" + title + "</link><category>News</category></item>";
        return text + "</channel></rss>";
    }
    std::string addSource(const std::string& kind, const std::string& url) const
    {
        return made(inBrand(brand, Method::Post, "/api/trend-sources", admin,
                            R"({"kind":")" + kind + R"(","name":"Source","url":")" + url + R"("})"))
            .at("/trendSourceId");
    }
    testing::TestAnswer trends(const std::string& query = "") const
    {
        return made(inBrand(brand, Method::Get, "/api/trends" + query, admin));
    }
    testing::TestAnswer source() const { return made(inBrand(brand, Method::Get, "/api/trend-sources", admin)); }
    void runJobs() const
    {
        while (host->context().jobs().runDue() > 0) {}
    }

    void readsAFeedAndRanksItsItems()
    {
        serve({{"/feed", always(200, rss({"One", "Two"}))}});
        addSource("rss", "https://news.example/feed");
        runJobs();
        CPPUNIT_ASSERT_EQUAL(std::string("2"), source().at("/items/0/itemCount"));
        advance(2h);
        serve({{"/feed", always(200, rss({"One", "Three"}))}});
        runJobs();
        const auto page = trends("?limit=2");
        CPPUNIT_ASSERT_EQUAL(std::string("Three"), page.at("/items/0/title"));
        CPPUNIT_ASSERT_EQUAL(std::string("rss"), page.at("/items/0/source/type"));
        CPPUNIT_ASSERT_EQUAL(std::string("News"), page.at("/items/0/tags/0"));
        const auto rest = trends("?limit=2&cursor=" + page.at("/nextCursor"));
        CPPUNIT_ASSERT_MESSAGE(rest.body, rest.body.find("Three") == std::string::npos && rest.at("/nextCursor") == "null");
        CPPUNIT_ASSERT(trends("?tag=news&minScore=0.45").body.find("Three") != std::string::npos);
        CPPUNIT_ASSERT_EQUAL(std::string::npos, trends("?minScore=0.9").body.find("Three"));
        CPPUNIT_ASSERT_EQUAL(std::string::npos, trends("?source=bluesky_feed").body.find("Three"));
        // Thirty days later nothing of it is there.
        serve({{"/feed", always(200, rss({}))}});
        advance(31 * 24h);
        runJobs();
        CPPUNIT_ASSERT_EQUAL(std::string::npos, trends().body.find("Three"));
    }

    void fetchesConditionallyAndBacksOff()
    {
        serve({{"/feed", [](const HttpClient::Request&) {
                    return respond(200, rss({"One"}), {{"ETag", "\"v1\""}, {"Last-Modified", "Sat, 28 Nov 2026 10:00:00 GMT"}});
                }}});
        addSource("rss", "https://news.example/feed");
        runJobs();
        serve({{"/feed", always(304, "")}});
        advance(17min);
        runJobs();
        CPPUNIT_ASSERT_EQUAL(std::string("\"v1\""), header(http().requests().back(), "If-None-Match"));
        CPPUNIT_ASSERT_EQUAL(std::string("Sat, 28 Nov 2026 10:00:00 GMT"), header(http().requests().back(), "If-Modified-Since"));
        CPPUNIT_ASSERT_EQUAL(std::string("1"), source().at("/items/0/itemCount"));
        CPPUNIT_ASSERT_EQUAL(std::string("null"), source().at("/items/0/lastError"));
        serve({{"/feed", always(500, "")}});
        std::size_t asked = 0;
        for (int i = 0; i < 24; ++i)
        {
            advance(17min);
            const auto before = http().requests().size();
            runJobs();
            asked += http().requests().size() - before;
        }
        // 15, 30, 60, 120 and 240 minutes apart, where a source without faults would have been asked 24 times.
        CPPUNIT_ASSERT_MESSAGE(std::to_string(asked), asked >= 3 && asked <= 6);
        CPPUNIT_ASSERT_EQUAL(std::string("The source answered 500."), source().at("/items/0/lastError"));
        serve({{"/feed", always(200, "<html>")}});
        made(inBrand(brand, Method::Patch, "/api/trend-sources/" + source().at("/items/0/trendSourceId"), admin, R"({"name":"Renamed"})"));
        CPPUNIT_ASSERT_EQUAL(
            202, inBrand(brand, Method::Post, "/api/trend-sources/" + source().at("/items/0/trendSourceId") + "/refresh", admin).status);
        runJobs();
        CPPUNIT_ASSERT(source().at("/items/0/lastError").find("feed") != std::string::npos);
    }

    void readsMastodonAndBluesky()
    {
        const std::string history = R"([{"uses":"240","accounts":"60","day":"1"},{"uses":"1","accounts":"1"}])";
        int likes = 10;
        serve({{"/trends/tags", always(200, R"([{"name":"coffee","url":"https://social.example/tags/coffee","history":)" + history + "}]")},
               {"/trends/links",
                always(200, R"([{"url":"https://news.example/a","title":"A story","description":"About it","history":)" + history + "}]")},
               {"/trends/statuses",
                always(200,
                       R"([{"url":"https://social.example/@a/1","content":"<p>Hello &amp; more</p>","created_at":"2026-11-23T07:00:00Z",)"
                       R"("replies_count":3,"reblogs_count":4,"favourites_count":5}])")},
               {"resolveHandle", always(200, R"({"did":"did:plc:feed"})")},
               {"getFeed", [&](const HttpClient::Request& request)
                {
                    CPPUNIT_ASSERT(request.url.find("did%3Aplc%3Afeed") != std::string::npos);
                    return respond(200, R"({"feed":[{"post":{"uri":"at://did:plc:x/app.bsky.feed.post/3k","author":{"handle":"x.example"},)"
                                        R"("record":{"text":"A post","createdAt":"2026-11-23T07:30:00Z","langs":["en"]},"likeCount":)" +
                                            std::to_string(likes) + "}}]}");
                }}});
        addSource("mastodon_trends", "https://social.example/explore");
        addSource("bluesky_feed", "https://bsky.app/profile/feeds.example/feed/hot");
        runJobs();
        const auto tags = trends("?source=mastodon_trends&tag=coffee");
        CPPUNIT_ASSERT_EQUAL(std::string("#coffee"), tags.at("/items/0/title"));
        CPPUNIT_ASSERT_EQUAL(std::string("240"), tags.at("/items/0/metrics/mentions"));
        // 240 uses since midnight, at eight o'clock.
        CPPUNIT_ASSERT_EQUAL(std::string("30"), tags.at("/items/0/metrics/velocity"));
        CPPUNIT_ASSERT(trends("?source=mastodon_trends").body.find("Hello & more") != std::string::npos);
        CPPUNIT_ASSERT_EQUAL(std::string("https://bsky.app/profile/x.example/post/3k"), trends("?source=bluesky_feed").at("/items/0/url"));
        likes = 110;
        advance(1h);
        runJobs();
        CPPUNIT_ASSERT_EQUAL(std::string("100"), trends("?source=bluesky_feed").at("/items/0/metrics/velocity"));
        serve({{"/trends/tags", always(200, "<html>")}});
        advance(1h);
        runJobs();
        CPPUNIT_ASSERT(source().body.find("does not answer as a Mastodon server does") != std::string::npos);
    }

    void refusesAddressesAndTooManySources()
    {
        const auto add = [&](const std::string& kind, const std::string& url) {
            return inBrand(brand, Method::Post, "/api/trend-sources", admin,
                           R"({"kind":")" + kind + R"(","name":"x","url":")" + url + R"("})");
        };
        assertProblem(add("rss", "http://news.example/feed"), 400, "validation_failed");
        assertProblem(add("rss", "file:///etc/passwd"), 400, "validation_failed");
        assertProblem(add("bluesky_feed", "https://news.example/feed"), 400, "validation_failed");
        for (int i = 0; i < 50; ++i) addSource("rss", "https://news.example/" + std::to_string(i));
        assertProblem(add("rss", "https://news.example/more"), 409, "conflict");
        const auto id = source().at("/items/0/trendSourceId");
        CPPUNIT_ASSERT_EQUAL(204, inBrand(brand, Method::Delete, "/api/trend-sources/" + id, admin).status);
        CPPUNIT_ASSERT_EQUAL(404, inBrand(brand, Method::Delete, "/api/trend-sources/" + id, admin).status);
        CPPUNIT_ASSERT_EQUAL(201, add("rss", "https://news.example/more").status);
    }

    void keepsASeedOnce()
    {
        const auto share = [&](const Caller& caller, const std::string& body)
        { return inBrand(brand, Method::Post, "/api/seeds/share", caller, body); };
        const std::string body = R"({"item":{"title":"A story","url":"https://news.example/a"},"note":"For Monday","tags":["week"]})";
        const auto first = share(member, body);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(first.body, 201, first.status);
        const auto again = share(admin, R"({"item":{"title":"Same","url":"https://news.example/a?utm_source=x"}})");
        CPPUNIT_ASSERT_EQUAL(200, again.status);
        CPPUNIT_ASSERT_EQUAL(first.at("/seedId"), again.at("/seedId"));
        assertProblem(share(member, "{}"), 400, "validation_failed");
        assertProblem(share(member, R"({"sourceItemId":"src_01jd0000000000000000000000"})"), 404, "not_found");
        const auto list = [&](const std::string& query) { return made(inBrand(brand, Method::Get, "/api/seeds" + query, admin)); };
        CPPUNIT_ASSERT_EQUAL(first.at("/seedId"), list("?q=story&tag=week").at("/items/0/seedId"));
        CPPUNIT_ASSERT_EQUAL(std::string("[]"), list("?q=other").at("/items"));
        const auto archived =
            made(inBrand(brand, Method::Patch, "/api/seeds/" + first.at("/seedId"), member, R"({"archived":true,"note":""})"));
        CPPUNIT_ASSERT(archived.at("/archivedAt") != "null");
        CPPUNIT_ASSERT_EQUAL(std::string("[]"), list("").at("/items"));
        CPPUNIT_ASSERT_EQUAL(first.at("/seedId"), list("?archived=true").at("/items/0/seedId"));
    }

    testing::TestAnswer suggest(const Caller& caller, const std::string& body) const
    {
        return inBrand(brand, Method::Post, "/api/content-strategy/suggestions/generate-from-trends", caller, body);
    }

    void makesSuggestionsForEachPlatform()
    {
        serve({{"/feed", always(200, rss({"Story"}))}});
        addSource("rss", "https://news.example/feed");
        runJobs();
        const auto item = trends().at("/items/0/sourceItemId");
        made(inBrand(brand, Method::Post, "/api/seeds/share", member, R"({"sourceItemId":")" + item + R"("})"));
        const auto answer = suggest(member, R"({"items":[{"sourceItemId":")" + item +
                                                R"("}],"platforms":["bluesky","mastodon","instagram","tiktok"],"perPlatform":2})");
        CPPUNIT_ASSERT_EQUAL_MESSAGE(answer.body, 201, answer.status);
        CPPUNIT_ASSERT_EQUAL(std::string("Story\n\nhttps://news.example/Story"), answer.at("/suggestions/0/text"));
        CPPUNIT_ASSERT_EQUAL(std::string("template"), answer.at("/generator"));
        CPPUNIT_ASSERT_EQUAL(std::string("pending"), answer.at("/suggestions/3/approvalState"));
        CPPUNIT_ASSERT_EQUAL(item, answer.at("/suggestions/0/source/sourceItemId"));
        CPPUNIT_ASSERT(answer.at("/skipped/0/reason") == "media_required" && answer.at("/skipped/1/reason") == "platform_not_ready");
        CPPUNIT_ASSERT_EQUAL(std::string("1"), made(inBrand(brand, Method::Get, "/api/seeds", admin)).at("/items/0/useCount"));
        assertProblem(suggest(member, R"({"items":[{}],"platforms":["bluesky"]})"), 400, "validation_failed");
        assertProblem(suggest(member, R"({"items":[{"sourceItemId":"src_01jd0000000000000000000000"}],"platforms":["bluesky"]})"), 400,
                      "validation_failed");
    }

    void limitsSuggestions()
    {
        const std::string body = R"({"items":[{"title":"x"}],"platforms":["bluesky"]})";
        for (int i = 0; i < 10; ++i) CPPUNIT_ASSERT_EQUAL(201, suggest(member, body).status);
        const auto refused = suggest(member, body);
        assertProblem(refused, 429, "rate_limited");
        CPPUNIT_ASSERT_EQUAL(201, suggest(admin, body).status);
        advance(1min);
        CPPUNIT_ASSERT_EQUAL(201, suggest(member, body).status);
    }

private:
    std::string brand;
};

CPPUNIT_TEST_SUITE_REGISTRATION(TrendTest);

} // namespace portico::tests
