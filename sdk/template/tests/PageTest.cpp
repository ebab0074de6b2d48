#include "Fixture.h"

using namespace portico;
using portico::testing::TestHost;

namespace acme_notes::tests
{

/// The page and the tile on the launchpad.
class PageTest : public Fixture
{
    CPPUNIT_TEST_SUITE(PageTest);
    CPPUNIT_TEST(everyoneMaySeeThePage);
    CPPUNIT_TEST(aPageThatIsNotInstalledRefusesThePlugin);
    CPPUNIT_TEST(theWidgetCounts);
    CPPUNIT_TEST(theWidgetSaysThatThereIsNothing);
    CPPUNIT_TEST(theWidgetIsForItsContextOnly);
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
        auto elsewhere = settings();
        elsewhere.pluginDirectory /= "src";
        const auto make = [](PluginContext& context) { return std::make_unique<AcmeNotesPlugin>(context); };
        CPPUNIT_ASSERT_THROW(TestHost(elsewhere, make), std::runtime_error);
    }

    void theWidgetCounts()
    {
        written();
        host.context().clock().advance(std::chrono::hours(8 * 24));
        written(R"({"title":"Newer"})");
        const auto widget = call(Method::Get, "/api/widget?widgetId=overview&context=organization&organizationId=" + organization);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(widget.body, 200, widget.status);
        CPPUNIT_ASSERT_EQUAL(std::string("ok"), member(widget.body, "status"));
        CPPUNIT_ASSERT_EQUAL(std::string("2 notes"), member(widget.body, "summary"));
        const auto recent = widget.body.substr(widget.body.find("New in 7 days"));
        CPPUNIT_ASSERT_EQUAL(std::string("1"), member(recent, "value"));
        CPPUNIT_ASSERT_EQUAL(std::string("Newer"), member(widget.body.substr(widget.body.find("\"items\":")), "title"));
    }

    void theWidgetSaysThatThereIsNothing()
    {
        const auto widget = call(Method::Get, "/api/widget");
        CPPUNIT_ASSERT_EQUAL(std::string("empty"), member(widget.body, "status"));
        CPPUNIT_ASSERT(widget.body.find("\"emptyState\":{\"title\":") != std::string::npos);
    }

    void theWidgetIsForItsContextOnly()
    {
        assertProblem(call(Method::Get, "/api/widget?organizationId=org_other"), 403, "permission_denied");
        assertProblem(call(Method::Get, "/api/widget?context=personal"), 403, "permission_denied");
        assertProblem(call(Method::Get, "/api/widget?widgetId=other"), 404, "widget_not_found");
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(PageTest);

} // namespace acme_notes::tests
