#include "support/Suite.h"

#include "portico/Cookie.h"
#include "portico/CrossOrigin.h"
#include "portico/Problem.h"
#include "portico/Routes.h"

#include <boost/json.hpp>

using portico::testing::equal;
using portico::testing::refused;
using portico::testing::Suite;

namespace answers
{

using namespace portico;
using namespace std::chrono_literals;

struct Card
{
    std::string title;
};
constexpr auto schemaOf(const Card*)
{
    using namespace portico;
    return describe(field<&Card::title>());
}

struct Sums
{
    std::int64_t value = 0;
    std::string currency;
};
constexpr auto schemaOf(const Sums*)
{
    using namespace portico;
    return describe(members<&Sums::value, &Sums::currency>());
}

struct Handlers
{
    Page<Card, Sums> board(const Paging&) const
    {
        Page<Card, Sums> page;
        page.items.push_back({"first"});
        page.total = 1;
        page.extra = {7, "EUR"};
        return page;
    }
    Card change(const RequireIfMatch& ifMatch)
    {
        ifMatch.require(3);
        return {"changed"};
    }
    Html signIn() const { return {.text = "hello", .cookies = {SetCookie("a", "1", {}), SetCookie("b", "2", {.maxAge = 0s})}}; }
};

} // namespace answers

/// Parts of answers besides plain records.
class AnswersTest : public Suite<AnswersTest>
{
    using SetCookie = portico::SetCookie;
    using SameSite = portico::SameSite;

    answers::Handlers handlers;
    std::vector<portico::RouteDeclaration> routes;

public:
    void setUp() override
    {
        using namespace portico;
        Routes declared;
        declared.get("/board", access::open(), &answers::Handlers::board, &handlers)
            .put("/card", access::open(), &answers::Handlers::change, &handlers)
            .get("/page", access::open(), &answers::Handlers::signIn, &handlers);
        routes = declared.take();
    }

    portico::Response call(std::size_t route, std::vector<portico::HeaderField> headers = {})
    {
        portico::Request request;
        request.headers = headers;
        portico::Response response;
        routes[route].handler->handle(request, response);
        return response;
    }

    TEST(cookiesSayWhatTheyAre)
    {
        using namespace std::chrono_literals;
        equal("a=b; Path=/; HttpOnly; SameSite=Lax; Secure", SetCookie("a", "b", {}).text());
        equal("__Host-a=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0; Secure",
              SetCookie("__Host-a", "", {.maxAge = 0s, .sameSite = SameSite::Strict}).text());
        equal(
            "a=b; Path=/x; Domain=example.org; SameSite=None; Max-Age=60; Secure; Partitioned",
            SetCookie(
                "a", "b",
                {.maxAge = 60s, .sameSite = SameSite::None, .httpOnly = false, .partitioned = true, .path = "/x", .domain = "example.org"})
                .text());
        equal("a=b; Path=/; HttpOnly; SameSite=Lax", SetCookie("a", "b", {.secure = false}).text());
        SetCookie("__Secure-a", std::string(4086, 'x'), {.domain = "example.org"});
    }

    TEST(refusesCookiesThatBrowsersDrop)
    {
        const auto refused = [](std::string_view name, std::string_view value, const SetCookie::Attributes& attributes = {})
        { CPPUNIT_ASSERT_THROW_MESSAGE(std::string(name), SetCookie(name, value, attributes), std::invalid_argument); };
        for (const auto* name : {"", "a b", "a=b", "a;b", "ä", "a\r\nSet-Cookie: b"}) refused(name, "x");
        for (const auto* value : {"a;b", "a b", "a,b", "\"a\"", "a\\b", "a\r\nX: y", "ä"}) refused("a", value);
        refused("a", std::string(4096, 'x'));
        refused("__Host-a", "b", {.secure = false});
        refused("__host-a", "b", {.path = "/x"});
        refused("__Host-a", "b", {.domain = "example.org"});
        refused("__SECURE-a", "b", {.secure = false});
        refused("a", "b", {.sameSite = SameSite::None, .secure = false});
        refused("a", "b", {.secure = false, .partitioned = true});
        refused("a", "b", {.path = "/; Domain=example.org"});
        refused("a", "b", {.path = ""});
        refused("a", "b", {.domain = "a;b"});
    }

    TEST(readsCookies)
    {
        portico::Request request;
        const std::vector<portico::HeaderField> headers{{"Cookie", "a=1; b = 2 ;nameless;c=x=y;;a=1"}, {"cookie", "d=; a=3"}};
        request.headers = headers;
        using Pairs = std::vector<std::pair<std::string_view, std::string_view>>;
        CHECK((Pairs{{"a", "1"}, {"b", "2"}, {"c", "x=y"}, {"a", "1"}, {"d", ""}, {"a", "3"}}) == portico::cookiesOf(request));
        equal("2", request.cookie("b"));
        // One of the two cookies was planted.
        equal(std::string_view(), request.cookie("a"));
        equal(std::string_view(), request.cookie("nameless"));
    }

    TEST(pagesHaveMembersOfTheirOwn)
    {
        equal(R"({"items":[{"title":"first"}],"nextCursor":null,"total":1,"value":7,"currency":"EUR"})", call(0).body);
        const auto described = boost::json::parse(routes[0].operation);
        const auto& schema = described.at_pointer("/responses/200/content/application~1json/schema/allOf");
        CHECK(schema.at(0).at("properties").as_object().contains("items"));
        equal("#/components/schemas/Sums", std::string(schema.at(1).at("$ref").as_string()));
        CHECK(routes[0].components->contains("Sums"));
    }

    TEST(asksForIfMatch)
    {
        const auto statusOf = [this](std::vector<portico::HeaderField> headers)
        {
            try
            {
                return call(1, std::move(headers)).status;
            }
            catch (const portico::Problem& problem)
            {
                if (problem.status() == 428) equal("precondition_required", problem.code());
                return problem.status();
            }
        };
        equal(428, statusOf({}));
        equal(412, statusOf({{"If-Match", "\"2\""}}));
        equal(200, statusOf({{"If-Match", "\"3\""}}));
        equal(200, statusOf({{"If-Match", "*"}}));
        const auto described = boost::json::parse(routes[1].operation);
        for (const auto* status : {"412", "428"}) CHECK(described.at("responses").as_object().contains(status));
        equal(R"(["412 version_conflict","428 precondition_required"])", boost::json::serialize(described.at("x-problems")));
        CHECK(described.at("parameters").at(0).at("required").as_bool());
    }

    TEST(detailsAreARecord)
    {
        const auto problem = portico::Problem::conflict("taken", "Taken").withDetails(answers::Sums{3, "E\"UR"});
        equal(R"({"value":3,"currency":"E\"UR"})", problem.details());
        equal(R"({"a":1})", portico::Problem::conflict().withDetails(R"({"a":1})").details());
    }

    TEST(answersBringCookies)
    {
        equal("Set-Cookie: a=1; Path=/; HttpOnly; SameSite=Lax; Secure\r\n"
              "Set-Cookie: b=2; Path=/; HttpOnly; SameSite=Lax; Max-Age=0; Secure\r\n",
              call(2).headerBlock().substr(call(2).headerBlock().find("Set-Cookie")));
    }
};
