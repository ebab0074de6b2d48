#include "host/plugins/lifecycle/PageStore.h"
#include "host/plugins/package/PageCheck.h"

#include "plugins/Workbench.h"
#include "support/Suite.h"

#include <fstream>

using namespace portico::host::plugins;

namespace portico::tests
{

namespace
{

namespace fs = std::filesystem;

class MovedClock final : public Clock
{
public:
    Instant now() const noexcept override { return wall; }
    std::chrono::steady_clock::time_point steady() const noexcept override { return {}; }
    Instant wall = *parseInstant("2026-11-21T09:00:00Z");
};
} // namespace

/// Rejected contents of an index.html, and the builds of a service's pages that are kept.
class PagesTest : public Suite<PagesTest>
{
    static std::vector<std::string> faults(std::string_view html)
    {
        return htmlFaults(html, [](std::string_view path) { return path == "app.js" || path == "a/b.css"; });
    }

    TEST(pagesThatBrowsersMayUseHaveNoFaults)
    {
        for (const std::string_view html :
             {"", "text < 3 > 2 <", "<!doctype html><script src=/app.js type=module></script>",
              "<SCRIPT SRC='/app.js?v=1#x'>ignored</SCRIPT>", "<link rel=stylesheet href=\"/a/b.css\">",
              "<link rel=icon href='data:image/svg+xml,<svg onload=x style=y>'>", "<!-- <script>x</script> --><p data-on='x' on=1>",
              "<title><style>not one</style></title>", "<a href=/login>in</a><a href='#x'>",
              "<noscript><a href=\"https://identity.example/login\">sign in</a></noscript>", "<p", "<p a", "<p a=", "<p a='", "<!--", "</",
              "<script src=/app.js"})
            CPPUNIT_ASSERT_MESSAGE(std::string(html), faults(html).empty());
    }

    TEST(policyViolationIsNamedWithItsPlace)
    {
        const std::pair<std::string_view, std::string_view> wrong[] = {
            {"<script>go()</script>", "1:1: expected a script file"},
            {"\n <script type=module>go()</script>", "2:2: expected a script file"},
            {"<script type=application/json>{}</script>", "found an inline script"},
            {"<style>p{}</style>", "found an inline style"},
            {"<svg/onload=go()>", "1:6: expected handlers"},
            {"<p\nONCLICK='go()'>", "2:1: expected handlers in a script file, found the inline handler onclick"},
            {"<p style='x'>", "expected styles in a style file"},
            {"<base href=/x>", "found a base address"},
            {"<iframe srcdoc='<p>'></iframe>", "found srcdoc"},
            {"<a href=' JavaScript:go()'>", "found a script in an address"},
            {"<form action=javascript:go()>", "found a script in an address"},
            {"<script src=/gone.js></script>", "\"/gone.js\", which is not there"},
            {"<script src=app.js></script>", "from their root"},
            {"<script src=//cdn.example/app.js></script>", "from their root"},
            {"<img src=https://cdn.example/x.png>", "from their root"},
            {"<script src=data:text/javascript,go()></script>", "from their root"},
            {"<link rel=preload href=/a/c.css>", "\"/a/c.css\", which is not there"},
            {"<script src=/app.js></script\n><style>", "2:2: expected a style file"},
        };
        for (const auto& [html, expected] : wrong)
        {
            const auto found = faults(html);
            equal(1, found.size(), html);
            CPPUNIT_ASSERT_MESSAGE(std::string(html) + " gave " + found[0], found[0].find(expected) != std::string::npos);
        }
        std::string many;
        for (int i = 0; i < 1000; ++i) many += "<p style=x>";
        equal(20, faults(many).size());
    }

    TEST(namesThatNoAddressHasAreRefused)
    {
        build({{"index.html", "<p>"}, {"a b.js", ""}, {".hidden/x.js", ""}, {"ok/~a+b@1.js", ""}});
        const auto found = pageFaults(manifest);
        equal(2, found.size());
        CHECK(found[0].find(".hidden/x.js") != std::string::npos && found[1].find("a b.js") != std::string::npos);
    }

    TEST(theLastBuildsStay)
    {
        for (const char* name : {"one", "two", "three", "four"}) serve(name);
        equal("four three two", kept());
        restart();
        equal("four three two", kept());
        equal(3, foldersOnDisk());
    }

    TEST(oldAndLargeBuildsGo)
    {
        serve("one");
        clock.wall += std::chrono::hours(15 * 24);
        // It served until now: its tabs are as old as the next build.
        serve("two");
        equal("two one", kept());
        clock.wall += std::chrono::hours(13 * 24);
        equal("two one", kept());
        clock.wall += std::chrono::hours(24 + 1);
        equal("two", kept());
        limits.bytes = 100;
        restart();
        serve("three", 80);
        equal("three two", kept());
        serve("four", 150);
        // The one that serves is never too large.
        equal("four", kept());
    }

    TEST(buildsThatNeverServedPushOutNothing)
    {
        serve("one");
        serve("two");
        for (const char* name : {"bad1", "bad2", "bad3", "bad4"})
        {
            content(name, 0);
            equal(std::string(name) + " two one", namesOf(keep()));
        }
        serve("two");
        equal("two one", kept());
        equal(2, foldersOnDisk());
    }

    TEST(anEarlierBuildServesAgain)
    {
        for (const char* name : {"one", "two", "one"}) serve(name);
        equal("one two", kept());
    }

    TEST(damagedAndUnfinishedBuildsGo)
    {
        serve("one");
        serve("two");
        const auto folder = keep()[1].folder;
        std::ofstream(folder / "build.json") << "evil";
        fs::create_directories(state.path() / "pages/crm/new/assets");
        restart();
        equal("two", kept());
        equal(1, foldersOnDisk());
        // Also the current build: it is written again.
        std::ofstream(keep()[0].folder / "index.html") << "evil";
        restart();
        equal("two", kept());
        CHECK(pageFaults(manifest).empty());
        equal(std::uintmax_t(3), fs::file_size(keep()[0].folder / "index.html"));
    }

    void build(const std::map<std::string, std::string>& files)
    {
        fs::remove_all(plugin.path() / "web");
        for (const auto& [name, text] : files)
        {
            fs::create_directories((plugin.path() / "web" / name).parent_path());
            std::ofstream(plugin.path() / "web" / name) << text;
        }
    }

    void content(const std::string& name, std::size_t bytes)
    {
        build({{"index.html", "<p>"}, {"build.json", name}, {"templates.txt", std::string(bytes, 'x')}});
    }

    std::vector<PageBuild> keep() { return store().keep(manifest, FileList::of(plugin.path())); }

    void serve(const std::string& name, std::size_t bytes = 0)
    {
        clock.wall += std::chrono::minutes(1);
        content(name, bytes);
        store().served(keep());
    }

    static std::string namesOf(const std::vector<PageBuild>& builds)
    {
        std::string names;
        for (const auto& build : builds)
        {
            std::string name;
            std::ifstream(build.folder / "build.json") >> name;
            names += (names.empty() ? "" : " ") + name;
        }
        return names;
    }

    std::string kept() { return namesOf(keep()); }
    std::size_t foldersOnDisk() const
    {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(state.path() / "pages/crm"), fs::directory_iterator()));
    }

    PageStore& store()
    {
        if (!_store) _store = std::make_unique<PageStore>(state.path(), clock, limits);
        return *_store;
    }
    void restart() { _store.reset(); }

public:
    void setUp() override
    {
        manifest.serviceId = "crm";
        manifest.file = plugin.path() / "manifest.json";
        manifest.web = ManifestPages{.root = "web", .home = {}, .routes = {"/x"}, .signIn = false, .policy = {}};
    }

private:
    TemporaryFolder plugin;
    TemporaryFolder state;
    MovedClock clock;
    PageLimits limits;
    Manifest manifest;
    std::unique_ptr<PageStore> _store;
};

} // namespace portico::tests
