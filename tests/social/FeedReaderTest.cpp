#include "trends/FeedReader.h"
#include "networks/Limits.h"
#include "support/Suite.h"
#include "trends/SourceItem.h"
#include "trends/SuggestionTexts.h"

namespace portico::tests
{

using namespace social;
using namespace std::chrono_literals;

/// Feeds of the forms that are in use, and texts that are none.
class FeedReaderTest : public Suite<FeedReaderTest>
{
    TEST(readsRss2)
    {
        const auto feed = readFeed(R"(<?xml version="1.0"?><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"
            xmlns:media="http://search.yahoo.com/mrss/" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>
            <title>News</title><language>en-gb</language><image><title>Not this</title></image>
            <item><title>Coffee &amp; cake</title><media:title>no</media:title><link>/story?id=1</link><guid isPermaLink="false">tag:1</guid>
            <description><![CDATA[<p>A <b>short</b> text &amp; more</p>]]></description><pubDate>Sat, 28 Nov 2026 09:30:00 +0100</pubDate>
            <category>Food</category><category>Food</category><dc:subject>Drinks</dc:subject></item>
            <item><guid>https://example.org/2</guid><content:encoded>Only &lt;i&gt;content&lt;/i&gt;</content:encoded></item>
            <item><link>https://example.org/empty</link></item></channel></rss>)",
                                   "https://example.org/feed.xml");
        equal("News", feed.title);
        equal("en-gb", feed.language);
        equal(2, feed.entries.size());
        const auto& first = feed.entries[0];
        equal("Coffee & cake", first.title);
        equal("A short text & more", first.summary);
        equal("https://example.org/story?id=1", first.url);
        CHECK(first.publishedAt == parseInstant("2026-11-28T08:30:00Z"));
        CHECK(first.tags == (std::vector<std::string>{"Food", "Drinks"}));
        equal("Only content", feed.entries[1].title);
        equal("https://example.org/2", feed.entries[1].url);
    }

    TEST(readsRss1)
    {
        const auto feed = readFeed(R"(<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
            xmlns:dc="http://purl.org/dc/elements/1.1/"><channel rdf:about="x"><title>Old news</title></channel>
            <item rdf:about="https://example.org/1"><title>One</title><link>https://example.org/1</link>
            <description>Text</description><dc:date>2026-11-28T08:00:00+00:00</dc:date></item></rdf:RDF>)",
                                   "https://example.org/rdf");
        equal(1, feed.entries.size());
        equal("Old news", feed.title);
        CHECK(feed.entries[0].url == "https://example.org/1" && feed.entries[0].publishedAt == parseInstant("2026-11-28T08:00:00Z"));
    }

    TEST(readsAtom)
    {
        const auto feed = readFeed(R"(<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="de"><title>Blog</title>
            <entry><title type="html">Gr&amp;uuml;n</title><link rel="self" href="https://example.org/self"/><link href="post/1"/>
            <author><name>Not a title</name></author><id>urn:1</id><updated>2026-11-28T10:00:00Z</updated>
            <published>2026-11-27T10:00:00+01:00</published><category term="Farbe"/><summary>Kurz</summary></entry></feed>)",
                                   "https://example.org/blog/");
        equal(1, feed.entries.size());
        const auto& entry = feed.entries[0];
        equal("Gr\u00fcn", entry.title);
        equal("https://example.org/blog/post/1", entry.url);
        CHECK(entry.publishedAt == parseInstant("2026-11-27T09:00:00Z"));
        CHECK(entry.tags == std::vector<std::string>{"Farbe"} && feed.language == "de");
    }

    TEST(readsFeedsWithFaults)
    {
        // References of HTML, a bare ampersand, a control character, and an end that is missing.
        const auto feed = readFeed("<rss><channel><item><title>A&nbsp;B &copy; R&D \x01 x</title><link>javascript:alert(1)</link></item>"
                                   "<item><title>Second</title>",
                                   "https://example.org");
        equal(1, feed.entries.size());
        equal("A B \u00a9 R&D x", feed.entries[0].title);
        equal("", feed.entries[0].url);
    }

    TEST(refusesBombsAndOtherTexts)
    {
        const auto refuses = [](const std::string& text)
        { CPPUNIT_ASSERT_THROW_MESSAGE(text.substr(0, 60), readFeed(text, "https://example.org"), FeedError); };
        refuses(
            R"(<!DOCTYPE rss [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><rss><channel><item><title>&b;</title></item></channel></rss>)");
        refuses(R"(<!DOCTYPE rss SYSTEM "file:///etc/passwd"><rss/>)");
        refuses("<html><body>Not a feed</body></html>");
        refuses("{\"items\":[]}");
        refuses("");
        refuses("<rss>" + std::string(200, '<'));
        std::string deep = "<rss>";
        for (int i = 0; i < 100; ++i) deep += "<a>";
        refuses(deep);
    }

    TEST(emptyRootOfAnotherFormatIsRefused)
    {
        for (const auto* text : {R"(<feed xmlns="http://www.w3.org/21"/>g/2005/Atom)", "<html/>"})
            CPPUNIT_ASSERT_THROW_MESSAGE(text, readFeed(text, "https://example.org"), FeedError);
    }

    TEST(boundsWhatItReads)
    {
        std::string text = "<rss><channel>";
        for (int i = 0; i < 500; ++i) text += "<item><title>Item " + std::to_string(i) + "</title></item>";
        equal(200, readFeed(text + "</channel></rss>", "https://example.org").entries.size());
        const auto lengthy = readFeed("<rss><channel><item><title>" + std::string(90'000, 'x') + "</title><description>" +
                                          std::string(90'000, 'y') + "</description></item></channel></rss>",
                                      "https://example.org");
        equal(300, lengthy.entries.at(0).title.size());
        equal(2000, lengthy.entries.at(0).summary.size());
    }

    TEST(readsDatesOfFeeds)
    {
        const auto reads = [](const char* text, const char* expected)
        { CPPUNIT_ASSERT_MESSAGE(text, parseFeedDate(text) == parseInstant(expected)); };
        reads("Sat, 28 Nov 2026 10:00:00 GMT", "2026-11-28T10:00:00Z");
        reads("28 Nov 26 10:00 EST", "2026-11-28T15:00:00Z");
        reads(" 1 January 2026 00:00:01 -0730 ", "2026-01-01T07:30:01Z");
        reads("2026-11-28", "2026-11-28T00:00:00Z");
        reads("2026-11-28T10:00:00.5+02:00", "2026-11-28T08:00:00.500Z");
        for (const auto* text : {"", "yesterday", "Sat, 31 Feb 2026 10:00:00 GMT", "28 Nov 2026", "28 Nov 2026 25:00:00 GMT",
                                 "28 Nov 2026 10:00:00 +99", "28 Nov 2026 10:00:00 Mars", "-1 Nov 2026 10:00:00 GMT"})
            CPPUNIT_ASSERT_MESSAGE(text, !parseFeedDate(text));
    }

    TEST(findsTheSameItemAgain)
    {
        const auto key = dedupeKeyOf("https://Example.org/a?id=1", "x");
        for (const auto* same : {"https://example.org/a?id=1#part", "https://example.org/a?utm_source=x&id=1&fbclid=y"})
            equal(key, dedupeKeyOf(same, "y"), same);
        for (const auto* other : {"https://example.org/A?id=1", "https://example.org/a", "https://example.org/a?id=2"})
            CPPUNIT_ASSERT_MESSAGE(other, key != dedupeKeyOf(other, "x"));
        equal(dedupeKeyOf("", "Caf\u00e9"), dedupeKeyOf("", "CAFE"));
        CHECK(dedupeKeyOf("", "a") != dedupeKeyOf("", "b"));
    }

    TEST(scoresByAgeReachAndSpeed)
    {
        const auto now = *parseInstant("2026-11-28T12:00:00Z");
        equal(0.5, trendScore({}, now, now, now));
        equal(0.25, trendScore({}, now - 24h, now, now));
        equal(1.0, trendScore({999'999, 0, 100}, now, now, now));
        equal(0.65, trendScore({500, 499, 0}, now, now, now));
        equal(0.6, trendScore({0, 0, 50}, std::nullopt, now, now));
        // A future date does not make an item newer than one that was just seen.
        equal(0.5, trendScore({}, now + 48h, now, now));
    }

    TEST(cutsSuggestionsAtAWord)
    {
        const NetworkLimits limits{.textUnit = TextUnit::Graphemes, .maxText = 60};
        SourceItem item;
        item.title = "Coffee prices rise";
        item.summary = "They have never been as high as they are in these weeks";
        item.url = "https://example.org/a";
        const auto text = suggestedText(item, "en", 1, limits);
        equal("Coffee prices rise\n\nThey have never\u2026\n\nhttps://example.org/a", text);
        CHECK(measure(limits, text).fits);
        equal("Lesenswert: Coffee prices rise\n\nhttps://example.org/a", suggestedText(item, "de-AT", 2, limits));
        for (std::size_t number = 0; number < 5; ++number) CHECK(measure(limits, suggestedText(item, "fr", number, limits)).fits);
    }
};

} // namespace portico::tests
