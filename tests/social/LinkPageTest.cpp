#include "links/LinkPage.h"
#include "text/Html.h"

#include <cppunit/extensions/HelperMacros.h>

namespace portico::tests
{

using namespace social;

/// Reads pages of other servers.
class LinkPageTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(LinkPageTest);
    CPPUNIT_TEST(readsTextOutOfHtml);
    CPPUNIT_TEST(readsTheHeadOfAPage);
    CPPUNIT_TEST(readsPagesThatAreMalformed);
    CPPUNIT_TEST(resolvesAddresses);
    CPPUNIT_TEST_SUITE_END();

public:
    void readsTextOutOfHtml()
    {
        CPPUNIT_ASSERT_EQUAL(std::string("a & b <\u2019\U0001F600&unknown; &#xZZ;"),
                             withoutReferences("a &amp; b &lt;&rsquo;&#x1F600;&unknown; &#xZZ;"));
        CPPUNIT_ASSERT_EQUAL(std::string("\uFFFD\uFFFD"), withoutReferences("&#0;&#xD800;"));
        CPPUNIT_ASSERT_EQUAL(std::string("One two three"),
                             plainText("<p>One</p><p>two</p><!-- no > --><script>var x = '<p>';</script>three", 100));
        CPPUNIT_ASSERT_EQUAL(std::string("See #history at a mill now !"),
                             plainText("See <a href=x>#<span>history</span></a> at<BR>a <B\n>mill</B><li>now</li><em>!</em>", 100));
        CPPUNIT_ASSERT_EQUAL(std::string("One t"), plainText("One two", 5));
        CPPUNIT_ASSERT_EQUAL(std::string("open"), plainText("open<a href=", 100));
    }

    void readsTheHeadOfAPage()
    {
        const auto page =
            readLinkPage("<!doctype html><HTML><head><title>Plain title</title><meta charset=utf-8>"
                         "<META Property='og:title' content=\"A > B &quot;quoted&quot;\"/><meta name=description content=short>"
                         "<meta property=\"og:site_name\" content=\"Example\"><meta property=\"og:image\" content=\"pics/a.png?x=1\">"
                         "</head><body><meta property=\"og:description\" content=\"not this\">",
                         "https://example.org/blog/post?id=1");
        CPPUNIT_ASSERT_EQUAL(std::string("A > B \"quoted\""), page.title);
        CPPUNIT_ASSERT_EQUAL(std::string("short"), page.description);
        CPPUNIT_ASSERT_EQUAL(std::string("Example"), page.siteName);
        CPPUNIT_ASSERT_EQUAL(std::string("https://example.org/blog/pics/a.png?x=1"), page.imageUrl);
    }

    void readsPagesThatAreMalformed()
    {
        CPPUNIT_ASSERT_EQUAL(std::string("Only"), readLinkPage("<title>Only</title>", "https://example.org").title);
        CPPUNIT_ASSERT_EQUAL(std::string(), readLinkPage("<meta property=og:title content=", "https://example.org").title);
        CPPUNIT_ASSERT_EQUAL(std::string(), readLinkPage("<!-- never closed <title>x</title>", "https://example.org").title);
        CPPUNIT_ASSERT_EQUAL(std::string(), readLinkPage("<<<<\"'= ><meta", "https://example.org").title);
        CPPUNIT_ASSERT_EQUAL(std::size_t{300},
                             readLinkPage("<title>" + std::string(9'000, 'x') + "</title>", "https://e.org").title.size());
    }

    void resolvesAddresses()
    {
        CPPUNIT_ASSERT_EQUAL(std::string("https://cdn.example/a"), absoluteUrl("https://example.org/x", "//cdn.example/a"));
        CPPUNIT_ASSERT_EQUAL(std::string("https://example.org/a"), absoluteUrl("https://example.org/x/y", "/a"));
        CPPUNIT_ASSERT_EQUAL(std::string("https://example.org/a"), absoluteUrl("https://example.org", "a"));
        for (const auto* address :
             {"javascript:alert(1)", "data:image/png;base64,x", "", "ftp://example.org/a", "https://user@example.org/"})
            CPPUNIT_ASSERT_EQUAL_MESSAGE(address, std::string(), absoluteUrl("https://example.org/x", address));
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(LinkPageTest);

} // namespace portico::tests
