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
    CPPUNIT_TEST(aPageThatIsNotInstalledRefusesThePlugin);
    CPPUNIT_TEST_SUITE_END();

public:
    void everyoneMaySeeThePage()
    {
        const auto page = host.call(Method::Get, "/");
        CPPUNIT_ASSERT_EQUAL(200, page.status);
        CPPUNIT_ASSERT_EQUAL(std::string("text/html; charset=utf-8"), page.contentType);
        // Our own files and no inline script.
        CPPUNIT_ASSERT(page.headerBlock().find("Content-Security-Policy: default-src 'self'") != std::string::npos);
        for (const std::string file : {"/notes.js", "/notes.css", "/notes.svg"})
        {
            CPPUNIT_ASSERT_MESSAGE(file, page.body.find("=\"" + file + "\"") != std::string::npos);
            CPPUNIT_ASSERT_EQUAL_MESSAGE(file, 200, host.call(Method::Get, file).status);
        }
        CPPUNIT_ASSERT_EQUAL(std::string("text/javascript; charset=utf-8"), host.call(Method::Get, "/notes.js").contentType);
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
