#include "support/Suite.h"

#include "portico/Logger.h"
#include "portico/Url.h"
#include "portico/WebPages.h"
#include "portico/system/HostRequest.h"

namespace form_tests
{

using namespace portico;
using portico::testing::equal;
using portico::testing::Suite;

enum class Colour
{
    Red,
    Green
};

constexpr auto schemaOf(const Colour*) { return choices<Colour>({{"red", Colour::Red}, {"green", Colour::Green}}); }

struct Order
{
    std::string id = "kept";
    std::string name;
    std::string text;
    std::string email;
    std::string password;
    int count = 7;
    std::optional<double> price;
    std::optional<std::string> note;
    Colour colour = Colour::Green;
    bool gift = true;
    bool terms = false;
    std::optional<Instant> due;
    std::vector<std::string> tags = {"default"};
    std::vector<int> sizes;
};

constexpr auto schemaOf(const Order*)
{
    return describe(field<&Order::id>().readOnly(), field<&Order::name>().required().maxLength(10).trimmed(), field<&Order::text>(),
                    field<&Order::email>().email(), field<&Order::password>().writeOnly(), field<&Order::count>().range(1, 20),
                    members<&Order::price, &Order::note, &Order::colour, &Order::gift>(), field<&Order::terms>().required(),
                    field<&Order::due>(), field<&Order::tags>().maxItems(3).trimmed(), field<&Order::sizes>())
        .checkedBy(+[](const Order& order, Faults& faults, const std::string&)
                   {
                       if (order.name == "nobody") faults.add("name", "not_allowed", "Not a name of a buyer");
                   });
}

constexpr std::string_view formType = "application/x-www-form-urlencoded";

Form<Order> formOf(std::string_view body, std::string_view contentType = formType) { return Form<Order>::of({body, contentType}); }

/// `name:required count:out_of_range` of a form, with `unknown_field!` in front where that is its code.
std::string faultsOf(const Form<Order>& form)
{
    if (!form.problem()) return {};
    equal(400, form.problem()->status());
    std::string text;
    if (form.problem()->code() != "validation_failed") text = form.problem()->code() + "!";
    for (const auto& error : form.problem()->errors()) text += (text.empty() ? "" : " ") + error.field + ":" + error.code;
    return text;
}

std::string refusalOf(std::string_view body, std::string_view contentType = formType)
{
    try
    {
        formOf(body, contentType);
    }
    catch (const Problem& problem)
    {
        auto text = std::to_string(problem.status()) + " " + problem.code();
        for (const auto& error : problem.errors()) text += " " + error.field + ":" + error.code;
        return text;
    }
    return "none";
}

struct OrderView
{
    std::string lead;
    PageForm<Order> form;
};

constexpr auto schemaOf(const OrderView*) { return describe(members<&OrderView::lead, &OrderView::form>()); }

constexpr std::string_view orderPage = R"(Order
<p>{{lead}}</p><input name="form_token" value="{{form.token}}">
{{#form.problem}}<b>{{form.problem}}</b>{{/form.problem}}
{{#form.fields.name}}<input name="name" value="{{value}}">{{#problem}}<i>{{problem}}</i>{{/problem}}{{/form.fields.name}}
{{#form.fields.count}}<input name="count" value="{{value}}">{{#problem}}<i>{{problem}}</i>{{/problem}}{{/form.fields.count}}
{{#form.fields.email}}<input name="email" value="{{value}}">{{#problem}}<i>{{problem}}</i>{{/problem}}{{/form.fields.email}}
{{#form.fields.gift}}<input type="checkbox" name="gift"{{#checked}} checked{{/checked}}>{{/form.fields.gift}}
{{#form.fields.password}}<input type="password" value="{{value}}">{{/form.fields.password}}
)";

const Templates::Files files = {
    {"templates/pages/frame.html", "<title>{{{title}}}</title>{{{content}}}<link href=\"{{stylesheet}}\">"},
    {"templates/pages/order.html", std::string(orderPage)},
    {"messages/en.json",
     R"({"problem": {"invalid_email": "Not an address"}, "pages": {"order": {"problem": {"form_expired": "Send it again", "sold_out": "Sold out", "429": "Wait",
        "out_of_range": "Too many", "name": {"required": "Who are you?"}, "other": "This is wrong"}}}})"},
    {"messages/de.json",
     R"({"problem": {"invalid_email": "Keine Adresse"}, "pages": {"order": {"problem": {"form_expired": "Nochmals senden", "sold_out": "Ausverkauft", "429": "Warten",
        "out_of_range": "Zu viele", "name": {"required": "Wer sind Sie?"}, "other": "Das stimmt nicht"}}}})"}};

bool contains(const Response& response, std::string_view text) { return response.body.find(text) != std::string::npos; }

class SilentLogger final : public Logger
{
public:
    void write(LogLevel, std::string_view, Fields) override {}
    bool enabled(LogLevel) const noexcept override { return false; }
};

/// A browser that keeps the cookie of its forms.
class Browser
{
public:
    const Request& request()
    {
        _headers = {{"Accept-Language", language}};
        if (!cookie.empty()) _headers.push_back({"Cookie", cookie});
        _request.headers = _headers;
        _request.signCursorsWith("key of the host");
        return _request;
    }
    /// Takes the cookie of a page, and returns the token of its form.
    std::string take(const Response& page)
    {
        const auto set = page.headerBlock().find("Set-Cookie: ") + 12;
        cookie = page.headerBlock().substr(set, page.headerBlock().find(';', set) - set);
        const auto token = page.body.find("form_token\" value=\"") + 19;
        return page.body.substr(token, page.body.find('"', token) - token);
    }
    std::string language = "en";
    std::string cookie;

private:
    system::HostRequest _request;
    std::vector<HeaderField> _headers;
};

class FormTest : public Suite<FormTest>
{
    TEST(fillsTheRecord)
    {
        const auto form =
            formOf("name=+Ada+&text=one%0D%0Atwo%0D&email=ada%40example.org&password=%26x&count=+12&price=1.5&note=n&colour=red&gift=on&"
                   "terms=1&due=2026-11-28T10%3A00%3A00Z&tags=a&tags=+b+&sizes=1&sizes=2&id=mine&form_token=t");
        equal("", faultsOf(form));
        const auto& order = *form;
        equal("Ada", order.name);
        equal("one\ntwo\n", order.text);
        equal("ada@example.org", order.email);
        equal("&x", order.password);
        equal(12, order.count);
        equal(1.5, order.price.value());
        equal("n", order.note.value());
        CHECK(order.colour == Colour::Red && order.gift && order.terms && order.due);
        CHECK(order.tags == std::vector<std::string>({"a", "b"}) && order.sizes == std::vector<int>({1, 2}));
        equal("kept", order.id);
        equal("t", std::string(form.token()));
        CHECK(form.has("note") && formValue(form.values(), "form_token").empty());
    }

    TEST(blankFieldsAreAsIfNotSent)
    {
        const auto form = formOf("name=a&text=&count=&price=&note=&colour=&due=&tags=&sizes=&terms=on");
        equal("count:out_of_range", faultsOf(form));
        const auto& order = form.sent();
        CHECK(!order.price && !order.note && !order.due && order.tags.empty() && order.sizes.empty());
        // An unchecked box is not sent.
        CHECK(!order.gift);
        CHECK(formOf("name=a&terms=on").sent().tags == std::vector<std::string>{"default"});
    }

    TEST(keepsFaultsForTheHandler)
    {
        const auto form = formOf("name=&count=3&terms=1");
        equal(3, form.sent().count);
        CPPUNIT_ASSERT_THROW(*form, Problem);
        CPPUNIT_ASSERT_THROW(form->count, Problem);
    }

    TEST(namesEveryFaultAtOnce)
    {
        equal("name:required terms:required", faultsOf(formOf("count=1")));
        equal("count:wrong_type price:wrong_type colour:unknown_option gift:wrong_type due:invalid_instant "
              "sizes:wrong_type name:too_long email:invalid_email tags:too_many_values",
              faultsOf(formOf("name=01234567890&email=x&count=1.5&price=much&colour=blue&gift=yes&terms=true&due=soon&"
                              "tags=a&tags=b&tags=c&tags=d&sizes=1&sizes=x")));
        equal("count:out_of_range", faultsOf(formOf("name=a&terms=1&count=99999999999999999999")));
        equal("name:not_allowed", faultsOf(formOf("name=nobody&terms=1&count=1")));
        equal("unknown_field! what:unknown_field", faultsOf(formOf("name=a&terms=1&count=1&what=x&what=y")));
        equal("name:duplicate", faultsOf(formOf("name=a&name=b&name=c&terms=1&count=1")));
        equal("form_token:duplicate", faultsOf(formOf("name=a&terms=1&count=1&form_token=1&form_token=2")));
    }

    /// The same faults have the same codes, whatever the form of the body.
    TEST(refusesAsABodyDoes)
    {
        const auto ofJson = [](std::string_view json)
        {
            try
            {
                fromJson<Order>(json);
            }
            catch (const Problem& problem)
            {
                std::string text = problem.code();
                for (const auto& error : problem.errors()) text += " " + error.field + ":" + error.code;
                return text;
            }
            return std::string("none");
        };
        const auto ofForm = [](std::string_view body)
        {
            const auto form = formOf(body);
            if (!form.problem()) return std::string("none");
            std::string text = form.problem()->code();
            for (const auto& error : form.problem()->errors()) text += " " + error.field + ":" + error.code;
            return text;
        };
        for (const auto& [json, form] :
             {std::pair(R"({"name":"a","terms":true})", "name=a&terms=1&count=7"), std::pair(R"({"terms":true})", "terms=1&count=7"),
              std::pair(R"({"name":"","terms":true})", "name=&terms=1&count=7"),
              std::pair(R"({"name":"01234567890","terms":true})", "name=01234567890&terms=1&count=7"),
              std::pair(R"({"name":"a","terms":true,"count":21})", "name=a&terms=1&count=21"),
              std::pair(R"({"name":"a","terms":true,"count":"x"})", "name=a&terms=1&count=x"),
              std::pair(R"({"name":"a","terms":true,"colour":"x"})", "name=a&terms=1&count=7&colour=x"),
              std::pair(R"({"name":"a","terms":true,"due":"x"})", "name=a&terms=1&count=7&due=x"),
              std::pair(R"({"name":"a","terms":true,"x":1})", "name=a&terms=1&count=7&x=1"),
              std::pair(R"({"name":"nobody","terms":true})", "name=nobody&terms=1&count=7")})
            equal(ofJson(json), ofForm(form), form);
    }

    TEST(refusesWhatCannotBeDecoded)
    {
        for (const auto* wrong : {"name=%", "name=%4", "name=%GG", "name=%FF", "name=%C3", "name=\xff", "name=%ED%A0%80", "name=a%00"})
            equal("400 validation_failed name:invalid_encoding", refusalOf(wrong), wrong);
        equal("400 validation_failed :invalid_encoding", refusalOf("%zz=1"));
    }

    TEST(refusesOtherMediaTypes)
    {
        for (const auto* wrong : {"application/json", "text/plain", "multipart/form-data; boundary=b", "",
                                  "application/x-www-form-urlencoded; charset=ISO-8859-1"})
            equal("415 unsupported_media_type", refusalOf("name=a", wrong), wrong);
        for (const auto* right : {"application/x-www-form-urlencoded; charset=UTF-8", "Application/X-WWW-Form-UrlEncoded"})
            equal("none", refusalOf("name=a", right), right);
        equal("name:required terms:required", faultsOf(formOf("", "")));
    }

    TEST(listsFewOfManyUnknownFields)
    {
        std::string body;
        for (int i = 0; i < 5000; ++i) body += "x" + std::to_string(i) + "=1&";
        const auto form = formOf(body);
        CHECK(form.problem()->errors().size() <= 100);
        equal("unknown_field", form.problem()->code());
    }

    TEST(showsThePageAgain)
    {
        auto page = _page.show(_browser.request(), {"Lead", PageForm<Order>(started())});
        equal(200, page.status);
        CHECK(contains(page, "<title>Order</title><p>Lead</p>") && contains(page, "value=\"start\"") &&
              contains(page, "name=\"gift\" checked") && contains(page, "href=\"/assets/pages.css\""));
        const auto token = "&form_token=" + _browser.take(page);
        page = submit("name=&count=99&email=%22x%22&password=secret&terms=1" + token);
        equal(400, page.status);
        CHECK(contains(page, "<input name=\"name\" value=\"\"><i>Who are you?</i>"));
        CHECK(contains(page, "<input name=\"count\" value=\"99\"><i>Too many</i>"));
        CHECK(contains(page, "<input name=\"email\" value=\"&quot;x&quot;\"><i>Not an address</i>"));
        CHECK(!contains(page, "secret") && !contains(page, "<b>") && !contains(page, " checked"));
        CHECK(page.headerBlock().find("Content-Security-Policy: default-src 'none'") != std::string::npos);
        page = submit("name=sold&terms=1&count=1" + token);
        equal(409, page.status);
        CHECK(contains(page, "<b>Sold out</b>") && contains(page, "value=\"sold\"") && !contains(page, "<i>"));
        page = submit("name=wait&terms=1&count=1" + token);
        equal(429, page.status);
        CHECK(contains(page, "<b>Wait</b>") && page.headerBlock().find("Retry-After: 5") != std::string::npos);
        // A field that is not in the form.
        page = submit("name=a&terms=1&count=1&what=1" + token);
        CHECK(contains(page, "<b>This is wrong</b>"));
        page = submit("name=a&terms=1&count=1" + token);
        equal(303, page.status);
        CHECK(page.headerBlock().find("Location: /done") != std::string::npos);
        equal(0, _pages.templates().findings().size());
    }

    TEST(textsFollowTheLanguage)
    {
        _browser.language = "de-AT,en;q=0.5";
        const auto token = _browser.take(_page.show(_browser.request(), {}));
        const auto page = submit("email=x&terms=1&count=1&form_token=" + token);
        CHECK(contains(page, "<i>Wer sind Sie?</i>") && contains(page, "<i>Keine Adresse</i>"));
        CHECK(page.headerBlock().find("Content-Language: de") != std::string::npos);
    }

    TEST(tokensBelongToTheBrowserAndThePurpose)
    {
        const auto& tokens = _pages.tokens();
        const auto token = _browser.take(_page.show(_browser.request(), {}));
        CHECK(tokens.matches(_browser.request(), "order", token));
        CHECK(!tokens.matches(_browser.request(), "other", token) && !tokens.matches(_browser.request(), "order", token + "x"));
        // The token of the first page stays valid when a second one is shown.
        _browser.take(_page.show(_browser.request(), {}));
        CHECK(tokens.matches(_browser.request(), "order", token));
        Browser other;
        CHECK(!tokens.matches(other.request(), "order", token));
        other.take(_page.show(other.request(), {}));
        CHECK(!tokens.matches(other.request(), "order", token));
        // A planted cookie makes no token, and is replaced.
        other.cookie = "form=planted value";
        CHECK(tokens.matches(other.request(), "order", "") == false);
        other.take(_page.show(other.request(), {}));
        CHECK(other.cookie.size() == 5 + 43);
    }

    TEST(aForeignFormIsShownAgain)
    {
        _browser.take(_page.show(_browser.request(), {}));
        for (const auto* token : {"", "&form_token=", "&form_token=foreign"})
        {
            const auto page = submit(std::string("name=typed&terms=1&count=1") + token);
            equal(403, page.status);
            CHECK(contains(page, "<b>Send it again</b>") && contains(page, "value=\"typed\""));
        }
    }

    TEST(failuresOfTheServerAreNoPage)
    {
        const auto token = _browser.take(_page.show(_browser.request(), {}));
        CPPUNIT_ASSERT_THROW(submit("name=broken&terms=1&count=1&form_token=" + token), Problem);
    }

    TEST(policiesListWhatIsAllowed)
    {
        equal("default-src 'none'; style-src 'self'; img-src 'self' https: data:; form-action 'self'; "
              "base-uri 'none'; frame-ancestors 'none'",
              PagePolicy{}.text());
        PagePolicy policy;
        policy.styles = {contentHash("a")};
        policy.scripts = {"'self'"};
        policy.formTargets = {"", "https://a.example"};
        policy.ancestors = {"'self'", "https://b.example"};
        policy.frames = {""};
        equal("default-src 'none'; style-src 'sha256-ypeBEsobvcr6wjGzmiPcTaeG7/gUfE5yuYB3ha/uSLs='; script-src "
              "'self'; img-src 'self' https: data:; form-action 'self' https://a.example; base-uri 'none'; "
              "frame-ancestors 'self' https://b.example",
              policy.text());
    }

    TEST(pathsOfAssetsChangeWithTheirContent)
    {
        PageAssets assets;
        const auto path = assets.add("pages.css", "a { color: red }");
        CHECK(path.starts_with("/assets/pages-") && path.ends_with(".css") && path != assets.add("pages.css", "b"));
        const auto served = assets.serve(Path<std::string>(path.substr(8)));
        equal("a { color: red }", served.body);
        equal("text/css; charset=utf-8", served.contentType);
        CPPUNIT_ASSERT_THROW(assets.serve(Path<std::string>("pages.css")), Problem);
        CPPUNIT_ASSERT_THROW(assets.add("page.html", ""), std::invalid_argument);
    }

    TEST(urlsArePutTogether)
    {
        equal("/a?x=1&b%20c=%C3%A4%26", withQuery("/a?x=1", {{"b c", "\u00e4&"}}));
        equal("/a", withQuery("/a", {}));
        equal("https://a.example:8443", originOf("https://a.example:8443/b?c#d"));
        equal("com.example.app:", originOf("com.example.app:/back"));
        for (const auto* wrong : {"", "/a", "https:a", "https://", "https://a b/", "https://a;b/"}) equal("", originOf(wrong), wrong);
    }

    Response submit(const std::string& body)
    {
        return _page.submit(_browser.request(), formOf(body), {"Lead", {}},
                            [](const Order& order)
                            {
                                if (order.name == "sold") throw Problem::conflict("sold_out");
                                if (order.name == "wait") throw Problem::rateLimited(5);
                                if (order.name == "broken") throw Problem::internal();
                                return Redirect{"/done"};
                            });
    }

    static Order started()
    {
        Order order;
        order.name = "start";
        return order;
    }
    static HostInfo plainHost()
    {
        HostInfo host;
        host.plainHttp = true;
        return host;
    }

    SilentLogger _log;
    WebPages _pages{plainHost(), Templates(files, _log), PageFrame{.stylesheet = "/assets/pages.css"}};
    FormPage<OrderView, Order> _page = _pages.bind("order", &OrderView::form);
    Browser _browser;
};

} // namespace form_tests
