#include "support/Suite.h"

#include "portico/Id.h"
#include "portico/Templates.h"

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

using namespace portico;

using portico::testing::equal;
using portico::testing::Suite;

namespace pages
{

struct Line
{
    std::string label;
    double price = 0;
    bool last = false;
    std::vector<Line> parts;
};

constexpr auto schemaOf(const Line*)
{
    return portico::describe(portico::members<&Line::label, &Line::price, &Line::last, &Line::parts>());
}

struct Owner
{
    std::string name;
    std::string passwordHash;
};

constexpr auto schemaOf(const Owner*)
{
    return portico::describe(portico::field<&Owner::name>(), portico::field<&Owner::passwordHash>().columnOnly());
}

enum class Mood : std::uint8_t
{
    Good,
    Bad
};

constexpr auto schemaOf(const Mood*) { return portico::choices<Mood>({{"good", Mood::Good}, {"bad", Mood::Bad}}); }

struct Order
{
    std::string title;
    std::int64_t count = 0;
    bool paid = false;
    Mood mood = Mood::Good;
    Instant at{};
    std::vector<Line> lines;
    std::vector<std::string> tags;
    std::optional<Owner> owner;
    std::map<std::string, std::string> links;
    std::optional<std::string> remark;
};

constexpr auto schemaOf(const Order*)
{
    using portico::field;
    return portico::describe(members<&Order::title, &Order::count, &Order::paid, &Order::mood, &Order::at, &Order::lines, &Order::tags,
                                     &Order::owner, &Order::links, &Order::remark>());
}

class KeepingLogger final : public Logger
{
public:
    void write(LogLevel level, std::string_view text, Fields fields) override
    {
        std::string line = level == LogLevel::Warning ? "warning: " : "";
        line += text;
        for (const auto& [name, value] : fields) line.append(" ").append(name).append("=").append(value);
        lines.push_back(std::move(line));
    }
    bool enabled(LogLevel) const noexcept override { return true; }
    std::vector<std::string> lines;
};

using Files = Templates::Files;

std::string render(std::string_view page, const Order& order, std::string_view name = "page.html", Files more = {})
{
    KeepingLogger logger;
    more["templates/" + std::string(name)] = page;
    return Templates(more, logger).bind<Order>(name).render(order);
}

std::string failure(Files files, std::string_view name = "page.html")
{
    KeepingLogger logger;
    try
    {
        Templates(files, logger).bind<Order>(name);
    }
    catch (const std::runtime_error& error)
    {
        return error.what();
    }
    return {};
}

void expectPart(const std::string& text, std::string_view part)
{
    CPPUNIT_ASSERT_MESSAGE("expected \"" + std::string(part) + "\" in: " + text, text.find(part) != std::string::npos);
}

Order order()
{
    Order order;
    order.title = "Tea & <Milk>";
    order.count = 3;
    order.lines = {{"a", 1.5, false, {}}, {"b", 2, true, {}}};
    order.tags = {"x", "y"};
    return order;
}

} // namespace pages

using namespace pages;

class TemplatesTest : public Suite<TemplatesTest>
{
    TEST(writesValuesOfAllKinds)
    {
        auto value = order();
        value.paid = true;
        value.mood = Mood::Bad;
        value.owner = Owner{"Ada", ""};
        value.links = {{"home", "/h"}};
        value.at = fromMillis(1'795'251'600'000);
        equal("3 true bad Ada /h 2026-11-21T09:00:00.000Z []",
              render("{{count}} {{paid}} {{mood}} {{owner.name}} {{links.home}} {{at}} [{{remark}}{{links.none}}]", value));
        value.lines.push_back({"c", 12'000'000, false, {}});
        equal("a 1.5;b 2;c 12000000;", render("{{#lines}}{{label}} {{price}};{{/lines}}", value));
    }

    TEST(escapesInHtmlOnly)
    {
        auto value = order();
        value.title = "<a href=\"x\" id='y'>&";
        const std::string escaped = "&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;";
        equal(escaped + value.title + value.title, render("{{ title }}{{{ title }}}{{& title }}", value));
        equal(value.title, render("{{title}}", value, "mail.txt"));
    }

    TEST(sectionsFollowTheValue)
    {
        auto value = order();
        const auto page =
            "{{#paid}}paid{{/paid}}{{^paid}}open{{/paid}} {{#tags}}{{.}},{{/tags}}{{^tags}}none{{/tags}} "
            "{{#owner}}{{name}}{{/owner}}{{^owner}}unowned{{/owner}} {{#remark}}[{{.}}]{{/remark}}{{^title}}untitled{{/title}}";
        equal("open x,y, unowned ", render(page, value));
        value = {};
        value.paid = true;
        value.owner = Owner{"Ada", ""};
        value.remark = "soon";
        equal("paid none Ada [soon]untitled", render(page, value));
        // An optional with an empty text is present and empty.
        value.remark = "";
        equal("x", render("{{#remark}}y{{/remark}}{{^remark}}x{{/remark}}", value));
    }

    TEST(namesAreFoundFromTheInside)
    {
        auto value = order();
        value.lines[0].parts = {{"c", 0, true, {}}};
        equal("3a(3c)3b", render("{{#lines}}{{count}}{{label}}{{#parts}}({{count}}{{label}}){{/parts}}{{/lines}}", value));
        // With a dot, only the first part is looked for outside.
        expectPart(failure({{"templates/page.html", "{{#lines}}{{owner.title}}{{/lines}}"}}), "no member has this name");
    }

    /// From the specification's `sections`, `comments` and `delimiters`.
    TEST(tagsOnLinesOfTheirOwnLeaveNone)
    {
        auto value = order();
        value.paid = true;
        equal("|\nThis\n|\nA\n", render("|\nThis\n  {{#paid}}\n|\n  {{/paid}}\nA\n", value));
        equal("|\r\n|", render("|\r\n{{#paid}}\r\n{{/paid}}\r\n|", value));
        equal("#\n/\n", render("#{{#paid}}\n/\n  {{/paid}}", value));
        equal("  12  \n", render("  12 {{! 34 }} \n", value));
        equal("Begin.\nEnd.\n", render("Begin.\n  {{!\n  Something\n  }}\nEnd.\n", value));
        equal("  3\n", render("  {{count}}\n", value));
        equal(" 3 \n", render("{{#paid}} {{count}} {{/paid}}\n", value));
        equal("", render("  {{! only }}", value));
    }

    TEST(delimitersChange)
    {
        const auto value = order();
        equal("(3) {{count}} 3", render("{{=<% %>=}}(<%count%>) {{count}} <%={{ }}=%>{{count}}", value));
        equal("[3]", render("{{=| |=}}[|#paid||/paid||count|]", value));
        // They hold for the one file.
        equal("3 <%count%>", render("{{=<% %>=}}<%count%> <%>part%>", value, "page.html", {{"templates/part.html", "<%count%>"}}));
    }

    /// From the specification's `partials`.
    TEST(partialsAreIndented)
    {
        auto value = order();
        value.title = "<\n->";
        const Files part{{"templates/part.html", "|\n{{{title}}}\n|\n"}};
        equal("\\\n |\n <\n->\n |\n/\n", render("\\\n {{>part}}\n/\n", value, "page.html", part));
        equal("  3  >\n>\n", render("  {{count}}  {{> part}}\n", value, "page.html", {{"templates/part.html", ">\n>"}}));
        equal("  a\n    b\n  c\n", render("  {{>outer}}\n", value, "page.html",
                                          {{"templates/outer.html", "a\n  {{>inner}}\nc\n"}, {"templates/inner.html", "b\n"}}));
        // Each file type has separate partials.
        equal("text", render("{{>part}}", value, "mail/a.txt", {{"templates/part.html", "html"}, {"templates/part.txt", "text"}}));
    }

    TEST(partialsFollowTrees)
    {
        auto value = order();
        value.lines[0].parts = {{"c", 0, false, {{"d", 0, false, {}}}}, {"e", 0, false, {}}};
        equal("a<c<d<>>e<>>b<>", render("{{#lines}}{{>node}}{{/lines}}", value, "page.html",
                                        {{"templates/node.html", "{{label}}<{{#parts}}{{>node}}{{/parts}}>"}}));
    }

    TEST(endlessPartialsEnd)
    {
        const Files files{{"templates/node.html", "{{>node}}"}};
        CPPUNIT_ASSERT_THROW(render("{{>node}}", order(), "page.html", files), std::runtime_error);
    }

    TEST(refusesWrongSyntax)
    {
        const std::string deep = []
        {
            std::string text;
            for (int i = 0; i < 65; ++i) text += "{{#paid}}";
            return text;
        }();
        for (const auto& [page, part] :
             {std::pair{std::string("a\n{{#paid}}\nb"), "page.html:2: expected {{/paid}}"},
              {"{{/paid}}", "page.html:1: expected no {{/paid}}"},
              {"{{#paid}}\n{{#tags}}{{/paid}}{{/tags}}", "page.html:2: expected {{/tags}} for the section of line 2"},
              {"\n\n{{title", "page.html:3: expected }} at the end of the tag"},
              {"{{{title}}", "expected }}}"},
              {"{{a b}}", "found \"a b\""},
              {"{{}}", "found \"\""},
              {"{{a..b}}", "found \"a..b\""},
              {"{{#}}{{/}}", "found \"\""},
              {"{{messages.}}", "found \"\""},
              {"{{=<%=}}", "two delimiters"},
              {"{{== ==}}", "expected"},
              {"{{> none}}", "page.html:1: {{> none}}: there is no templates/none.html"},
              {deep, "at most 64 sections"},
              {"\xff", "expected UTF-8"},
              {std::string((1 << 20) + 1, ' '), "at most 1 MiB"}})
            expectPart(failure({{"templates/page.html", page}}), part);
        expectPart(failure({{"templates/page.htm", ""}}), "templates/page.htm: expected a file .html");
        expectPart(failure({{"templates/page.html", ""}}, "other.html"), "templates/other.html: there is no such file");
        // All of them at once.
        const auto text = failure({{"templates/page.html", "{{"}, {"templates/other.html", "{{#a}}"}});
        expectPart(text, "page.html:1");
        expectPart(text, "other.html:1");
    }

    TEST(refusesWhatTheRecordDoesNotHave)
    {
        for (const auto& [page, part] :
             {std::pair{"\n{{titel}}", "page.html:2: {{titel}}: no member has this name: Order has title, count, paid"},
              {"{{#lines}}{{labl}}{{/lines}}", "{{labl}}: no member has this name: Line has label, price, last, parts"},
              {"{{^nope}}{{/nope}}", "{{#nope}}: no member has this name"},
              {"{{owner.nam}}", "{{owner.nam}}: no member"},
              {"{{lines}}", "{{lines}}: expected a text or a number, found a record or a list"},
              {"{{owner}}", "found a record or a list"},
              {"{{title.length}}", "no member has this name"},
              {"{{#count}}{{/count}}", "which is always there"},
              {"{{#mood}}{{/mood}}", "which is always there"},
              {"{{#paid}}{{titel}}{{/paid}}", "{{titel}}"},
              {"{{label}}", "{{label}}: no member has this name: Order has"},
              {"{{messages.none}}", "messages/en.json has no such message"}})
            expectPart(failure({{"templates/page.html", page}}), part);
        const auto text =
            failure({{"templates/page.html", "{{>part}}{{#lines}}{{>part}}{{/lines}}"}, {"templates/part.html", "{{label}}"}});
        expectPart(text, "templates/page.html does not fit Order:\n  templates/part.html:1: {{label}}");
        equal(text.find("label}}"), text.rfind("label}}"));
    }

    TEST(hiddenMembersDoNotExist) { expectPart(failure({{"templates/page.html", "{{owner.passwordHash}}"}}), "no member has this name"); }

    TEST(messagesComeInTheLanguage)
    {
        KeepingLogger logger;
        const Templates templates(
            Files{{"templates/page.html",
                   "{{locale}}: {{messages.order.title}} {{messages.order.count}}{{#owner}} {{messages.by}}{{/owner}}"},
                  {"messages/en.json",
                   R"({"order": {"title": "Order {{1}}", "count": {"plural": "count", "one": "{count} line", "other": "{count} lines"}},
                                           "by": "by {name}"})"},
                  {"messages/pl.json", R"({"order": {"title": "Zamówienie", "count": {"plural": "count", "one": "{count} wiersz",
                                           "few": "{count} wiersze", "many": "{count} wierszy", "other": "{count} wiersza"}}, "by": "{name}"})"},
                  {"messages/en-GB.json", R"({"by": "ordered by {name}"})"}},
            logger);
        const auto page = templates.bind<Order>("page.html");
        auto value = order();
        equal("en: Order {1} 3 lines", page.render(value));
        equal("pl: Zamówienie 3 wiersze", page.render(value, "pl-PL"));
        equal("en: Order {1} 3 lines", page.render(value, "fr"));
        value.count = 1;
        value.owner = Owner{"Ada", ""};
        equal("en-GB: Order {1} 1 line ordered by Ada", page.render(value, "en-gb"));
        equal("pl: Zamówienie 1 wiersz Ada", page.render(value, "PL"));
        value.count = 12;
        equal("pl: Zamówienie 12 wierszy Ada", page.render(value, "pl"));
        CHECK(logger.lines.empty());
    }

    TEST(messagesAreEscapedLikeValues)
    {
        const Files files{{"messages/en.json", R"({"m": "<b>{title}</b>"})"}};
        auto value = order();
        equal("&lt;b&gt;Tea &amp; &lt;Milk&gt;&lt;/b&gt;", render("{{messages.m}}", value, "page.html", files));
        equal("<b>Tea & <Milk></b>", render("{{&messages.m}}", value, "page.html", files));
        equal("<b>Tea & <Milk></b>", render("{{messages.m}}", value, "page.txt", files));
    }

    TEST(refusesWrongMessages)
    {
        for (const auto& [catalog, part] : {std::pair{R"({"a": "{x"})", "messages/en.json: a: expected a name in braces"},
                                            {R"({"a": "x}"})", "a: expected a name in braces"},
                                            {R"({"a": "{x y}"})", "a: expected a name of letters"},
                                            {R"({"a": 1})", "a: expected a text"},
                                            {R"({"a": {"b": null}})", "a.b: expected a text"},
                                            {R"({"a b": ""})", "expected a name of letters"},
                                            {R"({"a": {"plural": "count", "one": "x"}})", "a: expected a text for \"other\""},
                                            {R"({"a": {"plural": "count", "othr": "x", "other": ""}})", "found \"othr\""},
                                            {R"({"a": {"plural": "count", "other": {}}})", "another value for \"other\""},
                                            {R"({"a": {"b": "1"}, "a.b": "2"})", "expected"},
                                            {R"({"a": "1", "a": "2"})", "expected"},
                                            {R"({"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":{"a":"x"}}}}}}}}})", "up to 8 in each other"},
                                            {"[]", "expected a JSON object of messages"},
                                            {"{", "expected a JSON object of messages"}})
            expectPart(failure({{"templates/page.html", ""}, {"messages/en.json", catalog}}), part);
        expectPart(failure({{"templates/page.html", ""}, {"messages/de.json", "{}"}}), "messages/en.json: expected this file");
        expectPart(failure({{"templates/page.html", ""}, {"messages/en.json", "{}"}, {"messages/EN.json", "{}"}}), "each language once");
        expectPart(failure({{"templates/page.html", ""}, {"messages/english!.json", "{}"}}), "named as its language");
    }

    TEST(refusesMessagesThatDoNotFit)
    {
        Files files{{"templates/page.html", "{{#lines}}{{messages.m}}{{/lines}}"}, {"messages/en.json", R"({"m": "{label}"})"}};
        equal("", failure(files));
        files["messages/de.json"] = R"({"m": "{lbl}"})";
        expectPart(failure(files), "page.html:1: messages/de.json: m: {lbl}: no member has this name: Line has label");
        files["messages/de.json"] = R"({"m": {"plural": "label", "one": "", "other": "{parts}"}})";
        expectPart(failure(files), "m: plural: expected the name of a number, found \"label\"");
        expectPart(failure(files), "m: {parts}: expected a text or a number");
    }

    TEST(missingMessagesFallBackAndAreReportedOnce)
    {
        KeepingLogger logger;
        const Templates templates(Files{{"templates/page.txt", "{{messages.a}} {{messages.b}}"},
                                        {"messages/en.json", R"({"a": "A", "b": {"plural": "count", "one": "one", "other": "more"}})"},
                                        {"messages/fr.json", R"({"a": "À"})"},
                                        {"messages/fr-CA.json", "{}"}},
                                  logger);
        const auto page = templates.bind<Order>("page.txt");
        // By the rules of English, in which 0 is more.
        equal("À more", page.render({}, "fr"));
        equal("À more", page.render({}, "fr-CA"));
        equal(2, logger.lines.size());
        equal("warning: A language lacks a message error=messages/fr.json: b is missing; en is shown", logger.lines[0]);
    }

    TEST(findsWhatATestShouldKnow)
    {
        KeepingLogger logger;
        const Templates templates(Files{{"templates/page.html", "{{messages.a}}{{>part}}"},
                                        {"templates/part.html", ""},
                                        {"templates/forgotten.html", "{{messages.b}}"},
                                        {"messages/en.json", R"({"a": "A", "b": "B", "n": {"plural": "count", "few": "", "other": ""}})"},
                                        {"messages/de.json", R"({"a": "A", "b": "B", "n": "N", "c": "C"})"},
                                        {"messages/de-AT.json", "{}"}},
                                  logger);
        templates.bind<Order>("page.html");
        const std::vector<std::string> expected{"messages/en.json: c is missing, which de has",
                                                "messages/en.json: n: the text for \"one\" is missing",
                                                "messages/en.json: n: no number takes the text for \"few\"",
                                                "templates/forgotten.html is never bound",
                                                "messages: b is never shown by a template that is bound",
                                                "messages: c is never shown by a template that is bound",
                                                "messages: n is never shown by a template that is bound"};
        const auto findings = templates.findings();
        for (std::size_t i = 0; i < std::min(expected.size(), findings.size()); ++i) equal(expected[i], findings[i]);
        equal(expected.size(), findings.size());
    }

    /// Samples of the CLDR's chart of cardinals.
    TEST(knowsThePluralsOfLanguages)
    {
        const std::vector<std::pair<std::string, std::vector<std::pair<double, std::string>>>> languages{
            {"en", {{0, "other"}, {1, "one"}, {2, "other"}, {1.5, "other"}, {21, "other"}}},
            {"de-AT", {{1, "one"}, {0, "other"}}},
            {"fr", {{0, "one"}, {1, "one"}, {1.5, "one"}, {2, "other"}, {1'000'000, "many"}, {1'000'001, "other"}}},
            {"pl", {{1, "one"}, {2, "few"}, {5, "many"}, {12, "many"}, {22, "few"}, {21, "many"}, {112, "many"}, {1.5, "other"}}},
            {"ru", {{1, "one"}, {21, "one"}, {11, "many"}, {3, "few"}, {14, "many"}, {24, "few"}, {0, "many"}, {1.5, "other"}}},
            {"ar",
             {{0, "zero"}, {1, "one"}, {2, "two"}, {3, "few"}, {110, "few"}, {11, "many"}, {99, "many"}, {100, "other"}, {0.5, "other"}}},
            {"cs", {{1, "one"}, {3, "few"}, {5, "other"}, {1.5, "many"}}},
            {"sl", {{1, "one"}, {101, "one"}, {2, "two"}, {3, "few"}, {5, "other"}, {1.5, "few"}}},
            {"hr", {{1, "one"}, {21, "one"}, {11, "other"}, {2, "few"}, {1.1, "one"}, {1.5, "other"}}},
            {"ro", {{1, "one"}, {0, "few"}, {19, "few"}, {20, "other"}, {101, "few"}}},
            {"lv", {{0, "zero"}, {1, "one"}, {11, "zero"}, {21, "one"}, {2, "other"}}},
            {"lt", {{1, "one"}, {11, "other"}, {2, "few"}, {1.5, "many"}}},
            {"he", {{1, "one"}, {2, "two"}, {3, "other"}}},
            {"ga", {{1, "one"}, {2, "two"}, {4, "few"}, {8, "many"}, {11, "other"}}},
            {"cy", {{0, "zero"}, {3, "few"}, {6, "many"}, {7, "other"}}},
            {"da", {{1, "one"}, {0.5, "one"}, {2, "other"}}},
            {"is", {{1, "one"}, {21, "one"}, {11, "other"}}},
            {"hi", {{0, "one"}, {1, "one"}, {0.5, "one"}, {2, "other"}}},
            {"pt", {{0, "one"}, {2, "other"}}},
            {"pt-PT", {{0, "other"}, {1, "one"}}},
            {"es", {{1, "one"}, {0, "other"}, {2'000'000, "many"}}},
            {"ja", {{1, "other"}, {0, "other"}}},
            {"tlh", {{1, "one"}, {2, "other"}}}};
        const std::string all =
            R"({"p": {"plural": "price", "zero": "zero", "one": "one", "two": "two", "few": "few", "many": "many", "other": "other"}})";
        Files files{{"templates/page.txt", "{{messages.p}}"}, {"messages/en.json", all}};
        for (const auto& [language, samples] : languages) files["messages/" + language + ".json"] = all;
        KeepingLogger logger;
        const auto page = Templates(files, logger).bind<Line>("page.txt");
        for (const auto& [language, samples] : languages)
            for (const auto& [number, category] : samples)
                equal(category, page.render({"", number, false, {}}, language), language + ' ' + std::to_string(number));
    }

    TEST(choosesTheLanguage)
    {
        KeepingLogger logger;
        const Templates templates(Files{{"templates/page.html", ""},
                                        {"messages/en.json", "{}"},
                                        {"messages/de.json", "{}"},
                                        {"messages/de-AT.json", "{}"},
                                        {"messages/zh-Hant.json", "{}"}},
                                  logger);
        equal(4, templates.locales().size());
        for (const auto& [header, tag] : {std::pair{"", "en"},
                                          {"de", "de"},
                                          {"DE-at", "de-AT"},
                                          {"de-CH", "de"},
                                          {"de-AT-1996", "de-AT"},
                                          {"zh-Hant-x-private", "zh-Hant"},
                                          {"zh-Hans", "en"},
                                          {"fr, de;q=0.5", "de"},
                                          {"en;q=0.5, de;q=0.8", "de"},
                                          {"de;q=0, fr", "en"},
                                          {"de;q=0.001", "de"},
                                          {" de-AT ;q=0.9 , *;q=0.1", "de-AT"},
                                          {"*", "en"},
                                          {"de;q=2", "en"},
                                          {"de;q=", "en"},
                                          {"de;level=1", "en"},
                                          {"de;q=0.5555555", "en"},
                                          {",,,;;q=1,de", "de"},
                                          {"../../etc/passwd,de", "de"},
                                          {"d\xc3\xa9,de", "de"}})
            equal(tag, templates.localeFor(header), header);
        std::string many;
        for (int i = 0; i < 10'000; ++i) many += "fr,";
        equal("en", templates.localeFor(many + "de"));
    }

    TEST(readsAFolder)
    {
        namespace fs = std::filesystem;
        const auto folder = fs::temp_directory_path() /
                            ("templates-" + makeUlid(std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now())));
        fs::create_directories(folder / "templates/mail");
        fs::create_directories(folder / "messages");
        std::ofstream(folder / "templates/mail/order.txt") << "{{messages.title}}: {{title}}";
        std::ofstream(folder / "templates/mail/subject.txt") << "{{title}}\n";
        std::ofstream(folder / "templates/mail/lines.txt") << "{{title}}\n{{title}}\n";
        std::ofstream(folder / "messages/en.json") << R"({"title": "Order"})";
        KeepingLogger logger;
        equal("Order: Tea & <Milk>", Templates(folder, logger).bind<Order>("mail/order.txt").render(order()));
        // A text of one line can be a subject: editors end it with a line end.
        equal("Tea & <Milk>", Templates(folder, logger).bind<Order>("mail/subject.txt").render(order()));
        equal("Tea & <Milk>\nTea & <Milk>\n", Templates(folder, logger).bind<Order>("mail/lines.txt").render(order()));
        CPPUNIT_ASSERT_THROW(Templates(folder / "none", logger), std::runtime_error);
        fs::remove_all(folder);
    }

    TEST(rendersOnManyThreads)
    {
        KeepingLogger logger;
        const Templates templates(
            Files{{"templates/page.html", "{{#lines}}{{label}}{{messages.m}}{{/lines}}"}, {"messages/en.json", R"x({"m": "({price})"})x"}},
            logger);
        const auto page = templates.bind<Order>("page.html");
        const auto value = order();
        std::vector<std::thread> threads;
        std::atomic<int> right = 0;
        for (int i = 0; i < 4; ++i)
            threads.emplace_back(
                [&]
                {
                    for (int k = 0; k < 500; ++k) right += page.render(value, k % 2 == 0 ? "en" : "de") == "a(1.5)b(2)" ? 1 : 0;
                });
        for (auto& thread : threads) thread.join();
        equal(2'000, right.load());
    }
};
