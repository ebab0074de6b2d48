#include "support/Suite.h"

#include "portico/Routes.h"
#include "portico/Text.h"
#include "portico/Widget.h"

#include <boost/json.hpp>

using namespace portico;

using portico::testing::equal;
using portico::testing::refused;
using portico::testing::Suite;

namespace shape
{

struct Base
{
    std::string name;
};

constexpr auto schemaOf(const Base*) { return portico::describe(portico::field<&Base::name>()); }

/// Has a described base, and no description itself.
struct Derived : Base
{
    std::string more;
};

struct Described : Base, Versioned
{
    std::string more;
    std::vector<std::string> words;
};

constexpr auto schemaOf(const Described*)
{
    return describe(schemaOf(static_cast<const Base*>(nullptr)), portico::field<&Described::more>().trimmed(),
                    portico::field<&Described::words>().trimmed().maxLength(3), portico::versioned<Described>());
}

using ThingId = Id<"thg">;

struct Handlers
{
    Deleted<ThingId> remove(const Path<ThingId>& id, const IfMatch&) const { return {*id}; }
    Described create(const Body<Described>& body)
    {
        namesMore = body.has("more");
        return *body;
    }
    NoContent ask(const RepeatedQuery<"permission", "resource">& questions) const
    {
        asked = *questions;
        return {};
    }
    NoContent takeAny(const RawQuery& query) const
    {
        asked = query.values;
        return {};
    }
    Page<Described> list(const Query<WidgetQuery>&, const Paging&) const { return {}; }
    NoContent twice(const Query<Described>&, const Query<Base>&) const { return {}; }
    NoContent see(const Request&) const { return {}; }
    bool namesMore = false;
    mutable std::vector<std::pair<std::string, std::string>> asked;
};

/// Declares one route.
RouteDeclaration only(Routes& routes) { return std::move(routes.take().front()); }

Response call(const RouteDeclaration& route, std::string_view query, std::string_view body, const std::vector<HeaderField>& headers = {})
{
    Request request;
    request.query = query;
    request.body = body;
    request.headers = headers;
    const Caller caller;
    request.caller = &caller;
    Response response;
    route.handler->handle(request, response);
    return response;
}

const std::vector<HeaderField> json{{"Content-Type", "application/json"}};

} // namespace shape

// A derived record does not silently take the description of its base.
static_assert(portico::detail::DescribedRecord<shape::Base> && !portico::detail::DescribedRecord<shape::Derived>);

/// Descriptions, arguments and results of handlers, texts and widgets.
class ShapeTest : public Suite<ShapeTest>
{
    TEST(putsDescriptionsInTheirPlace)
    {
        std::string names;
        fieldsOf<shape::Described>().apply([&](const auto&... fields) { ((names += std::string(fields.name) + ' '), ...); });
        equal("name more words createdAt updatedAt version ", names);
        equal("setup_required", std::string(toString(WidgetStatus::SetupRequired)));
        CHECK(parseEnum<WidgetStatus>("degraded") == WidgetStatus::Degraded);
        CHECK(!parseEnum<WidgetStatus>("Degraded"));
    }

    TEST(trimsWhatComesFromRequestsOnly)
    {
        const std::string text = "{\"name\":\" n \",\"more\":\"\\u00a0 m\\t\",\"words\":[\" abc \",\"\u3000d\"]}";
        const auto read = fromJson<shape::Described>(text);
        equal(" n ", read.name);
        equal("m", read.more);
        CHECK(read.words == std::vector<std::string>({"abc", "d"}));
        shape::Described stored;
        portico::detail::readJson(text, portico::detail::typeOf<shape::Described>, &stored, portico::detail::ReadMode::Stored);
        equal("\u00a0 m\t", stored.more);
    }

    TEST(distinguishesNullFromAbsent)
    {
        shape::Handlers handlers;
        Routes routes;
        routes.post("/a", access::open(), &shape::Handlers::create, &handlers);
        const auto route = shape::only(routes);
        shape::call(route, "", R"({"name":"n"})", shape::json);
        CHECK(!handlers.namesMore);
        shape::call(route, "", R"({"more":null})", shape::json);
        CHECK(handlers.namesMore);
    }

    TEST(answersDeletionsAlike)
    {
        const shape::Handlers handlers;
        Routes routes;
        routes.del("/a/{id}", access::open(), &shape::Handlers::remove, &handlers, {.problems = {"412 version_conflict"}});
        const auto route = shape::only(routes);
        const auto operation = boost::json::parse(route.operation);
        // Said twice, it is shown once.
        equal(R"(["412 version_conflict"])", boost::json::serialize(operation.at("x-problems")));
        CHECK(operation.at("responses").as_object().contains("412"));
        CHECK(route.components->contains("Deleted"));
        const Deleted<shape::ThingId, "thingId"> named{};
        equal(R"({"thingId":null,"deleted":true})", toJson(named));
        equal("DeletedThingId", (detail::DeletedName<"thingId">::view));
        const Deleted gone{shape::ThingId::make(Instant{})};
        equal("{\"id\":\"" + gone.id.text() + "\",\"deleted\":true}", toJson(gone));
    }

    TEST(checksTheQueryOfEveryHandler)
    {
        const shape::Handlers handlers;
        Routes routes;
        routes.get("/a", access::open(), &shape::Handlers::see, &handlers).get("/b", access::open(), &shape::Handlers::ask, &handlers);
        const auto all = routes.take();
        // Taking the Request does not switch the check off.
        for (const auto& route : all) try
            {
                shape::call(route, "colour=red", "");
                CPPUNIT_FAIL(route.pattern);
            }
            catch (const Problem& problem)
            {
                equal("unknown_parameter", problem.code());
            }
        shape::call(all[1], "permission=a&resource=b&permission=c", "");
        equal(3, handlers.asked.size());
        equal("c", handlers.asked[2].second);
        // Unless it says that names of others count, which come as they are.
        routes.get("/c", access::open(), &shape::Handlers::takeAny, &handlers);
        shape::call(routes.take().front(), "colour=dark%20red&colour=b+c&x", "");
        using Values = std::vector<std::pair<std::string, std::string>>;
        CHECK((Values{{"colour", "dark red"}, {"colour", "b c"}, {"x", ""}}) == handlers.asked);
    }

    TEST(refusesRoutesThatCannotBeMeant)
    {
        shape::Handlers handlers;
        const auto refused = [&](const char* part, auto declare)
        {
            Routes routes;
            try
            {
                declare(routes);
                CPPUNIT_FAIL(part);
            }
            catch (const std::invalid_argument& error)
            {
                CPPUNIT_ASSERT_MESSAGE(error.what(), std::string_view(error.what()).find(part) != std::string_view::npos);
            }
        };
        refused("two arguments take the query parameter name",
                [&](Routes& routes) { routes.get("/a", access::open(), &shape::Handlers::twice, &handlers); });
        refused("takes 0 path parameters, the pattern has 1",
                [&](Routes& routes) { routes.get("/a/{id}", access::open(), &shape::Handlers::list, &handlers); });
        // A handler that sees the request may look at the rest itself.
        Routes routes;
        routes.get("/a/{id}", access::open(), &shape::Handlers::see, &handlers);
    }

    TEST(trimsAndCutsTexts)
    {
        equal("a b", std::string(trim("\u2003\t a b\u00a0\u3000\n")));
        equal("", std::string(trim(" \u2028 ")));
        equal("\xa0x", std::string(trim("\xa0x"))); // half a character is none
        equal(3, characterCount("aé🦀"));
        equal("aé", std::string(firstCharacters("aé🦀", 2)));
        equal("aé🦀", std::string(firstCharacters("aé🦀", 3)));
        equal("", std::string(firstCharacters("é", 0)));
    }

    TEST(foldsCaseAndAccents)
    {
        equal("angstrom", fold("Ångström"));
        equal("strasse", fold("STRAẞE"));
        equal("strasse", fold("Straße"));
        equal("lodz soren aether", fold("Łódź Søren Æther"));
        equal(fold("ΟΔΥΣΣΕΥΣ"), fold("Ὀδυσσεύς"));
        equal(fold("йога"), fold("ЙОГА"));
        // Composed and decomposed forms, full width, a soft hyphen.
        equal(fold("Z\u00fcrich"), fold("Zu\u0308rich"));
        equal("abc", fold("\uff21\uff22\uff23"));
        equal("ab", fold("a\u00adb"));
        equal("", fold("\xff\xfe"));
    }

    TEST(foldsApostrophesAndHyphens)
    {
        for (const auto* mark :
             {"'", "\u2018", "\u2019", "\u201b", "\u02bc", "\u02bb", "\u2032", "\u00b4", "`", "\uff07", "\u055a", "\u05f3"})
            equal("o'brien", fold("O" + std::string(mark) + "Brien"), mark);
        for (const auto* mark :
             {"-", "\u2010", "\u2011", "\u2012", "\u2013", "\u2014", "\u2015", "\u2212", "\ufe63", "\uff0d", "\u058a", "\u05be", "\u301c"})
            equal("jean-luc", fold("Jean" + std::string(mark) + "Luc"), mark);
        equal("", fold("O\u2019\xff"));
    }

    TEST(tenantsAreWhatTheCallerIsIn)
    {
        Caller caller;
        caller.principalId = "usr_1";
        CPPUNIT_ASSERT_THROW(caller.tenant(), Problem);
        CHECK(caller.tenantOrSelf().isUser());
        equal("usr_1", std::string(caller.tenantOrSelf().text()));
        caller.organizationId = "org_1";
        CHECK(caller.tenant() == Tenant::fromStored("org_1") && caller.tenant() == caller.tenantOrSelf());
        CHECK(!caller.tenant().isUser());
    }

    TEST(onlyUsersHaveAUserId)
    {
        Caller caller;
        const auto user = UserId::make(fromMillis(1795251600123));
        caller.principalId = user.text();
        CHECK(caller.userId() == user);
        for (const char* other : {"", "org_1", "crm-client", "usr_1"})
        {
            caller.principalId = other;
            try
            {
                caller.userId();
                CPPUNIT_FAIL("expected a problem");
            }
            catch (const Problem& problem)
            {
                equal(403, problem.status());
                equal("permission_denied", problem.code());
            }
        }
    }

    TEST(widgetsAnswerTheirContextOnly)
    {
        Caller caller;
        caller.organizationId = "org_1";
        WidgetQuery query;
        const auto status = [&]
        {
            try
            {
                return Widget::answering(query, caller, "overview", "crm", Instant{}).context.organizationId == "org_1" ? 200 : 0;
            }
            catch (const Problem& problem)
            {
                return problem.status();
            }
        };
        equal(200, status());
        query.context = "organization";
        query.organizationId = "org_1";
        equal(200, status());
        query.organizationId = "org_2";
        equal(403, status());
        query = {};
        query.householdId = "hsh_1";
        equal(403, status());
        query = {};
        query.widgetId = "other";
        equal(404, status());
        for (const auto& locale : {std::string("de_AT"), std::string(36, 'a')})
        {
            query.locale = locale;
            equal(400, status());
        }
        query = {};
        caller.organizationId.clear();
        const auto personal = Widget::answering(query, caller, "overview", "crm", Instant{});
        equal(R"({"kind":"personal"})", toJson(personal.context));
        // The household that the caller has selected, and no other; an organization has none.
        query.householdId = "hh_1";
        equal(403, status());
        caller.householdId = "hh_1";
        for (const auto* context : {"", "personal", "household"})
        {
            query.context = context;
            equal(R"({"kind":"personal","householdId":"hh_1"})",
                  toJson(Widget::answering(query, caller, "overview", "crm", Instant{}).context));
        }
        query.householdId = "hh_2";
        equal(403, status());
        query = {};
        query.context = "household";
        equal(403, status());
        query.householdId = "hh_1";
        caller.organizationId = "org_1";
        equal(403, status());
    }

    TEST(widgetsKeepTheLimits)
    {
        Widget widget;
        widget.title = std::string(79, 'x') + "éé";
        widget.metrics.resize(7);
        widget.items.resize(11);
        widget.items[0].title = std::string(81, 'y');
        widget.items[0].badge = std::string(201, 'z');
        widget.series.resize(3);
        widget.series[0].points.resize(61);
        widget.actions.resize(5);
        widget.fit();
        equal(std::string(79, 'x') + "é", widget.title);
        equal(6, widget.metrics.size());
        equal(10, widget.items.size());
        equal(80, widget.items[0].title.size());
        equal(200, widget.items[0].badge->size());
        equal(2, widget.series.size());
        equal(60, widget.series[0].points.size());
        equal(4, widget.actions.size());
    }
};
