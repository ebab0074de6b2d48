#include "support/Suite.h"
#include "text/Counting.h"
#include "text/Graphemes.h"

#include <string>

namespace portico::tests
{

using namespace social;

class TextCountTest : public Suite<TextCountTest>
{
    TEST(countsWhatAReaderSeesAsOneCharacter)
    {
        equal(0, graphemeCount(""));
        equal(5, graphemeCount("Hello"));
        equal(1, graphemeCount("e\u0301"));
        equal(1, graphemeCount("\U0001F468\u200D\U0001F469\u200D\U0001F467\u200D\U0001F466")); // a family
        equal(1, graphemeCount("\U0001F44D\U0001F3FD"));                                       // a thumb with a skin tone
        equal(2, graphemeCount("\U0001F1E9\U0001F1EA\U0001F1EB\U0001F1F7"));                   // two flags
        equal(1, graphemeCount("1\uFE0F\u20E3"));
        equal(1, graphemeCount("\r\n"));
        equal(4, graphemeCount("שלום"));
        equal(1, graphemeCount("\u1112\u1161\u11ab")); // Hangul in parts
    }

    TEST(cutsBetweenGraphemes)
    {
        const std::string text = "a\U0001F468\u200D\U0001F469\u200D\U0001F467e\u0301z";
        equal("a\U0001F468\u200D\U0001F469\u200D\U0001F467", std::string(firstGraphemes(text, 2)));
        equal("a\U0001F468\u200D\U0001F469\u200D\U0001F467e\u0301", std::string(firstGraphemes(text, 3)));
        equal(text, std::string(firstGraphemes(text, 99)));
        equal("", std::string(firstGraphemes(text, 0)));
    }

    TEST(countsBytesThatAreNotUtf8)
    {
        equal(3, graphemeCount("a\xff\xfe"));
        equal(2, graphemeCount("\xe2\x82"));
    }

    TEST(countsLinksAndMentionsAsMastodonDoes)
    {
        equal(500, mastodonCount(std::string(500, 'x')));
        equal(23, mastodonCount("https://example.org/" + std::string(400, 'a')));
        equal(23, mastodonCount("http://a.io"));
        equal(4 + 23 + 1, mastodonCount("see https://example.org/a_(b)."));
        equal(2 * 23 + 1, mastodonCount("https://example.org https://example.net/x"));
        equal(11, mastodonCount("@gargron@mastodon.social hi"));
        equal(5, mastodonCount("@anna"));
        equal(17, mastodonCount("mail a@example.io"));
        // No link without a scheme or without a domain.
        equal(11, mastodonCount("example.org"));
        equal(16, mastodonCount("http://localhost"));
        equal(5, mastodonCount("\U0001F468\u200D\U0001F469 #ok"));
    }

    TEST(weighsTextAsXDoes)
    {
        equal(280, weightedCount(std::string(280, 'a')));
        equal(6, weightedCount("日本語"));
        equal(2, weightedCount("\U0001F468\u200D\U0001F469\u200D\U0001F467\u200D\U0001F466"));
        equal(2, weightedCount("\U0001F1E9\U0001F1EA"));
        equal(1, weightedCount("e\u0301")); // composed before it is counted
        equal(1, weightedCount("\u00A9"));
        equal(2, weightedCount("\u00A9\uFE0F"));
        equal(23, weightedCount("https://example.org/" + std::string(200, 'a')));
        equal(23 + 4, weightedCount("see example.com"));
        equal(23 + 1, weightedCount("example.com."));
        equal(12, weightedCount("file.invalid"));
        equal(17, weightedCount("mail a@example.io"));
        equal(3, weightedCount("1.5"));
        equal(1, weightedCount("\u2019"));
        equal(1, weightedCount("Ж"));
    }

    TEST(countsEmojiOnThreadsInBytes)
    {
        equal(3, threadsCount("abc"));
        equal(2, threadsCount("ä日"));
        equal(4, threadsCount("\U0001F600"));
        equal(11 + 1, threadsCount("\U0001F468\u200D\U0001F469a"));
    }

    TEST(escapesLittleText)
    {
        equal("a \\(b\\) \\#c \\@d \\_e\\_ \\\\ \\*\\~\\|\\{\\}\\[\\]\\<\\>", escapedLittleText("a (b) #c @d _e_ \\ *~|{}[]<>"));
        equal(4, littleTextCount("#ab"));
        equal(2, littleTextCount("é日"));
    }
};

} // namespace portico::tests
