#include "widgets/WidgetPayload.h"
#include "support/Suite.h"
#include "widgets/Overrides.h"

#include <boost/json.hpp>

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace portico::tests
{

using namespace portico::launchpad;
namespace json = boost::json;

/// Answers of apps, which may be anything, and the setting that overrides their addresses.
class WidgetPayloadTest : public Suite<WidgetPayloadTest>
{
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

    TEST(takesTheExampleOfTheContract)
    {
        const auto read = readWidget(json::serialize(example()), expected());
        equal("", read.fault);
        equal(json::serialize(example()), read.json);
    }

    TEST(dropsUnknownMembers)
    {
        auto widget = example();
        widget["html"] = "<script>";
        widget["metrics"].as_array().front().as_object()["onclick"] = "x()";
        equal(json::serialize(example()), readWidget(json::serialize(widget), expected()).json);
    }

    TEST(rejectsMembersBeyondTheContract)
    {
        const auto many = [](json::object& widget, const char* list, std::size_t count)
        {
            const auto first = widget[list].as_array().front();
            widget[list] = json::array(count, first);
        };
        equal("", faultAfter([&](auto& w) { many(w, "metrics", 6); }));
        equal("metrics", faultAfter([&](auto& w) { many(w, "metrics", 7); }));
        equal("items", faultAfter([&](auto& w) { many(w, "items", 11); }));
        equal("series", faultAfter([&](auto& w) { many(w, "series", 3); }));
        equal("actions", faultAfter([&](auto& w) { many(w, "actions", 5); }));
        equal("points", faultAfter(
                            [](auto& w)
                            {
                                auto& points = w["series"].at(0).as_object()["points"];
                                points = json::array(61, points.at(0));
                            }));
        equal("title", faultAfter([](auto& w) { w["title"] = std::string(81, 'x'); }));
        equal("title", faultAfter([](auto& w) { w.erase("title"); }));
        equal("summary", faultAfter([](auto& w) { w["summary"] = std::string(161, 'x'); }));
        equal("summary", faultAfter([](auto& w) { w["summary"] = "a\x07"; }));
        equal("status", faultAfter([](auto& w) { w["status"] = "fine"; }));
        equal("status", faultAfter([](auto& w) { w.erase("status"); }));
        equal("emptyState", faultAfter([](auto& w) { w["status"] = "empty"; }));
        equal("setup", faultAfter([](auto& w) { w["status"] = "setup_required"; }));
        equal("accent", faultAfter([](auto& w) { w["accent"] = "red;}"; }));
        equal("generatedAt", faultAfter([](auto& w) { w["generatedAt"] = "today"; }));
        equal("schemaVersion", faultAfter([](auto& w) { w["schemaVersion"] = 2; }));
        equal("service_id", faultAfter([](auto& w) { w["service_id"] = "social"; }));
        equal("value", faultAfter([](auto& w) { w["metrics"].at(0).as_object()["value"] = 1.5; }));
        equal("value", faultAfter([](auto& w) { w["metrics"].at(0).as_object()["value"] = "many"; }));
        equal("", faultAfter(
                      [](auto& w)
                      {
                          auto& metric = w["metrics"].at(0).as_object();
                          metric["format"] = "text";
                          metric["value"] = "many";
                      }));
    }

    TEST(rejectsLinksThatLeaveTheApp)
    {
        for (const char* href : {"//evil.example", "https://evil.example/", "javascript:alert(1)", "/\\evil.example", "deals", "/a b",
                                 "/a\n", "/<script>", ""})
        {
            equal("href", faultAfter([&](auto& w) { w["actions"].at(0).as_object()["href"] = href; }), href);
            equal("href", faultAfter([&](auto& w) { w["more"].as_object()["href"] = href; }), href);
            CHECK(!isLocalLink(href));
        }
        equal("href", faultAfter([](auto& w) { w["items"].at(0).as_object()["href"] = "//evil.example"; }));
        equal("iconUrl", faultAfter([](auto& w) { w["iconUrl"] = "data:text/html,x"; }));
    }

    TEST(rejectsOtherTenants)
    {
        equal("context", faultAfter([](auto& w) { w["context"].as_object()["organizationId"] = "org_2"; }));
        equal("context", faultAfter([](auto& w) { w["context"].as_object()["kind"] = "personal"; }));
        equal("context", faultAfter([](auto& w) { w.erase("context"); }));
    }

    TEST(rejectsBodiesThatAreNoWidget)
    {
        const auto body = json::serialize(example());
        equal("", readWidget(body + std::string(maxWidgetBytes - body.size(), ' '), expected()).fault);
        equal("size", readWidget(body + std::string(maxWidgetBytes - body.size() + 1, ' '), expected()).fault);
        for (const auto& other : {std::string(), std::string("<!doctype html><p>Hello"), std::string("[]"), std::string("null"),
                                  body.substr(1), std::string(20'000, '['), std::string("{\"title\":\"\xff\"}")})
            equal("JSON", readWidget(other, expected()).fault);
        equal("metrics", faultAfter([](auto& w) { w["metrics"] = "none"; }));
        equal("items", faultAfter([](auto& w) { w["items"] = json::array{1}; }));
    }

    TEST(countsCharactersAndNotBytes)
    {
        std::string title;
        for (int i = 0; i < 80; ++i) title += "\xc3\xa4";
        equal("", faultAfter([&](auto& w) { w["title"] = title; }));
    }

    TEST(keepsMarkupAsText)
    {
        equal("", faultAfter([](auto& w) { w["summary"] = "<b>4</b> deals"; }));
    }

    TEST(readsOverrides)
    {
        const std::vector<std::string> entries{"commerce=https://c.example/api/widget", " learning = http://127.0.0.1:9000/w?x=1=2 "};
        const auto read = parseOverrides(entries);
        equal("https://c.example/api/widget", read.at("commerce"));
        equal("http://127.0.0.1:9000/w?x=1=2", read.at("learning"));
    }

    TEST(rejectsOverridesThatAreNone)
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
} // namespace portico::tests
