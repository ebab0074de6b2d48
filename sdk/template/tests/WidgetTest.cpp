#include "Fixture.h"

using namespace portico;

namespace acme_notes::tests
{

/// The tile on the launchpad.
class WidgetTest : public Suite<WidgetTest, Fixture>
{
    TEST(counts)
    {
        written();
        host.context().clock().advance(std::chrono::hours(8 * 24));
        written(R"({"title":"Newer"})");
        const auto widget = call(Method::Get, "/api/widget?widgetId=overview&context=organization&organizationId=" + organization);
        equal(200, widget.status, widget.body);
        equal("ok", widget.at("/status"));
        equal("2 notes", widget.at("/summary"));
        equal("New in 7 days", widget.at("/metrics/1/label"));
        equal("1", widget.at("/metrics/1/value"));
        equal("Newer", widget.at("/items/0/title"));
    }

    TEST(saysThatThereIsNothing)
    {
        const auto widget = call(Method::Get, "/api/widget");
        equal("empty", widget.at("/status"));
        CHECK(widget.has("/emptyState/title"));
    }

    TEST(isForItsContextOnly)
    {
        refused(call(Method::Get, "/api/widget?organizationId=org_other"), 403, "permission_denied");
        refused(call(Method::Get, "/api/widget?context=personal"), 403, "permission_denied");
        refused(call(Method::Get, "/api/widget?widgetId=other"), 404, "widget_not_found");
    }
};

} // namespace acme_notes::tests
