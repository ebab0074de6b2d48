#include "Fixture.h"

using namespace portico;
using portico::testing::TestHost;

namespace acme_notes::tests
{

/// The page: what everyone sees before they sign in.
class PageTest : public Suite<PageTest, Fixture>
{
    TEST(everyoneMaySeeThePage)
    {
        const auto page = host.call(Method::Get, "/");
        equal(200, page.status);
        equal("text/html; charset=utf-8", page.contentType);
        // Files of this origin, and no inline script.
        const auto& headers = page.headerBlock();
        CPPUNIT_ASSERT_MESSAGE(headers, headers.find("script-src 'self'; connect-src 'self'") != std::string::npos);
        for (const auto& [before, type] : {std::pair{"rel=\"icon\" href=\"", "image/svg+xml"},
                                           {"rel=\"stylesheet\" href=\"", "text/css; charset=utf-8"},
                                           {"type=\"module\" src=\"", "text/javascript; charset=utf-8"}})
        {
            const auto at = page.body.find(before);
            CPPUNIT_ASSERT_MESSAGE(before, at != std::string::npos);
            const auto begin = at + std::string_view(before).size();
            const auto file = host.call(Method::Get, page.body.substr(begin, page.body.find('"', begin) - begin));
            equal(200, file.status, before);
            equal(type, file.contentType);
        }
    }

    TEST(usesEveryTextAndTemplate)
    {
        const Templates texts("web", host.context().logger());
        const WebPages pages(host.context().host(), texts);
        pages.bind<NotesView>("notes");
        for (const auto& finding : texts.findings()) CPPUNIT_FAIL(finding);
    }

    TEST(aPageThatIsNotInstalledRefusesThePlugin)
    {
        const portico::testing::TemporaryDirectory folder;
        for (const auto* part : {"manifest.json", "migrations"})
            std::filesystem::copy(part, folder.path() / part, std::filesystem::copy_options::recursive);
        CPPUNIT_ASSERT_THROW(TestHost({.pluginDirectory = folder.path()}, make), std::runtime_error);
    }
};

} // namespace acme_notes::tests
