#include "fuzz/Require.h"

#include "portico/Logger.h"
#include "portico/Templates.h"

#include <cstdint>
#include <stdexcept>

namespace
{

using namespace portico;

struct FuzzedLine
{
    std::string label;
    std::vector<FuzzedLine> parts;
};

constexpr auto schemaOf(const FuzzedLine*) { return portico::describe(portico::members<&FuzzedLine::label, &FuzzedLine::parts>()); }

struct FuzzedPage
{
    std::string title = "<'\"&>\n";
    std::int64_t count = 2;
    bool paid = true;
    std::vector<FuzzedLine> lines{{"a", {{"b", {}}}}};
    std::optional<FuzzedLine> first;
    std::map<std::string, std::string> links{{"home", "/"}};
};

constexpr auto schemaOf(const FuzzedPage*)
{
    using portico::field;
    return portico::describe(
        members<&FuzzedPage::title, &FuzzedPage::count, &FuzzedPage::paid, &FuzzedPage::lines, &FuzzedPage::first, &FuzzedPage::links>());
}

class NoLogger final : public Logger
{
public:
    void write(LogLevel, std::string_view, Fields) override {}
    bool enabled(LogLevel) const noexcept override { return false; }
};

} // namespace

/// A page, a zero, its partial, a zero, a catalog of German. What is taken renders, twice the same, whatever language is asked for; pages
/// without a tag come out as they are; an escaped value brings no markup into a page that has none.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using portico::fuzz::require;
    auto rest = portico::fuzz::textOf(data, size);
    const auto next = [&]
    {
        const auto part = rest.substr(0, rest.find('\0'));
        rest.remove_prefix(std::min(rest.size(), part.size() + 1));
        return std::string(part);
    };
    const auto page = next();
    const auto part = next();
    const auto catalog = next();
    NoLogger logger;
    try
    {
        const Templates templates(
            Templates::Files{{"templates/page.html", page},
                             {"templates/part.html", part},
                             {"messages/en.json", R"({"m": "{count}", "n": {"plural": "count", "one": "1", "other": "n"}})"},
                             {"messages/de.json", catalog}},
            logger);
        const auto bound = templates.bind<FuzzedPage>("page.html");
        const auto german = bound.render({}, "de-AT");
        require(german == bound.render({}, templates.localeFor("de-CH, en;q=0.5")));
        if (page.find("{{") == std::string::npos) require(german == page);
        const auto isPlain = [](const std::string& text) { return text.find_first_of("<&={") == std::string::npos; };
        const bool escapesAll = page.find("{{{") == std::string::npos && page.find_first_of("<&=") == std::string::npos && isPlain(part);
        if (escapesAll && catalog.find('<') == std::string::npos) require(german.find('<') == std::string::npos);
        templates.localeFor(page);
        require(templates.findings() == templates.findings());
    }
    catch (const std::runtime_error&)
    {
    }
    return 0;
}
