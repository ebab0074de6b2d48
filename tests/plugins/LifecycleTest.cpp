#include "host/plugins/package/FileList.h"
#include "host/plugins/package/FileStamp.h"
#include "plugins/Workbench.h"

#include <cppunit/extensions/HelperMacros.h>

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
bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }
} // namespace

/// What a plugin goes through when all is well, and that what goes wrong leaves what served before.
class LifecycleTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(LifecycleTest);
    CPPUNIT_TEST(startsServesAndStops);
    CPPUNIT_TEST(reloadServesTheNewVersion);
    CPPUNIT_TEST(reloadTakesTheManifestAnew);
    CPPUNIT_TEST(disabledServiceKeepsItsRoutes);
    CPPUNIT_TEST(enableStartsWhatWasDisabled);
    CPPUNIT_TEST(configurationDecidesWhatStarts);
    CPPUNIT_TEST(reloadAllAppliesTheConfiguration);
    CPPUNIT_TEST(reloadOfADisabledServiceIsRefused);
    CPPUNIT_TEST(unknownServiceNamesTheKnownOnes);
    CPPUNIT_TEST(brokenManifestStopsNobodyElse);
    CPPUNIT_TEST(refusedTableLeavesTheOldOne);
    CPPUNIT_TEST(unhealthyReplacementIsRefused);
    CPPUNIT_TEST(unhealthyFirstStartServes);
    CPPUNIT_TEST(failedServiceStartsOnceItIsMended);
    CPPUNIT_TEST(stopsInTheEnd);
    CPPUNIT_TEST(leftoversOfAnEarlierRunAreRemoved);
    CPPUNIT_TEST(spareCopiesAreWhatIsInstalled);
    CPPUNIT_TEST(whatWasTouchedIsReadAgain);
    CPPUNIT_TEST(logSaysWhoDidWhatToWhichFile);
    CPPUNIT_TEST_SUITE_END();

public:
    void startsServesAndStops()
    {
        Workbench bench;
        bench.install("ok-v1", "ok");
        bench.begin();
        const auto result = bench.startAll();
        CPPUNIT_ASSERT_MESSAGE(textOf(result), result.succeeded);
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"text":"v1"})"), bench.answer("ok"));
        CPPUNIT_ASSERT_EQUAL(1, bench.contexts.active.load());
        const auto report = bench.report("ok");
        CPPUNIT_ASSERT_EQUAL(std::string("serving"), std::string(name(report.state)));
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), report.generations.size());
        CPPUNIT_ASSERT_EQUAL(std::size_t(64), report.generations[0].sha256.size());

        CPPUNIT_ASSERT(bench.lifecycle->stopAll("test").get().succeeded);
        CPPUNIT_ASSERT_EQUAL(0, bench.contexts.alive.load());
        CPPUNIT_ASSERT_EQUAL(503, bench.publisher.get("ok", "/answer").first);
        const auto lines = bench.journal.lines();
        const auto at = [&](std::string_view text)
        { return std::find_if(lines.begin(), lines.end(), [&](const auto& line) { return line.starts_with(text); }); };
        CPPUNIT_ASSERT(at("constructed") < at("started") && at("started") < at("stopped") && at("stopped") < at("destroyed"));
        CPPUNIT_ASSERT(at("destroyed") != lines.end());
        if (!tests::neverUnmaps()) CPPUNIT_ASSERT_EQUAL(std::size_t(0), bench.mappedCopies());
    }

    void reloadServesTheNewVersion()
    {
        Workbench bench;
        bench.install("ok-v1", "ok");
        bench.begin();
        bench.startAll();
        bench.install("ok-v2", "ok", {{"version", R"("2.0.0")"}});
        const auto result = bench.reload("ok");
        CPPUNIT_ASSERT_MESSAGE(textOf(result), result.succeeded);
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"text":"v2"})"), bench.answer("ok"));
        CPPUNIT_ASSERT_EQUAL(std::string("2.0.0"), bench.report("ok").version);
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), bench.journal.count("stopped fixture=v1"));
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), bench.journal.count("destroyed fixture=v1"));
        CPPUNIT_ASSERT_EQUAL(1, bench.contexts.alive.load());
        CPPUNIT_ASSERT_EQUAL(1, bench.contexts.active.load());
        if (tests::neverUnmaps()) return;
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), bench.mappedCopies());
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), bench.report("ok").generations.size());
        CPPUNIT_ASSERT_EQUAL(std::uint64_t(2), bench.report("ok").generations[0].number);
    }

    void reloadTakesTheManifestAnew()
    {
        Workbench bench;
        bench.install("ok-v1", "ok");
        bench.begin();
        bench.startAll();
        std::filesystem::remove(bench.plugins() / "ok" / "manifest.json");
        std::ofstream(bench.plugins() / "ok" / "manifest.json") << R"({"manifestVersion": 1, "service_id": "ok")";
        const auto result = bench.reload("ok");
        CPPUNIT_ASSERT(!result.succeeded);
        CPPUNIT_ASSERT_MESSAGE(textOf(result), contains(textOf(result), "manifest.json:1:42: expected JSON"));
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"text":"v1"})"), bench.answer("ok"));
        CPPUNIT_ASSERT(bench.report("ok").state == State::Serving);
        CPPUNIT_ASSERT(contains(bench.report("ok").lastError, "expected JSON"));
    }

    void disabledServiceKeepsItsRoutes()
    {
        Workbench bench;
        bench.install("ok-v1", "ok");
        bench.install("ok-v2", "other");
        bench.begin();
        bench.startAll();
        CPPUNIT_ASSERT(bench.contexts.closed.empty());
        CPPUNIT_ASSERT(bench.disable("ok").succeeded);
        CPPUNIT_ASSERT(bench.contexts.closed == std::vector<std::string>{"ok"});
        CPPUNIT_ASSERT_EQUAL(503, bench.publisher.get("ok", "/answer").first);
        CPPUNIT_ASSERT_EQUAL(404, bench.publisher.get("ok", "/elsewhere").first);
        CPPUNIT_ASSERT_EQUAL(200, bench.publisher.get("other", "/answer").first);
        std::shared_ptr<const tests::FakePublisher::Set> set;
        CPPUNIT_ASSERT(bench.publisher.find("ok", set)->status == ServiceStatus::Disabled);
        CPPUNIT_ASSERT(bench.report("ok").state == State::Disabled);
        CPPUNIT_ASSERT_EQUAL(1, bench.contexts.alive.load());
    }

    void enableStartsWhatWasDisabled()
    {
        Workbench bench;
        bench.install("ok-v1", "ok");
        bench.switches["ok"] = false;
        bench.begin();
        CPPUNIT_ASSERT(bench.startAll().succeeded);
        CPPUNIT_ASSERT(bench.enable("ok").succeeded);
        CPPUNIT_ASSERT_EQUAL(200, bench.publisher.get("ok", "/answer").first);
        const auto again = bench.enable("ok");
        CPPUNIT_ASSERT(again.succeeded && contains(textOf(again), "serves already"));
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), bench.journal.count("constructed"));
    }

    void configurationDecidesWhatStarts()
    {
        Workbench bench;
        bench.install("ok-v1", "ok");
        bench.install("ok-v2", "off");
        bench.switches["off"] = false;
        bench.begin();
        CPPUNIT_ASSERT(bench.startAll().succeeded);
        CPPUNIT_ASSERT_EQUAL(200, bench.publisher.get("ok", "/answer").first);
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), bench.journal.count("fixture=v2"));
        CPPUNIT_ASSERT(bench.report("off").state == State::Disabled && !bench.report("off").enabled);
    }

    void reloadAllAppliesTheConfiguration()
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
        CPPUNIT_ASSERT_EQUAL(503, bench.publisher.get("one", "/answer").first);
        CPPUNIT_ASSERT_EQUAL(200, bench.publisher.get("two", "/answer").first);
    }

    void reloadOfADisabledServiceIsRefused()
    {
        Workbench bench;
        bench.install("ok-v1", "ok");
        bench.switches["ok"] = false;
        bench.begin();
        bench.startAll();
        const auto result = bench.reload("ok");
        CPPUNIT_ASSERT(!result.succeeded && contains(textOf(result), "enable it first"));
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), bench.journal.count("constructed"));
    }

    void unknownServiceNamesTheKnownOnes()
    {
        Workbench bench;
        bench.install("ok-v1", "ok");
        bench.begin();
        bench.startAll();
        const auto result = bench.reload("okay");
        CPPUNIT_ASSERT(!result.succeeded && contains(textOf(result), "installed are: ok"));
    }

    void brokenManifestStopsNobodyElse()
    {
        Workbench bench;
        bench.install("ok-v1", "ok");
        bench.install("ok-v2", "broken", {{"surface_kind", R"("aplication")"}});
        bench.begin();
        const auto result = bench.startAll();
        CPPUNIT_ASSERT(!result.succeeded);
        CPPUNIT_ASSERT_MESSAGE(textOf(result), contains(textOf(result), "surface_kind: expected one of"));
        CPPUNIT_ASSERT_EQUAL(200, bench.publisher.get("ok", "/answer").first);
        CPPUNIT_ASSERT(bench.report("broken").state == State::Failed);
    }

    void refusedTableLeavesTheOldOne()
    {
        Workbench bench;
        bench.install("ok-v1", "ok");
        bench.begin();
        bench.startAll();
        bench.install("ok-v2", "ok");
        bench.publisher.refuseNext = true;
        const auto result = bench.reload("ok");
        CPPUNIT_ASSERT(!result.succeeded && contains(textOf(result), "the table could not be built"));
        CPPUNIT_ASSERT(contains(textOf(result), "generation 1 serves on"));
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"text":"v1"})"), bench.answer("ok"));
        CPPUNIT_ASSERT_EQUAL(1, bench.contexts.alive.load());
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), bench.journal.count("stopped fixture=v2"));
    }

    void unhealthyReplacementIsRefused()
    {
        Workbench bench;
        bench.install("ok-v1", "ok");
        bench.begin();
        bench.startAll();
        bench.install("unhealthy", "ok");
        const auto result = bench.reload("ok");
        CPPUNIT_ASSERT(!result.succeeded && contains(textOf(result), "'mail' (connection refused), 'disk'"));
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"text":"v1"})"), bench.answer("ok"));
    }

    void unhealthyFirstStartServes()
    {
        Workbench bench;
        bench.install("unhealthy", "ok");
        bench.begin();
        const auto result = bench.startAll();
        CPPUNIT_ASSERT(result.succeeded && contains(textOf(result), "'mail' (connection refused), 'disk'"));
        CPPUNIT_ASSERT_EQUAL(200, bench.publisher.get("ok", "/answer").first);
    }

    void failedServiceStartsOnceItIsMended()
    {
        Workbench bench;
        bench.install("start-throws", "ok");
        bench.begin();
        CPPUNIT_ASSERT(!bench.startAll().succeeded);
        CPPUNIT_ASSERT(bench.report("ok").state == State::Failed);
        std::shared_ptr<const tests::FakePublisher::Set> set;
        CPPUNIT_ASSERT(bench.publisher.find("ok", set)->status == ServiceStatus::Failed);
        bench.install("ok-v1", "ok");
        CPPUNIT_ASSERT(bench.reload("ok").succeeded);
        CPPUNIT_ASSERT_EQUAL(200, bench.publisher.get("ok", "/answer").first);
        CPPUNIT_ASSERT_EQUAL(std::string(), bench.report("ok").lastError);
    }

    void stopsInTheEnd()
    {
        Workbench bench;
        bench.install("ok-v1", "ok");
        bench.begin();
        bench.startAll();
        bench.end();
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), bench.journal.count("stopped fixture=v1"));
        CPPUNIT_ASSERT_EQUAL(0, bench.contexts.alive.load());
    }

    void leftoversOfAnEarlierRunAreRemoved()
    {
        Workbench bench;
        const auto leftover = bench.state() / "generations" / "ok" / "7";
        std::filesystem::create_directories(leftover);
        std::ofstream(leftover / "plugin.so") << "old";
        bench.begin();
        CPPUNIT_ASSERT(!std::filesystem::exists(leftover));
        CPPUNIT_ASSERT(std::filesystem::status(bench.state() / "generations").permissions() == std::filesystem::perms::owner_all);
    }

    /// The copy that a reload leaves is that of the next one, if it still is what is installed.
    void spareCopiesAreWhatIsInstalled()
    {
        Workbench bench;
        bench.install("ok-v1", "ok");
        bench.begin();
        bench.startAll();
        const auto folder = bench.state() / "generations" / "ok";
        const auto reload = [&] { CPPUNIT_ASSERT(bench.reload("ok").succeeded); };
        reload();
        const auto spare = folder / "spare";
        if (buildNeverUnmaps()) return CPPUNIT_ASSERT(!std::filesystem::exists(spare));
        const auto kept = std::filesystem::last_write_time(spare / "plugin.so");
        reload();
        CPPUNIT_ASSERT(std::filesystem::last_write_time(folder / "3" / "plugin.so") == kept);

        const auto size = std::filesystem::file_size(spare / "plugin.so");
        std::fstream(spare / "plugin.so", std::ios::in | std::ios::out | std::ios::binary).seekp(static_cast<std::streamoff>(size / 2))
            << "x";
        std::ofstream(spare / "manifest.json") << "{}";
        reload();
        CPPUNIT_ASSERT_EQUAL(sha256OfFile(folder / "4" / "plugin.so"), bench.report("ok").generations[0].sha256);

        std::ofstream(spare / "cache") << "of the plugin";
        reload();
        CPPUNIT_ASSERT(!std::filesystem::exists(folder / "5" / "cache"));
        std::filesystem::create_symlink("/", spare / "root");
        reload();
        CPPUNIT_ASSERT(!std::filesystem::exists(folder / "6" / "root"));
        CPPUNIT_ASSERT(std::filesystem::exists("/"));
        bench.install("ok-v2", "ok");
        reload();
        CPPUNIT_ASSERT_EQUAL(sha256OfFile(folder / "7" / "plugin.so"), bench.report("ok").generations[0].sha256);
        CPPUNIT_ASSERT(bench.disable("ok").succeeded);
        CPPUNIT_ASSERT(std::filesystem::is_empty(folder));
    }

    /// Files that nobody touched are not read again; one that was is, whatever its size and its times say.
    void whatWasTouchedIsReadAgain()
    {
        if (buildNeverUnmaps()) return;
        Workbench bench;
        bench.install("ok-v1", "ok");
        bench.begin();
        bench.startAll();
        namespace fs = std::filesystem;
        const auto installed = bench.plugins() / "ok";
        const auto generations = bench.state() / "generations" / "ok";
        std::ofstream(installed / "page") << "one";
        const auto reload = [&] { CPPUNIT_ASSERT(bench.reload("ok").succeeded); };
        const auto assertSame = [&](const char* number)
        { CPPUNIT_ASSERT_EQUAL(sha256OfFile(installed / "page"), sha256OfFile(generations / number / "page")); };
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

    void logSaysWhoDidWhatToWhichFile()
    {
        Workbench bench;
        bench.install("ok-v1", "ok");
        bench.begin();
        bench.startAll();
        const auto before = bench.report("ok").generations[0].sha256;
        bench.install("ok-v2", "ok");
        bench.lifecycle->reload("ok", "uid 1000").get();
        const auto after = bench.report("ok").generations[0].sha256;
        CPPUNIT_ASSERT(before != after);
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), bench.journal.count("service=ok by=uid 1000 change=replaced from=" + before + " to=" + after));
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(LifecycleTest);
