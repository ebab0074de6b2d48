#include "host/plugins/package/FileList.h"
#include "host/plugins/package/FileStamp.h"
#include "plugins/Workbench.h"
#include "support/Suite.h"

#include <filesystem>
#include <fstream>
#include <thread>

using namespace portico;
using namespace portico::host::plugins;
using portico::tests::Pipe;
using portico::tests::textOf;
using portico::tests::Workbench;

namespace
{

using portico::testing::equal;
using portico::testing::Suite;

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }
} // namespace

/// Life of a plugin without faults, and with faults, which leave the serving version in place.
class LifecycleTest : public Suite<LifecycleTest>
{
    TEST(startsServesAndStops)
    {
        Workbench bench;
        const auto result = bench.serve("ok-v1", "ok");
        CPPUNIT_ASSERT_MESSAGE(textOf(result), result.succeeded);
        equal(R"({"text":"v1"})", bench.answer("ok"));
        equal(1, bench.contexts.active.load());
        const auto report = bench.report("ok");
        equal("serving", std::string(name(report.state)));
        equal(1, report.generations.size());
        equal(64, report.generations[0].sha256.size());

        CHECK(bench.lifecycle->stopAll("test").get().succeeded);
        equal(0, bench.contexts.alive.load());
        equal(503, bench.publisher.get("ok", "/answer").first);
        const auto lines = bench.journal.lines();
        const auto at = [&](std::string_view text)
        { return std::find_if(lines.begin(), lines.end(), [&](const auto& line) { return line.starts_with(text); }); };
        CHECK(at("constructed") < at("started") && at("started") < at("stopped") && at("stopped") < at("destroyed"));
        CHECK(at("destroyed") != lines.end());
        if (!tests::neverUnmaps()) equal(0, bench.mappedCopies());
    }

    TEST(reloadServesTheNewVersion)
    {
        Workbench bench;
        bench.serve("ok-v1", "ok");
        const auto result = bench.replace("ok-v2", "ok", {{"version", R"("2.0.0")"}});
        CPPUNIT_ASSERT_MESSAGE(textOf(result), result.succeeded);
        equal(R"({"text":"v2"})", bench.answer("ok"));
        equal("2.0.0", bench.report("ok").version);
        equal(1, bench.journal.count("stopped fixture=v1"));
        equal(1, bench.journal.count("destroyed fixture=v1"));
        equal(1, bench.contexts.alive.load());
        equal(1, bench.contexts.active.load());
        if (tests::neverUnmaps()) return;
        equal(1, bench.mappedCopies());
        equal(1, bench.report("ok").generations.size());
        equal(2, bench.report("ok").generations[0].number);
    }

    TEST(reloadReadsTheManifestAgain)
    {
        Workbench bench;
        bench.serve("ok-v1", "ok");
        std::filesystem::remove(bench.plugins() / "ok" / "manifest.json");
        std::ofstream(bench.plugins() / "ok" / "manifest.json") << R"({"manifestVersion": 1, "service_id": "ok")";
        const auto result = bench.reload("ok");
        CHECK(!result.succeeded);
        CPPUNIT_ASSERT_MESSAGE(textOf(result), contains(textOf(result), "manifest.json:1:42: expected JSON"));
        equal(R"({"text":"v1"})", bench.answer("ok"));
        CHECK(bench.report("ok").state == State::Serving);
        CHECK(contains(bench.report("ok").lastError, "expected JSON"));
    }

    TEST(disabledServiceKeepsItsRoutes)
    {
        Workbench bench;
        bench.install("ok-v1", "ok");
        bench.serve("ok-v2", "other");
        CHECK(bench.contexts.closed.empty());
        CHECK(bench.disable("ok").succeeded);
        CHECK(bench.contexts.closed == std::vector<std::string>{"ok"});
        equal(503, bench.publisher.get("ok", "/answer").first);
        equal(404, bench.publisher.get("ok", "/elsewhere").first);
        equal(200, bench.publisher.get("other", "/answer").first);
        std::shared_ptr<const tests::FakePublisher::Set> set;
        CHECK(bench.publisher.find("ok", set)->status == ServiceStatus::Disabled);
        CHECK(bench.report("ok").state == State::Disabled);
        equal(1, bench.contexts.alive.load());
    }

    TEST(enableStartsWhatWasDisabled)
    {
        Workbench bench;
        bench.install("ok-v1", "ok");
        bench.switches["ok"] = false;
        bench.begin();
        CHECK(bench.startAll().succeeded);
        CHECK(bench.enable("ok").succeeded);
        equal(200, bench.publisher.get("ok", "/answer").first);
        const auto again = bench.enable("ok");
        CHECK(again.succeeded && contains(textOf(again), "serves already"));
        equal(1, bench.journal.count("constructed"));
    }

    TEST(configurationDecidesWhatStarts)
    {
        Workbench bench;
        bench.install("ok-v1", "ok");
        bench.install("ok-v2", "off");
        bench.switches["off"] = false;
        bench.begin();
        CHECK(bench.startAll().succeeded);
        equal(200, bench.publisher.get("ok", "/answer").first);
        equal(0, bench.journal.count("fixture=v2"));
        CHECK(bench.report("off").state == State::Disabled && !bench.report("off").enabled);
    }

    TEST(reloadAllAppliesTheConfiguration)
    {
        Workbench bench;
        bench.install("ok-v1", "one");
        bench.install("ok-v2", "two");
        bench.switches["two"] = false;
        bench.begin();
        bench.startAll();
        bench.switches["one"] = false;
        bench.switches["two"] = true;
        const auto result = bench.lifecycle->reloadAll("test").get();
        CPPUNIT_ASSERT_MESSAGE(textOf(result), result.succeeded);
        equal(503, bench.publisher.get("one", "/answer").first);
        equal(200, bench.publisher.get("two", "/answer").first);
    }

    TEST(reloadAllStopsRemovedServices)
    {
        Workbench bench;
        bench.install("ok-v1", "ok");
        bench.serve("ok-v2", "other");
        std::filesystem::remove_all(bench.plugins() / "ok");
        const auto refused = bench.reload("ok");
        CHECK(!refused.succeeded && contains(textOf(refused), "its folder is gone"));
        equal(200, bench.publisher.get("ok", "/answer").first);

        const auto result = bench.lifecycle->reloadAll("test").get();
        CPPUNIT_ASSERT_MESSAGE(textOf(result), result.succeeded);
        CHECK(contains(textOf(result), "ok: its folder was removed, and it was stopped"));
        equal(1, bench.journal.count("destroyed fixture=v1"));
        CHECK(bench.contexts.closed == std::vector<std::string>{"ok"});
        CHECK(bench.publisher.get("ok", "/answer").first != 200);
        equal(200, bench.publisher.get("other", "/answer").first);
        const auto again = bench.lifecycle->reloadAll("test").get();
        CPPUNIT_ASSERT_MESSAGE(textOf(again), again.succeeded);
        if (!tests::neverUnmaps())
        {
            equal(404, bench.publisher.get("ok", "/answer").first);
            equal("", bench.report("ok").serviceId);
        }

        bench.install("ok-v1", "ok");
        CHECK(bench.lifecycle->reloadAll("test").get().succeeded);
        equal(R"({"text":"v1"})", bench.answer("ok"));
    }

    TEST(reloadAllKeepsServicesWithBrokenFolders)
    {
        Workbench bench;
        bench.serve("ok-v1", "ok");
        std::filesystem::remove(bench.plugins() / "ok" / "manifest.json");
        const auto result = bench.lifecycle->reloadAll("test").get();
        CHECK(!result.succeeded);
        CPPUNIT_ASSERT_MESSAGE(textOf(result), contains(textOf(result), "ok/manifest.json: expected the manifest"));
        equal(R"({"text":"v1"})", bench.answer("ok"));
        CHECK(bench.report("ok").state == State::Serving);
    }

    TEST(reloadOfADisabledServiceIsRefused)
    {
        Workbench bench;
        bench.install("ok-v1", "ok");
        bench.switches["ok"] = false;
        bench.begin();
        bench.startAll();
        const auto result = bench.reload("ok");
        CHECK(!result.succeeded && contains(textOf(result), "enable it first"));
        equal(0, bench.journal.count("constructed"));
    }

    TEST(unknownServiceNamesTheKnownOnes)
    {
        Workbench bench;
        bench.serve("ok-v1", "ok");
        const auto result = bench.reload("okay");
        CHECK(!result.succeeded && contains(textOf(result), "installed are: ok"));
    }

    TEST(brokenManifestStopsNoOtherPlugin)
    {
        Workbench bench;
        bench.install("ok-v1", "ok");
        const auto result = bench.serve("ok-v2", "broken", {{"surface_kind", R"("aplication")"}});
        CHECK(!result.succeeded);
        CPPUNIT_ASSERT_MESSAGE(textOf(result), contains(textOf(result), "surface_kind: expected one of"));
        equal(200, bench.publisher.get("ok", "/answer").first);
        CHECK(bench.report("broken").state == State::Failed);
    }

    TEST(refusedTableLeavesTheOldOne)
    {
        Workbench bench;
        bench.serve("ok-v1", "ok");
        bench.install("ok-v2", "ok");
        bench.publisher.refuseNext = true;
        const auto result = bench.reload("ok");
        CHECK(!result.succeeded && contains(textOf(result), "the table could not be built"));
        CHECK(contains(textOf(result), "generation 1 serves on"));
        equal(R"({"text":"v1"})", bench.answer("ok"));
        equal(1, bench.contexts.alive.load());
        equal(1, bench.journal.count("stopped fixture=v2"));
    }

    TEST(unhealthyReplacementIsRefused)
    {
        Workbench bench;
        bench.serve("ok-v1", "ok");
        const auto result = bench.replace("unhealthy", "ok");
        CHECK(!result.succeeded && contains(textOf(result), "'mail' (connection refused), 'disk'"));
        equal(R"({"text":"v1"})", bench.answer("ok"));
    }

    TEST(unhealthyFirstStartServes)
    {
        Workbench bench;
        const auto result = bench.serve("unhealthy", "ok");
        CHECK(result.succeeded && contains(textOf(result), "'mail' (connection refused), 'disk'"));
        equal(200, bench.publisher.get("ok", "/answer").first);
    }

    TEST(failedServiceStartsOnceItIsMended)
    {
        Workbench bench;
        bench.install("start-throws", "ok");
        bench.begin();
        CHECK(!bench.startAll().succeeded);
        CHECK(bench.report("ok").state == State::Failed);
        std::shared_ptr<const tests::FakePublisher::Set> set;
        CHECK(bench.publisher.find("ok", set)->status == ServiceStatus::Failed);
        CHECK(bench.replace("ok-v1", "ok").succeeded);
        equal(200, bench.publisher.get("ok", "/answer").first);
        equal("", bench.report("ok").lastError);
    }

    TEST(stopsInTheEnd)
    {
        Workbench bench;
        bench.serve("ok-v1", "ok");
        bench.end();
        equal(1, bench.journal.count("stopped fixture=v1"));
        equal(0, bench.contexts.alive.load());
    }

    TEST(leftoversOfAnEarlierRunAreRemoved)
    {
        Workbench bench;
        const auto leftover = bench.state() / "generations" / "ok" / "7";
        std::filesystem::create_directories(leftover);
        std::ofstream(leftover / "plugin.so") << "old";
        bench.begin();
        CHECK(!std::filesystem::exists(leftover));
        CHECK(std::filesystem::status(bench.state() / "generations").permissions() == std::filesystem::perms::owner_all);
    }

    /// The copy that a reload leaves is that of the next one, if it still is what is installed.
    TEST(spareCopiesAreWhatIsInstalled)
    {
        Workbench bench;
        bench.serve("ok-v1", "ok");
        const auto folder = bench.state() / "generations" / "ok";
        const auto reload = [&] { CHECK(bench.reload("ok").succeeded); };
        reload();
        const auto spare = folder / "spare";
        if (buildNeverUnmaps()) return CHECK(!std::filesystem::exists(spare));
        const auto kept = std::filesystem::last_write_time(spare / "plugin.so");
        reload();
        CHECK(std::filesystem::last_write_time(folder / "3" / "plugin.so") == kept);

        const auto size = std::filesystem::file_size(spare / "plugin.so");
        std::fstream(spare / "plugin.so", std::ios::in | std::ios::out | std::ios::binary).seekp(static_cast<std::streamoff>(size / 2))
            << "x";
        std::ofstream(spare / "manifest.json") << "{}";
        reload();
        equal(sha256OfFile(folder / "4" / "plugin.so"), bench.report("ok").generations[0].sha256);

        std::ofstream(spare / "cache") << "of the plugin";
        reload();
        CHECK(!std::filesystem::exists(folder / "5" / "cache"));
        std::filesystem::create_symlink("/", spare / "root");
        reload();
        CHECK(!std::filesystem::exists(folder / "6" / "root"));
        CHECK(std::filesystem::exists("/"));
        bench.install("ok-v2", "ok");
        reload();
        equal(sha256OfFile(folder / "7" / "plugin.so"), bench.report("ok").generations[0].sha256);
        CHECK(bench.disable("ok").succeeded);
        CHECK(std::filesystem::is_empty(folder));
    }

    /// Unchanged files are not read again; changed ones are, whatever their size and times.
    TEST(changedFileIsReadAgain)
    {
        if (buildNeverUnmaps()) return;
        Workbench bench;
        bench.serve("ok-v1", "ok");
        namespace fs = std::filesystem;
        const auto installed = bench.plugins() / "ok";
        const auto generations = bench.state() / "generations" / "ok";
        std::ofstream(installed / "page") << "one";
        const auto reload = [&] { CHECK(bench.reload("ok").succeeded); };
        const auto assertSame = [&](const char* number)
        { equal(sha256OfFile(installed / "page"), sha256OfFile(generations / number / "page")); };
        const auto rewrite = [](const fs::path& file, std::string_view text)
        {
            const auto time = fs::last_write_time(file);
            std::fstream(file, std::ios::in | std::ios::out) << text;
            fs::last_write_time(file, time);
        };
        reload();
        reload();
        while (!FileStamp::of(generations / "spare" / "page").tellsChanges() || !FileStamp::of(generations / "3" / "page").tellsChanges())
            std::this_thread::yield();
        reload();
        reload();
        reload();
        assertSame("6");
        rewrite(generations / "spare" / "page", "bad");
        reload();
        assertSame("7");
        reload();
        rewrite(installed / "page", "two");
        reload();
        assertSame("9");
    }

    TEST(logSaysWhoDidWhatToWhichFile)
    {
        Workbench bench;
        bench.serve("ok-v1", "ok");
        const auto before = bench.report("ok").generations[0].sha256;
        bench.install("ok-v2", "ok");
        bench.lifecycle->reload("ok", "uid 1000").get();
        const auto after = bench.report("ok").generations[0].sha256;
        CHECK(before != after);
        equal(1, bench.journal.count("service=ok by=uid 1000 change=replaced from=" + before + " to=" + after));
    }
};
