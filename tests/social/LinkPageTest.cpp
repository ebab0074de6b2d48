#include "links/LinkPage.h"
#include "support/Suite.h"
#include "text/Html.h"

namespace portico::tests
{

using namespace social;

/// Reads pages of other servers.
class LinkPageTest : public Suite<LinkPageTest>
{
    TEST(readsTextOutOfHtml)
    {
        equal("a & b <\u2019\U0001F600&unknown; &#xZZ;", withoutReferences("a &amp; b &lt;&rsquo;&#x1F600;&unknown; &#xZZ;"));
        equal("\uFFFD\uFFFD", withoutReferences("&#0;&#xD800;"));
        equal("One two three", plainText("<p>One</p><p>two</p><!-- no > --><script>var x = '<p>';</script>three", 100));
        equal("See #history at a mill now !",
              plainText("See <a href=x>#<span>history</span></a> at<BR>a <B\n>mill</B><li>now</li><em>!</em>", 100));
        equal("One t", plainText("One two", 5));
        equal("open", plainText("open<a href=", 100));
    }

    TEST(readsTheHeadOfAPage)
    {
        const auto page =
            readLinkPage("<!doctype html><HTML><head><title>Plain title</title><meta charset=utf-8>"
                         "<META Property='og:title' content=\"A > B &quot;quoted&quot;\"/><meta name=description content=short>"
                         "<meta property=\"og:site_name\" content=\"Example\"><meta property=\"og:image\" content=\"pics/a.png?x=1\">"
                         "</head><body><meta property=\"og:description\" content=\"not this\">",
                         "https://example.org/blog/post?id=1");
        equal("A > B \"quoted\"", page.title);
        equal("short", page.description);
        equal("Example", page.siteName);
        equal("https://example.org/blog/pics/a.png?x=1", page.imageUrl);
    }

    TEST(readsPagesThatAreMalformed)
    {
        equal("Only", readLinkPage("<title>Only</title>", "https://example.org").title);
        equal("", readLinkPage("<meta property=og:title content=", "https://example.org").title);
        equal("", readLinkPage("<!-- never closed <title>x</title>", "https://example.org").title);
        equal("", readLinkPage("<<<<\"'= ><meta", "https://example.org").title);
        equal(300, readLinkPage("<title>" + std::string(9'000, 'x') + "</title>", "https://e.org").title.size());
    }

    TEST(resolvesAddresses)
    {
        equal("https://cdn.example/a", absoluteUrl("https://example.org/x", "//cdn.example/a"));
        equal("https://example.org/a", absoluteUrl("https://example.org/x/y", "/a"));
        equal("https://example.org/a", absoluteUrl("https://example.org", "a"));
        for (const auto* address :
             {"javascript:alert(1)", "data:image/png;base64,x", "", "ftp://example.org/a", "https://user@example.org/"})
            equal("", absoluteUrl("https://example.org/x", address), address);
    }
};

} // namespace portico::tests
