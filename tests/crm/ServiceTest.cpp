#include "crm/CrmFixture.h"

#include <stdexcept>

namespace portico::tests
{

namespace json = boost::json;

/// The widget, /health, /api, declarations and settings.
class CrmServiceTest : public Suite<CrmServiceTest, CrmFixture>
{
    TEST(showsFigures)
    {
        newContact("A");
        client->del(owner, "/api/contacts/" + newContact("Gone"));
        clock().advance(std::chrono::hours(24 * 7));
        newContact("B");
        clock().advance(std::chrono::milliseconds(1));
        newContact("C");
        const auto widget = show("");
        equal(200, widget.status);
        equal("ok", widget.at("/status"));
        Names figures;
        for (const auto& metric : arrayAt(widget, "/metrics"))
            figures.push_back(std::string(metric.at("id").as_string()) + '=' + json::serialize(metric.at("value")));
        equal({"contacts=3", "new_7d=2", "open_value=0", "stale=0"}, figures);
        equal("EUR", widget.at("/metrics/2/currency"));
        equal(0, widget.count("/items"));
        equal("null", widget.at("/emptyState"));
    }

    TEST(showsAnEmptyWidget)
    {
        const auto widget = show("");
        equal("empty", widget.at("/status"));
        CHECK(!widget.at("/emptyState/title").empty());
        CHECK(!widget.at("/emptyState/body").empty());
    }

    TEST(keepsTheWidgetContract)
    {
        const auto widget =
            show("?widgetId=overview&context=organization&organizationId=" + owner.organizationId + "&householdId=&locale=de-AT");
        equal(200, widget.status);
        Names members;
        for (const auto& [name, value] : objectAt(widget, "")) members.emplace_back(name);
        equal({"schemaVersion", "service_id",          "widgetId",  "status",  "title",   "summary", "iconUrl", "accent",
               "generatedAt",   "refreshAfterSeconds", "expiresAt", "context", "metrics", "items",   "series",  "actions",
               "counts",        "emptyState",          "more",      "setup"},
              members);
        equal("crm", widget.at("/service_id"));
        equal(jsonWith(R"({"kind":"organization","organizationId":"$"})", owner.organizationId), widget.at("/context"));
        for (const auto& metric : arrayAt(widget, "/metrics")) CHECK(metric.at("href").as_string().starts_with("/"));
        equal("Kontakte und Pipeline: 0 Kontakte, 0 neu in 7 Tagen", widget.at("/title") + ": " + widget.at("/summary"));
        equal("Noch keine Kontakte", widget.at("/emptyState/title"));
        equal("No contacts yet", show("?locale=en").at("/emptyState/title"));
    }

    TEST(refusesOtherContexts)
    {
        for (const auto& query : {"?context=personal", "?householdId=hh_1", "?context=x&locale=!"})
            equal("permission_denied", show(query).code(), query);
        equal(403, show("?organizationId=" + stranger.organizationId).status);
        equal(403, show("?organizationId=" + stranger.organizationId + "&widgetId=none").status);
    }

    TEST(knowsOneWidget)
    {
        equal("widget_not_found", show("?widgetId=deals").code());
        equal(404, show("?widgetId=deals").status);
        equal(400, show("?locale=%3Cscript%3E").status);
        equal("unknown_parameter", show("?size=large").code());
    }

    /// The answer of /health is the host's.
    TEST(reportsItsHealth)
    {
        const auto check = [this] { return host->plugin().health().at(0); };
        equal("identity.directory", check().name);
        CHECK(check().healthy);
        services().withdraw(interfaces::Directory::interfaceName);
        CHECK(!check().healthy);
        CHECK(!check().neededToServe);
    }

    TEST(describesItself)
    {
        const auto info = client->get(Caller::nobody(), "/api");
        equal(200, info.status);
        for (const auto* member : {"service", "version", "apiVersion", "documentation", "resources", "limits"})
            CPPUNIT_ASSERT_MESSAGE(member, info.has("/" + std::string(member)));
        // Every named route exists.
        for (const auto& resource : arrayAt(info, "/resources"))
        {
            const std::string href(resource.at("href").as_string());
            const auto& routes = host->routes();
            CPPUNIT_ASSERT_MESSAGE(href,
                                   std::any_of(routes.begin(), routes.end(), [&](const auto& route) { return route.pattern == href; }));
        }
    }

    TEST(declaresAccess)
    {
        Names declared;
        for (const auto& route : host->routes())
        {
            const auto& access = route.access;
            // A stream is for open pages, and has no place in what keys do.
            const bool takesKeys = !access.open && route.pattern != "/api/changes";
            CHECK(!access.cookie && access.apiKey == takesKeys && access.open != access.bearer);
            declared.push_back(std::string(name(route.method)) + ' ' + route.pattern +
                               (access.open ? "" : ' ' + access.permission.substr(std::string_view("crm.").size()) + ' ' + access.scope));
        }
        equal({"GET /api",
               "GET /api/contacts contacts:read contacts.read",
               "POST /api/contacts contacts:write contacts.write",
               "GET /api/contacts/{id} contacts:read contacts.read",
               "PUT /api/contacts/{id} contacts:write contacts.write",
               "DELETE /api/contacts/{id} contacts:write contacts.write",
               "POST /api/contacts/{id}/restore contacts:write contacts.write",
               "GET /api/contacts/export contacts:export contacts.read",
               "GET /api/contacts/{id}/notes notes:read notes.read",
               "POST /api/contacts/{id}/notes notes:write notes.write",
               "GET /api/contacts/{contactId}/notes/{noteId} notes:read notes.read",
               "PUT /api/contacts/{contactId}/notes/{noteId} notes:write notes.write",
               "DELETE /api/contacts/{contactId}/notes/{noteId} notes:write notes.write",
               "GET /api/contacts/{id}/attachments attachments:read attachments.read",
               "POST /api/contacts/{id}/attachments attachments:write attachments.write",
               "GET /api/attachments/{id} attachments:read attachments.read",
               "DELETE /api/attachments/{id} attachments:write attachments.write",
               "GET /api/custom-fields settings:read settings.read",
               "POST /api/custom-fields settings:write settings.write",
               "PUT /api/custom-fields/{customFieldId} settings:write settings.write",
               "DELETE /api/custom-fields/{customFieldId} settings:write settings.write",
               "GET /api/tags tags:read tags.read",
               "PUT /api/tags/{tag} tags:write tags.write",
               "DELETE /api/tags/{tag} tags:write tags.write",
               "GET /api/pipeline pipeline:read pipeline.read",
               "POST /api/pipeline pipeline:admin settings.write",
               "GET /api/pipeline/{pipelineId} pipeline:read pipeline.read",
               "PUT /api/pipeline/{pipelineId} pipeline:admin settings.write",
               "DELETE /api/pipeline/{pipelineId} pipeline:admin settings.write",
               "GET /api/pipeline/{pipelineId}/board pipeline:read pipeline.read",
               "PUT /api/pipeline/{contactId}/move pipeline:move pipeline.write",
               "GET /api/pipeline/{contactId}/history pipeline:read pipeline.read",
               "POST /api/contacts/import contacts:import contacts.write",
               "GET /api/contacts/imports contacts:read contacts.read",
               "GET /api/contacts/imports/{importId} contacts:read contacts.read",
               "GET /api/contacts/imports/{importId}/errors.csv contacts:read contacts.read",
               "POST /api/contacts/imports/{importId}/run contacts:import contacts.write",
               "POST /api/contacts/imports/{importId}/undo contacts:import contacts.write",
               "POST /api/contacts/bulk contacts:write contacts.write",
               "GET /api/contacts/bulk contacts:read contacts.read",
               "GET /api/contacts/bulk/{bulkId} contacts:read contacts.read",
               "POST /api/contacts/bulk/{bulkId}/undo contacts:write contacts.write",
               "GET /api/contacts/duplicates contacts:read contacts.read",
               "POST /api/contacts/duplicates/dismiss contacts:write contacts.write",
               "DELETE /api/contacts/duplicates/dismiss contacts:write contacts.write",
               "GET /api/contacts/merges contacts:read contacts.read",
               "POST /api/contacts/{id}/merge contacts:write contacts.write",
               "POST /api/contacts/merges/{mergeId}/undo contacts:write contacts.write",
               "GET /api/widget reports:read reports.read",
               "GET /api/changes contacts:read "},
              declared);
    }

    TEST(refusesBadSettings)
    {
        for (const auto& [key, value] : std::vector<std::pair<std::string, std::string>>{{"crm.phones.countryCode", "+49"},
                                                                                         {"crm.phones.countryCode", "0049"},
                                                                                         {"crm.phones.countryCode", "01"},
                                                                                         {"crm.currency", "euro"}})
        {
            auto wrong = settings;
            wrong.config[key] = value;
            CPPUNIT_ASSERT_THROW_MESSAGE(key + value, makeHost(wrong), std::runtime_error);
        }
    }

    TEST(completesNationalNumbers)
    {
        auto german = settings;
        german.config["crm.phones.countryCode"] = "49";
        const auto other = makeHost(german);
        const CrmClient api(*other);
        const auto made = api.post(owner, "/api/contacts", R"({"phones":[{"number":"0170 1234567"}]})");
        equal("+491701234567", made.at("/phones/0/e164"));
        equal(1, api.get(owner, "/api/contacts?phone=%2B49%20170%201234567").count("/items"));
        equal(1, api.get(owner, "/api/contacts?phone=0170%201234567").count("/items"));
    }

    Answer show(const std::string& query) const { return client->get(owner, "/api/widget" + query); }
};

} // namespace portico::tests
