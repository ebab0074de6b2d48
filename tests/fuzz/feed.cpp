#include "fuzz/Require.h"

#include "links/LinkPage.h"
#include "text/Html.h"
#include "trends/FeedReader.h"

#include "portico/Text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace portico::social;
    const auto text = portico::fuzz::textOf(data, size);
    const auto page = readLinkPage(text, "https://example.org/a/b");
    portico::fuzz::require(page.imageUrl.empty() || portico::isWebUrl(page.imageUrl));
    portico::fuzz::require(portico::characterCount(plainText(text, 100)) <= 100);
    parseFeedDate(text);
    try
    {
        const auto feed = readFeed(text, "https://example.org/feed");
        portico::fuzz::require(feed.entries.size() <= 200);
        for (const auto& entry : feed.entries)
            portico::fuzz::require(!entry.title.empty() && portico::characterCount(entry.title) <= 300 &&
                                   portico::characterCount(entry.summary) <= 2'000 && (entry.url.empty() || portico::isWebUrl(entry.url)));
    }
    catch (const FeedError&)
    {
    }
    return 0;
}
