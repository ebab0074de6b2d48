#include "widgets/WidgetPayload.h"
#include "widgets/Overrides.h"

#include <boost/json.hpp>
#include <cppunit/extensions/HelperMacros.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace portico::tests
{

using namespace portico::launchpad;
namespace json = boost::json;

/// Answers of apps, which may be anything, and the setting that overrides their addresses.
class WidgetPayloadTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(WidgetPayloadTest);
    CPPUNIT_TEST(takesTheExampleOfTheContract);
    CPPUNIT_TEST(dropsUnknownMembers);
    CPPUNIT_TEST(rejectsMembersBeyondTheContract);
    CPPUNIT_TEST(rejectsLinksThatLeaveTheApp);
    CPPUNIT_TEST(rejectsOtherTenants);
    CPPUNIT_TEST(rejectsBodiesThatAreNoWidget);
    CPPUNIT_TEST(countsCharactersAndNotBytes);
    CPPUNIT_TEST(keepsMarkupAsText);
    CPPUNIT_TEST(readsOverrides);
    CPPUNIT_TEST(rejectsOverridesThatAreNone);
    CPPUNIT_TEST_SUITE_END();

    static const ExpectedWidget& expected()
    {
        static const ExpectedWidget widget{"crm", "overview", "organization", "org_1"};
        return widget;
    }

    static json::object example()
    {
        return json::parse(R"({"schemaVersion":1,"service_id":"crm","widgetId":"overview","status":"ok","title":"Pipeline",
            "summary":"4 deals need attention","iconUrl":null,"accent":"#3366ff","generatedAt":"2026-11-21T02:00:00.000Z",
            "refreshAfterSeconds":45,"expiresAt":null,"context":{"kind":"organization","organizationId":"org_1"},
            "metrics":[{"id":"open","label":"Open deals","value":42,"format":"integer","unit":null,"currency":null,
              "delta":{"value":3,"direction":"up","period":"7d","sentiment":"good"},"href":"/deals?status=open"}],
            "items":[{"id":"d1","title":"Acme renewal","subtitle":"Stage: Offer","timestamp":"2026-11-21T02:00:00.000Z","status":"warning",
              "badge":"due today","iconUrl":null,"href":"/deals/d1"}],
            "series":[{"id":"s1","label":"Won","unit":"count","points":[["2026-11-20",3],["2026-11-21",5.5]]}],
            "actions":[{"id":"new","label":"New deal","href":"/deals/new","style":"primary","requiresPermission":"crm.deals:write"}],
            "counts":{"attention":4,"unread":0},"emptyState":null,"more":{"label":"Open pipeline","href":"/pipeline"},"setup":null})")
            .as_object();
    }

    /// The fault of the example after a change; empty if it passes.
    static std::string faultAfter(const std::function<void(json::object&)>& change)
    {
        auto widget = example();
        change(widget);
        return readWidget(json::serialize(widget), expected()).fault;
    }

    void takesTheExampleOfTheContract()
    {
        const auto read = readWidget(json::serialize(example()), expected());
        CPPUNIT_ASSERT_EQUAL(std::string(), read.fault);
        CPPUNIT_ASSERT_EQUAL(json::serialize(example()), read.json);
    }

    void dropsUnknownMembers()
    {
        auto widget = example();
        widget["html"] = "<script>";
        widget["metrics"].as_array().front().as_object()["onclick"] = "x()";
        CPPUNIT_ASSERT_EQUAL(json::serialize(example()), readWidget(json::serialize(widget), expected()).json);
    }

    void rejectsMembersBeyondTheContract()
    {
        const auto many = [](json::object& widget, const char* list, std::size_t count)
        {
            const auto first = widget[list].as_array().front();
            widget[list] = json::array(count, first);
        };
        CPPUNIT_ASSERT_EQUAL(std::string(), faultAfter([&](auto& w) { many(w, "metrics", 6); }));
        CPPUNIT_ASSERT_EQUAL(std::string("metrics"), faultAfter([&](auto& w) { many(w, "metrics", 7); }));
        CPPUNIT_ASSERT_EQUAL(std::string("items"), faultAfter([&](auto& w) { many(w, "items", 11); }));
        CPPUNIT_ASSERT_EQUAL(std::string("series"), faultAfter([&](auto& w) { many(w, "series", 3); }));
        CPPUNIT_ASSERT_EQUAL(std::string("actions"), faultAfter([&](auto& w) { many(w, "actions", 5); }));
        CPPUNIT_ASSERT_EQUAL(std::string("points"), faultAfter(
                                                        [](auto& w)
                                                        {
                                                            auto& points = w["series"].at(0).as_object()["points"];
                                                            points = json::array(61, points.at(0));
                                                        }));
        CPPUNIT_ASSERT_EQUAL(std::string("title"), faultAfter([](auto& w) { w["title"] = std::string(81, 'x'); }));
        CPPUNIT_ASSERT_EQUAL(std::string("title"), faultAfter([](auto& w) { w.erase("title"); }));
        CPPUNIT_ASSERT_EQUAL(std::string("summary"), faultAfter([](auto& w) { w["summary"] = std::string(161, 'x'); }));
        CPPUNIT_ASSERT_EQUAL(std::string("summary"), faultAfter([](auto& w) { w["summary"] = "a\x07"; }));
        CPPUNIT_ASSERT_EQUAL(std::string("status"), faultAfter([](auto& w) { w["status"] = "fine"; }));
        CPPUNIT_ASSERT_EQUAL(std::string("status"), faultAfter([](auto& w) { w.erase("status"); }));
        CPPUNIT_ASSERT_EQUAL(std::string("emptyState"), faultAfter([](auto& w) { w["status"] = "empty"; }));
        CPPUNIT_ASSERT_EQUAL(std::string("setup"), faultAfter([](auto& w) { w["status"] = "setup_required"; }));
        CPPUNIT_ASSERT_EQUAL(std::string("accent"), faultAfter([](auto& w) { w["accent"] = "red;}"; }));
        CPPUNIT_ASSERT_EQUAL(std::string("generatedAt"), faultAfter([](auto& w) { w["generatedAt"] = "today"; }));
        CPPUNIT_ASSERT_EQUAL(std::string("schemaVersion"), faultAfter([](auto& w) { w["schemaVersion"] = 2; }));
        CPPUNIT_ASSERT_EQUAL(std::string("service_id"), faultAfter([](auto& w) { w["service_id"] = "social"; }));
        CPPUNIT_ASSERT_EQUAL(std::string("value"), faultAfter([](auto& w) { w["metrics"].at(0).as_object()["value"] = 1.5; }));
        CPPUNIT_ASSERT_EQUAL(std::string("value"), faultAfter([](auto& w) { w["metrics"].at(0).as_object()["value"] = "many"; }));
        CPPUNIT_ASSERT_EQUAL(std::string(), faultAfter(
                                                [](auto& w)
                                                {
                                                    auto& metric = w["metrics"].at(0).as_object();
                                                    metric["format"] = "text";
                                                    metric["value"] = "many";
                                                }));
    }

    void rejectsLinksThatLeaveTheApp()
    {
        for (const char* href : {"//evil.example", "https://evil.example/", "javascript:alert(1)", "/\\evil.example", "deals", "/a b",
                                 "/a\n", "/<script>", ""})
        {
            CPPUNIT_ASSERT_EQUAL_MESSAGE(href, std::string("href"),
                                         faultAfter([&](auto& w) { w["actions"].at(0).as_object()["href"] = href; }));
            CPPUNIT_ASSERT_EQUAL_MESSAGE(href, std::string("href"), faultAfter([&](auto& w) { w["more"].as_object()["href"] = href; }));
            CPPUNIT_ASSERT(!isLocalLink(href));
        }
        CPPUNIT_ASSERT_EQUAL(std::string("href"), faultAfter([](auto& w) { w["items"].at(0).as_object()["href"] = "//evil.example"; }));
        CPPUNIT_ASSERT_EQUAL(std::string("iconUrl"), faultAfter([](auto& w) { w["iconUrl"] = "data:text/html,x"; }));
    }

    void rejectsOtherTenants()
    {
        CPPUNIT_ASSERT_EQUAL(std::string("context"), faultAfter([](auto& w) { w["context"].as_object()["organizationId"] = "org_2"; }));
        CPPUNIT_ASSERT_EQUAL(std::string("context"), faultAfter([](auto& w) { w["context"].as_object()["kind"] = "personal"; }));
        CPPUNIT_ASSERT_EQUAL(std::string("context"), faultAfter([](auto& w) { w.erase("context"); }));
    }

    void rejectsBodiesThatAreNoWidget()
    {
        const auto body = json::serialize(example());
        CPPUNIT_ASSERT_EQUAL(std::string(), readWidget(body + std::string(maxWidgetBytes - body.size(), ' '), expected()).fault);
        CPPUNIT_ASSERT_EQUAL(std::string("size"), readWidget(body + std::string(maxWidgetBytes - body.size() + 1, ' '), expected()).fault);
        for (const auto& other : {std::string(), std::string("<!doctype html><p>Hello"), std::string("[]"), std::string("null"),
                                  body.substr(1), std::string(20'000, '['), std::string("{\"title\":\"\xff\"}")})
            CPPUNIT_ASSERT_EQUAL(std::string("JSON"), readWidget(other, expected()).fault);
        CPPUNIT_ASSERT_EQUAL(std::string("metrics"), faultAfter([](auto& w) { w["metrics"] = "none"; }));
        CPPUNIT_ASSERT_EQUAL(std::string("items"), faultAfter([](auto& w) { w["items"] = json::array{1}; }));
    }

    void countsCharactersAndNotBytes()
    {
        std::string title;
        for (int i = 0; i < 80; ++i) title += "\xc3\xa4";
        CPPUNIT_ASSERT_EQUAL(std::string(), faultAfter([&](auto& w) { w["title"] = title; }));
    }

    void keepsMarkupAsText()
    {
        CPPUNIT_ASSERT_EQUAL(std::string(), faultAfter([](auto& w) { w["summary"] = "<b>4</b> deals"; }));
    }

    void readsOverrides()
    {
        const std::vector<std::string> entries{"commerce=https://c.example/api/widget", " learning = http://127.0.0.1:9000/w?x=1=2 "};
        const auto read = parseOverrides(entries);
        CPPUNIT_ASSERT_EQUAL(std::string("https://c.example/api/widget"), read.at("commerce"));
        CPPUNIT_ASSERT_EQUAL(std::string("http://127.0.0.1:9000/w?x=1=2"), read.at("learning"));
    }

    void rejectsOverridesThatAreNone()
    {
        for (const char* entry : {"commerce", "=https://c.example/", "Commerce=https://c.example/", "commerce=ftp://c.example/",
                                  "commerce=/api/widget", "commerce=https://u:p@c.example/", "commerce=https://c.example/#x", "commerce="})
        {
            const std::vector<std::string> entries{entry};
            CPPUNIT_ASSERT_THROW_MESSAGE(entry, parseOverrides(entries), std::runtime_error);
        }
        const std::vector<std::string> twice{"commerce=https://a.example/", "commerce=https://b.example/"};
        CPPUNIT_ASSERT_THROW(parseOverrides(twice), std::runtime_error);
    }
};
CPPUNIT_TEST_SUITE_REGISTRATION(WidgetPayloadTest);

} // namespace portico::tests
