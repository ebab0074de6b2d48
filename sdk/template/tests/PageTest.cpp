#include "Fixture.h"

using namespace portico;
using portico::testing::TestHost;

namespace acme_notes::tests
{

/// The page: what everyone sees before they sign in.
class PageTest : public Fixture
{
    CPPUNIT_TEST_SUITE(PageTest);
    CPPUNIT_TEST(everyoneMaySeeThePage);
    CPPUNIT_TEST(usesEveryTextAndTemplate);
    CPPUNIT_TEST(aPageThatIsNotInstalledRefusesThePlugin);
    CPPUNIT_TEST_SUITE_END();

public:
    void everyoneMaySeeThePage()
    {
        const auto page = host.call(Method::Get, "/");
        CPPUNIT_ASSERT_EQUAL(200, page.status);
        CPPUNIT_ASSERT_EQUAL(std::string("text/html; charset=utf-8"), page.contentType);
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
            CPPUNIT_ASSERT_EQUAL_MESSAGE(before, 200, file.status);
            CPPUNIT_ASSERT_EQUAL(std::string(type), file.contentType);
        }
    }

    void usesEveryTextAndTemplate()
    {
        const Templates texts("web", host.context().logger());
        const WebPages pages(host.context().host(), texts);
        pages.bind<NotesView>("notes");
        for (const auto& finding : texts.findings()) CPPUNIT_FAIL(finding);
    }

    void aPageThatIsNotInstalledRefusesThePlugin()
    {
        const portico::testing::TemporaryDirectory folder;
        for (const auto* part : {"manifest.json", "migrations"})
            std::filesystem::copy(part, folder.path() / part, std::filesystem::copy_options::recursive);
        CPPUNIT_ASSERT_THROW(TestHost({.pluginDirectory = folder.path()}, make), std::runtime_error);
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(PageTest);

} // namespace acme_notes::tests
