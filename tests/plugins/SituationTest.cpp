#include "plugins/Workbench.h"

#include "host/plugins/package/FileList.h"

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
bool holdsText(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

/// Replaces the healthy v1 by a fixture that must be refused: v1 serves on, nothing of the other is left, and the text says why.
std::string refusal(Workbench& bench)
{
    const auto result = bench.reload("ok");
    CPPUNIT_ASSERT_MESSAGE("it was not refused", !result.succeeded);
    CPPUNIT_ASSERT_EQUAL(std::string(R"({"text":"v1"})"), bench.answer("ok"));
    const auto report = bench.report("ok");
    CPPUNIT_ASSERT(report.state == State::Serving);
    CPPUNIT_ASSERT_EQUAL(std::uint64_t(1), report.generations.at(0).number);
    CPPUNIT_ASSERT_EQUAL(1, bench.contexts.alive.load());
    CPPUNIT_ASSERT_EQUAL(1, bench.contexts.active.load());
    // Constructed and started, and nothing since.
    CPPUNIT_ASSERT_EQUAL(std::size_t(2), bench.journal.count("fixture=v1"));
    if (!tests::neverUnmaps()) CPPUNIT_ASSERT_EQUAL(std::size_t(1), bench.mappedCopies());
    return report.lastError;
}

std::string reasonOf(const std::string& situation, const Workbench::Changes& changes = {})
{
    Workbench bench;
    bench.install("ok-v1", "ok");
    bench.begin();
    CPPUNIT_ASSERT(bench.startAll().succeeded);
    bench.install(situation, "ok", changes);
    return refusal(bench);
}

void expectReason(const std::string& text, std::string_view part) { CPPUNIT_ASSERT_MESSAGE(text, holdsText(text, part)); }
} // namespace

/// One situation a test: what is refused and why, what stays in memory and why.
class SituationTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(SituationTest);
    CPPUNIT_TEST(constructorThrows);
    CPPUNIT_TEST(startThrows);
    CPPUNIT_TEST(declareThrowsItsOwnType);
    CPPUNIT_TEST(startThrowsANumber);
    CPPUNIT_TEST(startHangs);
    CPPUNIT_TEST(stopHangs);
    CPPUNIT_TEST(wrongEpoch);
    CPPUNIT_TEST(newerSdkByTheManifest);
    CPPUNIT_TEST(otherCompiler);
    CPPUNIT_TEST(uniqueSymbol);
    CPPUNIT_TEST(threadLocal);
    CPPUNIT_TEST(badHash);
    CPPUNIT_TEST(badHashOfMigrations);
    CPPUNIT_TEST(missingHelper);
    CPPUNIT_TEST(noElf);
    CPPUNIT_TEST(truncatedElf);
    CPPUNIT_TEST(missingLibrary);
    CPPUNIT_TEST(badAccess);
    CPPUNIT_TEST(routeClash);
    CPPUNIT_TEST(missingInterface);
    CPPUNIT_TEST(failingMigration);
    CPPUNIT_TEST(cyclicRequires);
    CPPUNIT_TEST(slowHandlerDuringReload);
    CPPUNIT_TEST(slowHandlerBeyondTheDrain);
    CPPUNIT_TEST(streamingEndsOnDrain);
    CPPUNIT_TEST(unmapOffByManifest);
    CPPUNIT_TEST(leftoversMakeItResident);
    CPPUNIT_TEST(overwrittenInPlaceServesOn);
    CPPUNIT_TEST_SUITE_END();

public:
    void constructorThrows() { expectReason(reasonOf("constructor-throws"), "its constructor threw: no key file at /etc/fixture/key"); }

    void startThrows()
    {
        Workbench bench;
        bench.install("ok-v1", "ok");
        bench.begin();
        bench.startAll();
        bench.install("start-throws", "ok");
        expectReason(refusal(bench), "its start threw: the setting x.y is missing");
        // Not stopped, because its start had not returned; but destroyed.
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), bench.journal.count("stopped fixture=start-throws"));
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), bench.journal.count("destroyed fixture=start-throws"));
    }

    void declareThrowsItsOwnType()
    {
        Workbench bench;
        bench.install("ok-v1", "ok");
        bench.begin();
        bench.startAll();
        bench.install("declare-throws", "ok");
        expectReason(refusal(bench), "its declare threw: an error of the plugin's own type");
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), bench.journal.count("stopped fixture=declare-throws"));
    }

    void startThrowsANumber() { expectReason(reasonOf("throws-number"), "its start threw: something that is not a std::exception"); }

    void startHangs()
    {
        Pipe entered;
        Pipe release;
        Workbench bench;
        bench.contexts.config = {{"fixture.entered", std::to_string(entered.writingEnd())},
                                 {"fixture.release", std::to_string(release.readingEnd())}};
        bench.install("ok-v1", "ok");
        bench.begin();
        bench.startAll();
        bench.install("start-hangs", "ok", {{"plugin.lifecycle.startSeconds", "1"}});
        const auto result = bench.reload("ok");
        expectReason(textOf(result), "its start has not returned within 1 s");
        expectReason(textOf(result), "generation 2 stays in memory: its code is still running");
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"text":"v1"})"), bench.answer("ok"));
        CPPUNIT_ASSERT_EQUAL(std::size_t(2), bench.report("ok").generations.size());

        // It returns after all: it is stopped, as it was started, and destroyed; its code stays. Others can be loaded meanwhile.
        bench.install("ok-v2", "ok");
        CPPUNIT_ASSERT(bench.reload("ok").succeeded);
        release.release();
        entered.wait();
        while (bench.journal.count("destroyed fixture=start-hangs") == 0) bench.enable("ok");
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), bench.journal.count("stopped fixture=start-hangs"));
        CPPUNIT_ASSERT_EQUAL(1, bench.contexts.alive.load());
        const auto generations = bench.report("ok").generations;
        CPPUNIT_ASSERT(std::any_of(generations.begin(), generations.end(),
                                   [](const auto& generation) { return generation.number == 2 && generation.state == State::Resident; }));
    }

    void stopHangs()
    {
        Pipe entered;
        Pipe release;
        Workbench bench;
        bench.contexts.config = {{"fixture.entered", std::to_string(entered.writingEnd())},
                                 {"fixture.release", std::to_string(release.readingEnd())}};
        bench.settings.stopPatience = std::chrono::milliseconds(10);
        bench.install("stop-hangs", "ok");
        bench.begin();
        bench.startAll();
        bench.install("ok-v2", "ok");
        const auto result = bench.reload("ok");
        CPPUNIT_ASSERT_MESSAGE(textOf(result), result.succeeded);
        expectReason(textOf(result), "generation 1 stays in memory: its stop has not returned within 10 ms");
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"text":"v2"})"), bench.answer("ok"));
        release.release();
        entered.wait();
        while (bench.journal.count("destroyed fixture=stop-hangs") == 0) bench.enable("ok");
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), bench.journal.count("stopped fixture=stop-hangs"));
    }

    void wrongEpoch()
    {
        const auto text = reasonOf("wrong-epoch");
        expectReason(text, "fingerprint field 'epoch': expected 1, found 2");
        CPPUNIT_ASSERT(!holdsText(text, "'compiler'"));
    }

    void newerSdkByTheManifest()
    {
        expectReason(reasonOf("ok-v2", {{"plugin.sdk.minMinor", "9999"}}), "plugin.sdk.minMinor: expected at most");
        expectReason(reasonOf("ok-v2", {{"plugin.sdk.epoch", "7"}}), "plugin.sdk.epoch: expected 1, which this host is of, found 7");
    }

    void otherCompiler() { expectReason(reasonOf("other-compiler"), "fingerprint field 'compiler': expected "); }

    void uniqueSymbol()
    {
        const auto text = reasonOf("unique-symbol");
        expectReason(text, "symbol fixture_unique is unique in the process");
        expectReason(text, "expected exactly one exported symbol, portico_plugin, found: ");
    }

    void threadLocal() { expectReason(reasonOf("thread-local"), "it has a thread_local with a destructor"); }

    void badHash()
    {
        expectReason(reasonOf("ok-v2", {{"plugin.sha256", '"' + std::string(64, 'a') + '"'}}),
                     "plugin.so: expected the SHA-256 " + std::string(64, 'a'));
        const auto right = sha256OfFile(std::filesystem::path(FIXTURES) / "ok-v2" / "ok-v2.so");
        Workbench bench;
        bench.install("ok-v2", "ok", {{"plugin.sha256", '"' + right + '"'}});
        bench.begin();
        CPPUNIT_ASSERT(bench.startAll().succeeded);
    }

    void badHashOfMigrations()
    {
        Workbench bench;
        std::filesystem::create_directories(bench.plugins() / "ok" / "migrations");
        std::ofstream(bench.plugins() / "ok" / "migrations" / "0001_things.sql") << "CREATE TABLE things (id TEXT);\n";
        const auto hash = sha256OfFolder(bench.plugins() / "ok" / "migrations");
        bench.install("ok-v1", "ok", {{"plugin.migrations", R"({"dir":"migrations","sha256":")" + hash + "\"}"}});
        bench.begin();
        CPPUNIT_ASSERT(bench.startAll().succeeded);
        std::ofstream(bench.plugins() / "ok" / "migrations" / "0001_things.sql") << "DROP TABLE things;\n";
        expectReason(refusal(bench), "migrations: expected the SHA-256 " + hash);
    }

    void missingHelper()
    {
        Workbench bench;
        bench.install("ok-v1", "ok", {{"plugin.helpers", R"(["helpers/images"])"}});
        std::filesystem::create_directories(bench.plugins() / "ok" / "helpers");
        // A shared object is a static program, too: it has no loader. Nothing runs it here.
        std::filesystem::copy(bench.libraryOf("ok"), bench.plugins() / "ok" / "helpers" / "images");
        bench.begin();
        CPPUNIT_ASSERT(bench.startAll().succeeded);
        const auto copy = bench.state() / "generations" / "ok" / "1" / "helpers" / "images";
        CPPUNIT_ASSERT((std::filesystem::status(copy).permissions() & std::filesystem::perms::owner_exec) != std::filesystem::perms::none);
        std::filesystem::remove(bench.plugins() / "ok" / "helpers" / "images");
        expectReason(refusal(bench), "helpers/images: expected the program of the manifest (plugin.helpers), found none");
    }

    void noElf()
    {
        Workbench bench;
        bench.install("ok-v1", "ok");
        bench.begin();
        bench.startAll();
        bench.install("ok-v2", "ok");
        std::ofstream(bench.libraryOf("ok"), std::ios::trunc)
            << "#!/bin/sh\necho I am no library, but long enough to hold an ELF header of 64 bytes\n";
        expectReason(refusal(bench), "expected a shared object (ELF), found another kind of file");
    }

    void truncatedElf()
    {
        Workbench bench;
        bench.install("ok-v1", "ok");
        bench.begin();
        bench.startAll();
        bench.install("ok-v2", "ok");
        const auto size = std::filesystem::file_size(bench.libraryOf("ok"));
        std::filesystem::resize_file(bench.libraryOf("ok"), size / 2);
        expectReason(refusal(bench), "beyond the end (truncated or damaged)");
        std::filesystem::resize_file(bench.libraryOf("ok"), 0);
        expectReason(refusal(bench), "beyond the end (truncated or damaged)");
    }

    void missingLibrary()
    {
        expectReason(reasonOf("ok-v2", {{"plugin.library", R"("absent.so")"}}), "absent.so, found none: install the plugin again");
    }

    void badAccess()
    {
        const auto text = reasonOf("bad-access");
        expectReason(text, "GET /nothing: expected an access declaration, found none");
        expectReason(
            text, "GET /permission: expected a permission that the manifest lists, found 'ok.thing:read': did you mean 'ok.things:read'?");
        expectReason(text, "GET /scope: expected a scope that the manifest lists, found 'thing.read': did you mean 'things.read'?");
        expectReason(text, "GET /exempt: it takes API keys, but the manifest exempts 'ok.things:purge' from them");
        CPPUNIT_ASSERT(!holdsText(text, "/right"));
    }

    void routeClash()
    {
        Workbench bench;
        bench.install("ok-v1", "ok", {{"origins", R"(["http://shared.localhost"])"}});
        bench.install("ok-v2", "rival", {{"origins", R"(["http://shared.localhost"])"}});
        bench.begin();
        const auto result = bench.startAll();
        CPPUNIT_ASSERT(!result.succeeded);
        expectReason(textOf(result), "GET /answer is declared by 'ok' and by 'rival'");
        CPPUNIT_ASSERT_EQUAL(200, bench.publisher.get("ok", "/answer").first);
        CPPUNIT_ASSERT_EQUAL(404, bench.publisher.get("rival", "/answer").first);
        CPPUNIT_ASSERT(bench.report("rival").state == State::Failed);
        CPPUNIT_ASSERT_EQUAL(1, bench.contexts.alive.load());
    }

    void missingInterface()
    {
        expectReason(reasonOf("ok-v2", {{"plugin.provides", R"([{"interface":"ok.things","version":"1.0"}])"}}),
                     "expected the interface 'ok.things' to be provided in start");
    }

    void failingMigration()
    {
        Workbench bench;
        bench.install("ok-v1", "ok");
        bench.begin();
        bench.startAll();
        bench.contexts.failingMigrations["ok"] = "0002_more.sql:3: no such table: thing";
        bench.install("ok-v2", "ok");
        expectReason(refusal(bench), "0002_more.sql:3: no such table: thing");
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), bench.journal.count("fixture=v2"));
    }

    void cyclicRequires()
    {
        const auto needs = [](const std::string& other) { return R"([{"interface":")" + other + R"(.things","version":"^1"}])"; };
        const auto gives = [](const std::string& own) { return R"([{"interface":")" + own + R"(.things","version":"1.0"}])"; };
        Workbench bench;
        bench.install("ok-v1", "ok");
        bench.install("ok-v2", "left", {{"plugin.requires", needs("right")}, {"plugin.provides", gives("left")}});
        bench.install("ok-v2", "right", {{"plugin.requires", needs("left")}, {"plugin.provides", gives("right")}});
        bench.begin();
        const auto result = bench.startAll();
        CPPUNIT_ASSERT(!result.succeeded);
        expectReason(bench.report("left").lastError, "left -> right -> left");
        expectReason(bench.report("right").lastError, "left -> right -> left");
        CPPUNIT_ASSERT_EQUAL(200, bench.publisher.get("ok", "/answer").first);
    }

    void slowHandlerDuringReload()
    {
        Pipe entered;
        Pipe release;
        Workbench bench;
        bench.contexts.config = {{"fixture.entered", std::to_string(entered.writingEnd())},
                                 {"fixture.release", std::to_string(release.readingEnd())}};
        bench.install("slow-handler", "ok");
        bench.begin();
        bench.startAll();
        std::string slowAnswer;
        std::thread client([&] { slowAnswer = bench.answer("ok"); });
        entered.wait();
        bench.install("ok-v2", "ok");
        auto reload = bench.lifecycle->reload("ok", "test");
        // The new one serves while the old one is still inside its handler.
        while (bench.report("ok").generations.at(0).number != 2) std::this_thread::yield();
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"text":"v2"})"), bench.answer("ok"));
        const auto report = bench.report("ok");
        CPPUNIT_ASSERT_EQUAL(std::size_t(2), report.generations.size());
        CPPUNIT_ASSERT_EQUAL(std::uint64_t(1), report.generations[1].inFlight);
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), bench.journal.count("stopped fixture=slow"));
        release.release();
        client.join();
        CPPUNIT_ASSERT(reload.get().succeeded);
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"text":"slow"})"), slowAnswer);
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), bench.journal.count("destroyed fixture=slow"));
    }

    void slowHandlerBeyondTheDrain()
    {
        Pipe entered;
        Pipe release;
        Workbench bench;
        bench.contexts.config = {{"fixture.entered", std::to_string(entered.writingEnd())},
                                 {"fixture.release", std::to_string(release.readingEnd())}};
        bench.install("slow-handler", "ok", {{"plugin.lifecycle.drainSeconds", "0"}});
        bench.begin();
        bench.startAll();
        std::string slowAnswer;
        std::thread client([&] { slowAnswer = bench.answer("ok"); });
        entered.wait();
        bench.install("ok-v2", "ok");
        const auto result = bench.reload("ok");
        CPPUNIT_ASSERT(result.succeeded);
        expectReason(textOf(result), "generation 1 stays in memory: 1 requests, jobs or calls were still inside after 0 s");
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"text":"v2"})"), bench.answer("ok"));
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), bench.journal.count("destroyed fixture=slow"));
        release.release();
        client.join();
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"text":"slow"})"), slowAnswer);
        // What was left undone is done with the next command; the code stays.
        bench.enable("ok");
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), bench.journal.count("destroyed fixture=slow"));
        CPPUNIT_ASSERT(bench.report("ok").generations.at(1).state == State::Resident);
    }

    void streamingEndsOnDrain()
    {
        Workbench bench;
        bench.install("streaming", "ok");
        bench.begin();
        bench.startAll();
        Pipe begun;
        std::string streamed;
        std::thread client(
            [&]
            {
                bench.publisher.get("ok", "/answer",
                                    [&](Response& response)
                                    {
                                        begun.release();
                                        while (response.source->read(streamed, 100)) std::this_thread::yield();
                                    });
            });
        begun.wait();
        bench.install("ok-v2", "ok");
        const auto result = bench.reload("ok");
        client.join();
        CPPUNIT_ASSERT_MESSAGE(textOf(result), result.succeeded);
        CPPUNIT_ASSERT(streamed.ends_with("bye\n"));
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), bench.journal.count("destroyed fixture=streaming"));
        if (!tests::neverUnmaps()) CPPUNIT_ASSERT_EQUAL(std::size_t(1), bench.mappedCopies());
    }

    void unmapOffByManifest()
    {
        Workbench bench;
        bench.install("ok-v1", "ok", {{"plugin.lifecycle.unmap", "false"}});
        bench.begin();
        bench.startAll();
        bench.install("ok-v2", "ok");
        CPPUNIT_ASSERT(bench.reload("ok").succeeded);
        CPPUNIT_ASSERT_EQUAL(std::size_t(2), bench.mappedCopies());
        const auto resident = bench.report("ok").generations.at(1);
        CPPUNIT_ASSERT(resident.state == State::Resident);
        expectReason(resident.reason, tests::neverUnmaps() ? "sanitizers" : "unmapping is off by the manifest");
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), bench.journal.count("destroyed fixture=v1"));
    }

    void leftoversMakeItResident()
    {
        Workbench bench;
        bench.install("ok-v1", "ok");
        bench.begin();
        bench.startAll();
        bench.contexts.leftovers = {"one job", "a timer"};
        bench.install("ok-v2", "ok");
        const auto result = bench.reload("ok");
        CPPUNIT_ASSERT(result.succeeded);
        expectReason(textOf(result), "the host could not let go of: one job, a timer");
        CPPUNIT_ASSERT_EQUAL(std::size_t(0), bench.journal.count("destroyed fixture=v1"));
        bench.contexts.leftovers.clear();
        bench.enable("ok");
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), bench.journal.count("destroyed fixture=v1"));
    }

    void overwrittenInPlaceServesOn()
    {
        Workbench bench;
        bench.install("ok-v1", "ok");
        bench.begin();
        bench.startAll();
        // In place and truncated: fatal, if this were the file that is mapped.
        std::filesystem::resize_file(bench.libraryOf("ok"), 0);
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"text":"v1"})"), bench.answer("ok"));
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(SituationTest);
