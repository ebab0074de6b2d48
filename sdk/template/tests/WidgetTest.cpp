#include "Fixture.h"

using namespace portico;

namespace acme_notes::tests
{

/// The tile on the launchpad.
class WidgetTest : public Fixture
{
    CPPUNIT_TEST_SUITE(WidgetTest);
    CPPUNIT_TEST(counts);
    CPPUNIT_TEST(saysThatThereIsNothing);
    CPPUNIT_TEST(isForItsContextOnly);
    CPPUNIT_TEST_SUITE_END();

public:
    void counts()
    {
        written();
        host.context().clock().advance(std::chrono::hours(8 * 24));
        written(R"({"title":"Newer"})");
        const auto widget = call(Method::Get, "/api/widget?widgetId=overview&context=organization&organizationId=" + organization);
        CPPUNIT_ASSERT_EQUAL_MESSAGE(widget.body, 200, widget.status);
        CPPUNIT_ASSERT_EQUAL(std::string("ok"), widget.at("/status"));
        CPPUNIT_ASSERT_EQUAL(std::string("2 notes"), widget.at("/summary"));
        CPPUNIT_ASSERT_EQUAL(std::string("New in 7 days"), widget.at("/metrics/1/label"));
        CPPUNIT_ASSERT_EQUAL(std::string("1"), widget.at("/metrics/1/value"));
        CPPUNIT_ASSERT_EQUAL(std::string("Newer"), widget.at("/items/0/title"));
    }

    void saysThatThereIsNothing()
    {
        const auto widget = call(Method::Get, "/api/widget");
        CPPUNIT_ASSERT_EQUAL(std::string("empty"), widget.at("/status"));
        CPPUNIT_ASSERT(widget.has("/emptyState/title"));
    }

    void isForItsContextOnly()
    {
        assertProblem(call(Method::Get, "/api/widget?organizationId=org_other"), 403, "permission_denied");
        assertProblem(call(Method::Get, "/api/widget?context=personal"), 403, "permission_denied");
        assertProblem(call(Method::Get, "/api/widget?widgetId=other"), 404, "widget_not_found");
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(WidgetTest);

} // namespace acme_notes::tests
