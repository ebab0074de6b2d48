#include "social/NetworkFixture.h"

#include "networks/NetworkCalls.h"
#include "trends/TrendService.h"

#include <algorithm>
#include <memory>

namespace portico::tests
{

using namespace social;
using namespace std::chrono_literals;

/// Sources of trends, parsed items, seeds and suggestions.
class TrendTest : public Suite<TrendTest, NetworkFixture>
{
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
                            jsonWith(R"({"kind":"$","name":"Source","url":"$"})", kind, url)))
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

    TEST(readsAFeedAndRanksItsItems)
    {
        serve({{"/feed", always(200, rss({"One", "Two"}))}});
        addSource("rss", "https://news.example/feed");
        runJobs();
        equal("2", source().at("/items/0/itemCount"));
        advance(2h);
        serve({{"/feed", always(200, rss({"One", "Three"}))}});
        runJobs();
        const auto page = trends("?limit=2");
        equal("Three", page.at("/items/0/title"));
        equal("rss", page.at("/items/0/source/type"));
        equal("News", page.at("/items/0/tags/0"));
        const auto rest = trends("?limit=2&cursor=" + page.at("/nextCursor"));
        CPPUNIT_ASSERT_MESSAGE(rest.body, rest.body.find("Three") == std::string::npos && rest.at("/nextCursor") == "null");
        CHECK(trends("?tag=news&minScore=0.45").body.find("Three") != std::string::npos);
        equal(std::string::npos, trends("?minScore=0.9").body.find("Three"));
        equal(std::string::npos, trends("?source=bluesky_feed").body.find("Three"));
        // Thirty days later nothing of it is there.
        serve({{"/feed", always(200, rss({}))}});
        advance(31 * 24h);
        runJobs();
        equal(std::string::npos, trends().body.find("Three"));
    }

    TEST(fetchesConditionallyAndBacksOff)
    {
        serve({{"/feed", [](const HttpClient::Request&) {
                    return respond(200, rss({"One"}), {{"ETag", "\"v1\""}, {"Last-Modified", "Sat, 28 Nov 2026 10:00:00 GMT"}});
                }}});
        addSource("rss", "https://news.example/feed");
        runJobs();
        serve({{"/feed", always(304, "")}});
        advance(17min);
        runJobs();
        equal("\"v1\"", header(http().requests().back(), "If-None-Match"));
        equal("Sat, 28 Nov 2026 10:00:00 GMT", header(http().requests().back(), "If-Modified-Since"));
        equal("1", source().at("/items/0/itemCount"));
        equal("null", source().at("/items/0/lastError"));
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
        equal("The source answered 500.", source().at("/items/0/lastError"));
        serve({{"/feed", always(200, "<html>")}});
        made(inBrand(brand, Method::Patch, "/api/trend-sources/" + source().at("/items/0/trendSourceId"), admin, R"({"name":"Renamed"})"));
        equal(202, inBrand(brand, Method::Post, "/api/trend-sources/" + source().at("/items/0/trendSourceId") + "/refresh", admin).status);
        runJobs();
        CHECK(source().at("/items/0/lastError").find("feed") != std::string::npos);
    }

    TEST(readsMastodonAndBluesky)
    {
        const std::string history = R"([{"uses":"240","accounts":"60","day":"1"},{"uses":"1","accounts":"1"}])";
        int likes = 10;
        serve({{"/trends/tags",
                always(200, jsonWith(R"([{"name":"coffee","url":"https://social.example/tags/coffee","history":$}])", history))},
               {"/trends/links",
                always(200,
                       jsonWith(R"([{"url":"https://news.example/a","title":"A story","description":"About it","history":$}])", history))},
               {"/trends/statuses",
                always(200,
                       R"([{"url":"https://social.example/@a/1","content":"<p>Hello &amp; more</p>","created_at":"2026-11-23T07:00:00Z",)"
                       R"("replies_count":3,"reblogs_count":4,"favourites_count":5}])")},
               {"resolveHandle", always(200, R"({"did":"did:plc:feed"})")},
               {"getFeed", [&](const HttpClient::Request& request)
                {
                    CHECK(request.url.find("did%3Aplc%3Afeed") != std::string::npos);
                    return respond(
                        200, jsonWith(R"({"feed":[{"post":{"uri":"at://did:plc:x/app.bsky.feed.post/3k","author":{"handle":"x.example"},)"
                                      R"("record":{"text":"A post","createdAt":"2026-11-23T07:30:00Z","langs":["en"]},"likeCount":$}}]})",
                                      likes));
                }}});
        addSource("mastodon_trends", "https://social.example/explore");
        addSource("bluesky_feed", "https://bsky.app/profile/feeds.example/feed/hot");
        runJobs();
        const auto tags = trends("?source=mastodon_trends&tag=coffee");
        equal("#coffee", tags.at("/items/0/title"));
        equal("240", tags.at("/items/0/metrics/mentions"));
        // 240 uses since midnight, at eight o'clock.
        equal("30", tags.at("/items/0/metrics/velocity"));
        CHECK(trends("?source=mastodon_trends").body.find("Hello & more") != std::string::npos);
        equal("https://bsky.app/profile/x.example/post/3k", trends("?source=bluesky_feed").at("/items/0/url"));
        likes = 110;
        advance(1h);
        runJobs();
        equal("100", trends("?source=bluesky_feed").at("/items/0/metrics/velocity"));
        serve({{"/trends/tags", always(200, "<html>")}});
        advance(1h);
        runJobs();
        CHECK(source().body.find("is not a Mastodon server") != std::string::npos);
    }

    TEST(refusesAddressesAndTooManySources)
    {
        const auto add = [&](const std::string& kind, const std::string& url)
        { return inBrand(brand, Method::Post, "/api/trend-sources", admin, jsonWith(R"({"kind":"$","name":"x","url":"$"})", kind, url)); };
        refused(add("rss", "http://news.example/feed"), 400, "validation_failed");
        refused(add("rss", "file:///etc/passwd"), 400, "validation_failed");
        refused(add("bluesky_feed", "https://news.example/feed"), 400, "validation_failed");
        for (int i = 0; i < 50; ++i) addSource("rss", "https://news.example/" + std::to_string(i));
        refused(add("rss", "https://news.example/more"), 409, "conflict");
        const auto id = source().at("/items/0/trendSourceId");
        equal(204, inBrand(brand, Method::Delete, "/api/trend-sources/" + id, admin).status);
        equal(404, inBrand(brand, Method::Delete, "/api/trend-sources/" + id, admin).status);
        equal(201, add("rss", "https://news.example/more").status);
    }

    TEST(keepsASeedOnce)
    {
        const auto share = [&](const Caller& caller, const std::string& body)
        { return inBrand(brand, Method::Post, "/api/seeds/share", caller, body); };
        const std::string body = R"({"item":{"title":"A story","url":"https://news.example/a"},"note":"For Monday","tags":["week"]})";
        const auto first = share(member, body);
        equal(201, first.status, first.body);
        const auto again = share(admin, R"({"item":{"title":"Same","url":"https://news.example/a?utm_source=x"}})");
        equal(200, again.status);
        equal(first.at("/seedId"), again.at("/seedId"));
        refused(share(member, "{}"), 400, "validation_failed");
        refused(share(member, R"({"sourceItemId":"src_01jd0000000000000000000000"})"), 404, "not_found");
        const auto list = [&](const std::string& query) { return made(inBrand(brand, Method::Get, "/api/seeds" + query, admin)); };
        equal(first.at("/seedId"), list("?q=story&tag=week").at("/items/0/seedId"));
        equal("[]", list("?q=other").at("/items"));
        const auto archived =
            made(inBrand(brand, Method::Patch, "/api/seeds/" + first.at("/seedId"), member, R"({"archived":true,"note":""})"));
        CHECK(archived.at("/archivedAt") != "null");
        equal("[]", list("").at("/items"));
        equal(first.at("/seedId"), list("?archived=true").at("/items/0/seedId"));
    }

    testing::TestAnswer suggest(const Caller& caller, const std::string& body) const
    {
        return inBrand(brand, Method::Post, "/api/content-strategy/suggestions/generate-from-trends", caller, body);
    }

    TEST(makesSuggestionsForEachPlatform)
    {
        serve({{"/feed", always(200, rss({"Story"}))}});
        addSource("rss", "https://news.example/feed");
        runJobs();
        const auto item = trends().at("/items/0/sourceItemId");
        made(inBrand(brand, Method::Post, "/api/seeds/share", member, jsonWith(R"({"sourceItemId":"$"})", item)));
        const auto answer = suggest(
            member,
            jsonWith(R"({"items":[{"sourceItemId":"$"}],"platforms":["bluesky","mastodon","instagram","tiktok"],"perPlatform":2})", item));
        equal(201, answer.status, answer.body);
        equal("Story\n\nhttps://news.example/Story", answer.at("/suggestions/0/text"));
        equal("template", answer.at("/generator"));
        equal("pending", answer.at("/suggestions/3/approvalState"));
        equal(item, answer.at("/suggestions/0/source/sourceItemId"));
        CHECK(answer.at("/skipped/0/reason") == "media_required" && answer.at("/skipped/1/reason") == "platform_not_ready");
        equal("1", made(inBrand(brand, Method::Get, "/api/seeds", admin)).at("/items/0/useCount"));
        refused(suggest(member, R"({"items":[{}],"platforms":["bluesky"]})"), 400, "validation_failed");
        refused(suggest(member, R"({"items":[{"sourceItemId":"src_01jd0000000000000000000000"}],"platforms":["bluesky"]})"), 400,
                "validation_failed");
    }

    TEST(limitsSuggestions)
    {
        const std::string body = R"({"items":[{"title":"x"}],"platforms":["bluesky"]})";
        for (int i = 0; i < 10; ++i) equal(201, suggest(member, body).status);
        const auto answer = suggest(member, body);
        refused(answer, 429, "rate_limited");
        equal(201, suggest(admin, body).status);
        advance(1min);
        equal(201, suggest(member, body).status);
    }

    std::string brand;
};

/// Texts of suggestions by a model server.
class SuggestionModelTest : public Suite<SuggestionModelTest, NetworkFixture>
{
    void start(const std::string& provider, const std::string& model)
    {
        settings.config["social.ai.provider"] = provider;
        settings.config["social.ai.url"] = "https://models.example/";
        settings.config["social.ai.textModel"] = model;
        NetworkFixture::setUp();
        brand = newBrand(admin);
    }
    // Each test starts the service with its own model.
    void setUp() override {}

    /// Chat completions with these contents, one a request; the last one repeats.
    void serveTexts(const std::vector<std::string>& contents) const
    {
        serve({{"/chat/completions", [contents, at = std::make_shared<std::size_t>(0)](const HttpClient::Request&)
                {
                    const auto& content = contents[std::min((*at)++, contents.size() - 1)];
                    return respond(200, jsonWith(R"({"choices":[{"message":{"role":"assistant","content":$}}]})", jsonText(content)));
                }}});
    }
    static std::string textsOf(const std::string& text) { return jsonWith(R"({"topics":[{"number":0,"texts":[$]}]})", jsonText(text)); }
    testing::TestAnswer suggest(const std::string& platforms = R"(["bluesky"])", const std::string& more = "") const
    {
        auto answer = inBrand(brand, Method::Post, "/api/content-strategy/suggestions/generate-from-trends", admin,
                              jsonWith(R"({"items":[{"title":"A mill that calculates","url":"https://news.example/mill"}],"platforms":$$})",
                                       platforms, more));
        equal(201, answer.status, answer.body);
        return answer;
    }
    static std::string repeated(std::string_view word, int count)
    {
        std::string text;
        for (int i = 0; i < count; ++i) text += word;
        return text;
    }

    TEST(writesWithTheModelOfTheServer)
    {
        start("openai", "writer-1");
        serveTexts({textsOf("Steam can count.")});
        const auto answer = suggest(R"(["bluesky","mastodon"])", R"(,"tone":"dry","instructions":"No hashtags","language":"de")");
        equal("Steam can count.\n\nhttps://news.example/mill", answer.at("/suggestions/0/text"));
        CHECK(answer.at("/generator") == "model" && answer.at("/suggestions/1/generator") == "model");
        equal("pending", answer.at("/suggestions/0/approvalState"));
        equal("[]", answer.at("/warnings"));
        const auto requests = http().requests();
        equal(2, requests.size());
        const auto& body = requests.front().body;
        equal("https://models.example/v1/chat/completions", requests.front().url);
        for (const auto* part : {R"("model":"writer-1")", "A mill that calculates", "dry", "No hashtags", R"(\"language\":\"de\")"})
            CPPUNIT_ASSERT_MESSAGE(body, body.find(part) != std::string::npos);
        CPPUNIT_ASSERT_MESSAGE(body, body.find("\"tools\"") == std::string::npos && body.find(admin.organizationId) == std::string::npos);
    }

    TEST(requestsAShorterTextOnceAndCutsTheNext)
    {
        start("gateway", "");
        serveTexts({textsOf(repeated("engine ", 60)), textsOf("Engines, in short")});
        const auto shorter = suggest();
        equal("Engines, in short\n\nhttps://news.example/mill", shorter.at("/suggestions/0/text"));
        equal("[]", shorter.at("/warnings"));
        equal(2, http().requests().size());
        const auto second = http().requests().back();
        equal("https://models.example/api/chat/completions", second.url);
        CPPUNIT_ASSERT_MESSAGE(second.body, second.body.find("tooLong") != std::string::npos &&
                                                second.body.find(admin.organizationId) != std::string::npos);

        serveTexts({textsOf(repeated("engine ", 60))});
        const auto cut = suggest();
        equal(4, http().requests().size());
        const auto text = cut.at("/suggestions/0/text");
        CPPUNIT_ASSERT_MESSAGE(text, text.ends_with("engine\u2026\n\nhttps://news.example/mill"));
        equal("text_cut", cut.at("/warnings/0/code"));
        equal(cut.at("/suggestions/0/contentId"), cut.at("/warnings/0/contentId"));
        equal("model", cut.at("/suggestions/0/generator"));
    }

    TEST(usesTemplatesForUnusableAnswers)
    {
        start("openai", "writer-1");
        const auto chat = [](const std::string& content)
        { return jsonWith(R"({"choices":[{"message":{"content":$}}]})", jsonText(content)); };
        const std::vector<std::pair<int, std::string>> answers = {{500, "{}"},
                                                                  {429, "{}"},
                                                                  {200, "<!doctype html><p>Sign in"},
                                                                  {200, R"({"choices":[]})"},
                                                                  {200, R"({"choices":[{"message":{"content":null}}]})"},
                                                                  {200, chat("Here is your post: Steam!")},
                                                                  {200, chat("<html><body>Steam</body></html>")},
                                                                  {200, chat(R"({"topics":"Steam"})")},
                                                                  {200, chat(R"({"topics":[{"number":0,"texts":[" "]}]})")}};
        int turn = 0;
        for (const auto& [status, body] : answers)
        {
            serve({{"/chat/completions", always(status, body)}});
            const auto before = http().requests().size();
            // The second network does not ask a model that has failed.
            const auto answer = suggest(R"(["bluesky","mastodon"])");
            equal(before + 1, http().requests().size(), body);
            equal("A mill that calculates\n\nhttps://news.example/mill", answer.at("/suggestions/0/text"));
            CPPUNIT_ASSERT_MESSAGE(answer.body, answer.at("/generator") == "template" && answer.at("/warnings/0/code") == "model_failed");
            if (++turn % 8 == 0) advance(1min);
        }
        // The client ends an answer that is longer than the limit, as it does here for one of 50 MB.
        http().answer(
            [](const HttpClient::Request& request) -> HttpClient::Response
            {
                CHECK(request.maxResponseBytes <= 1U << 20);
                throw HttpFailure(502, "upstream_failed", "The answer is too long.", HttpFailure::Sent::PerhapsSent);
            });
        equal("template", suggest().at("/generator"));
    }

    TEST(storesTextOfTheModelAsPlainText)
    {
        start("openai", "writer-1");
        serveTexts({R"({"topics":[{"number":7,"texts":["lost"]},{"number":0,)"
                    R"("texts":["  <b>Steam</b><script>x()</script> \u0007counts\r\nA < B & C ","second","third"]}]})"});
        const auto answer = suggest(R"(["bluesky"])", R"(,"perPlatform":2)");
        CPPUNIT_ASSERT_MESSAGE(answer.body, answer.at("/suggestions/0/text").starts_with("Steam"));
        for (const auto* never : {"<b>", "script", "\\u0007", "lost", "third"})
            CPPUNIT_ASSERT_MESSAGE(answer.body, answer.body.find(never) == std::string::npos);
        CHECK(answer.at("/suggestions/1/text").starts_with("second"));

        serveTexts({textsOf("1 < 2\nand R&D")});
        equal("1 < 2\nand R&D\n\nhttps://news.example/mill", suggest().at("/suggestions/0/text"));
        // One of two comes from the model; the other is a template.
        const auto half = suggest(R"(["bluesky"])", R"(,"perPlatform":2)");
        CHECK(half.at("/suggestions/0/generator") == "model" && half.at("/suggestions/1/generator") == "template");
    }

    TEST(usesTemplatesWithoutATextModel)
    {
        start("openai", "");
        const auto answer = suggest();
        CHECK(answer.at("/generator") == "template" && answer.at("/warnings") == "[]");
        equal(0, http().requests().size());
    }

    std::string brand;
};

} // namespace portico::tests
