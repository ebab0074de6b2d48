#include "plugins/Workbench.h"
#include "support/Suite.h"

#include "host/plugins/package/FileList.h"

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

bool holdsText(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

/// Replaces the healthy v1 by a fixture that must be refused: v1 serves on, nothing of the other is left, and the text says why.
std::string refusal(Workbench& bench)
{
    const auto result = bench.reload("ok");
    CPPUNIT_ASSERT_MESSAGE("it was not refused", !result.succeeded);
    equal(R"({"text":"v1"})", bench.answer("ok"));
    const auto report = bench.report("ok");
    CHECK(report.state == State::Serving);
    equal(1, report.generations.at(0).number);
    equal(1, bench.contexts.alive.load());
    equal(1, bench.contexts.active.load());
    // Constructed and started, and nothing since.
    equal(2, bench.journal.count("fixture=v1"));
    if (!tests::neverUnmaps()) equal(1, bench.mappedCopies());
    return report.lastError;
}

std::string reasonOf(const std::string& situation, const Workbench::Changes& changes = {})
{
    Workbench bench;
    CHECK(bench.serve("ok-v1", "ok").succeeded);
    bench.install(situation, "ok", changes);
    return refusal(bench);
}

void expectReason(const std::string& text, std::string_view part) { CPPUNIT_ASSERT_MESSAGE(text, holdsText(text, part)); }
} // namespace

/// One situation a test: what is refused and why, what stays in memory and why.
class SituationTest : public Suite<SituationTest>
{
    TEST(constructorThrows) { expectReason(reasonOf("constructor-throws"), "its constructor threw: no key file at /etc/fixture/key"); }

    TEST(startThrows)
    {
        Workbench bench;
        bench.serve("ok-v1", "ok");
        bench.install("start-throws", "ok");
        expectReason(refusal(bench), "its start threw: the setting x.y is missing");
        // Not stopped, because its start had not returned; but destroyed.
        equal(0, bench.journal.count("stopped fixture=start-throws"));
        equal(1, bench.journal.count("destroyed fixture=start-throws"));
    }

    TEST(declareThrowsItsOwnType)
    {
        Workbench bench;
        bench.serve("ok-v1", "ok");
        bench.install("declare-throws", "ok");
        expectReason(refusal(bench), "its declare threw: an error of the plugin's own type");
        equal(1, bench.journal.count("stopped fixture=declare-throws"));
    }

    TEST(startThrowsANumber) { expectReason(reasonOf("throws-number"), "its start threw: something that is not a std::exception"); }

    TEST(startHangs)
    {
        Pipe entered;
        Pipe release;
        Workbench bench;
        bench.contexts.config = {{"fixture.entered", std::to_string(entered.writingEnd())},
                                 {"fixture.release", std::to_string(release.readingEnd())}};
        bench.serve("ok-v1", "ok");
        const auto result = bench.replace("start-hangs", "ok", {{"plugin.lifecycle.startSeconds", "1"}});
        expectReason(textOf(result), "its start has not returned within 1 s");
        expectReason(textOf(result), "generation 2 stays in memory: its code is still running");
        equal(R"({"text":"v1"})", bench.answer("ok"));
        equal(2, bench.report("ok").generations.size());

        // The call returns: the plugin is stopped, as it was started, and destroyed; its code stays. Others can be loaded before that.
        CHECK(bench.replace("ok-v2", "ok").succeeded);
        release.release();
        entered.wait();
        while (bench.journal.count("destroyed fixture=start-hangs") == 0) bench.enable("ok");
        equal(1, bench.journal.count("stopped fixture=start-hangs"));
        equal(1, bench.contexts.alive.load());
        const auto generations = bench.report("ok").generations;
        CHECK(std::any_of(generations.begin(), generations.end(),
                          [](const auto& generation) { return generation.number == 2 && generation.state == State::Resident; }));
    }

    TEST(stopHangs)
    {
        Pipe entered;
        Pipe release;
        Workbench bench;
        bench.contexts.config = {{"fixture.entered", std::to_string(entered.writingEnd())},
                                 {"fixture.release", std::to_string(release.readingEnd())}};
        bench.settings.stopPatience = std::chrono::milliseconds(10);
        bench.serve("stop-hangs", "ok");
        const auto result = bench.replace("ok-v2", "ok");
        CPPUNIT_ASSERT_MESSAGE(textOf(result), result.succeeded);
        expectReason(textOf(result), "generation 1 stays in memory: its stop has not returned within 10 ms");
        equal(R"({"text":"v2"})", bench.answer("ok"));
        release.release();
        entered.wait();
        while (bench.journal.count("destroyed fixture=stop-hangs") == 0) bench.enable("ok");
        equal(1, bench.journal.count("stopped fixture=stop-hangs"));
    }

    TEST(wrongEpoch)
    {
        const auto text = reasonOf("wrong-epoch");
        expectReason(text, "fingerprint field 'epoch': expected 1, found 2");
        CHECK(!holdsText(text, "'compiler'"));
    }

    TEST(newerSdkByTheManifest)
    {
        expectReason(reasonOf("ok-v2", {{"plugin.sdk.minMinor", "9999"}}), "plugin.sdk.minMinor: expected at most");
        expectReason(reasonOf("ok-v2", {{"plugin.sdk.epoch", "7"}}), "plugin.sdk.epoch: expected 1, which this host is of, found 7");
    }

    TEST(otherCompiler) { expectReason(reasonOf("other-compiler"), "fingerprint field 'compiler': expected "); }

    TEST(uniqueSymbol)
    {
        const auto text = reasonOf("unique-symbol");
        expectReason(text, "symbol fixture_unique is unique in the process");
        expectReason(text, "expected exactly one exported symbol, portico_plugin, found: ");
    }

    TEST(threadLocal) { expectReason(reasonOf("thread-local"), "it has a thread_local with a destructor"); }

    TEST(badHash)
    {
        expectReason(reasonOf("ok-v2", {{"plugin.sha256", '"' + std::string(64, 'a') + '"'}}),
                     "plugin.so: expected the SHA-256 " + std::string(64, 'a'));
        const auto right = sha256OfFile(std::filesystem::path(FIXTURES) / "ok-v2" / "ok-v2.so");
        Workbench bench;
        CHECK(bench.serve("ok-v2", "ok", {{"plugin.sha256", '"' + right + '"'}}).succeeded);
    }

    TEST(badHashOfMigrations)
    {
        Workbench bench;
        std::filesystem::create_directories(bench.plugins() / "ok" / "migrations");
        std::ofstream(bench.plugins() / "ok" / "migrations" / "0001_things.sql") << "CREATE TABLE things (id TEXT);\n";
        const auto hash = sha256OfFolder(bench.plugins() / "ok" / "migrations");
        CHECK(bench.serve("ok-v1", "ok", {{"plugin.migrations", R"({"dir":"migrations","sha256":")" + hash + "\"}"}}).succeeded);
        std::ofstream(bench.plugins() / "ok" / "migrations" / "0001_things.sql") << "DROP TABLE things;\n";
        expectReason(refusal(bench), "migrations: expected the SHA-256 " + hash);
    }

    TEST(missingHelper)
    {
        Workbench bench;
        bench.install("ok-v1", "ok", {{"plugin.helpers", R"(["helpers/images"])"}});
        std::filesystem::create_directories(bench.plugins() / "ok" / "helpers");
        // A shared object is a static program, too: it has no loader. Nothing runs it here.
        std::filesystem::copy(bench.libraryOf("ok"), bench.plugins() / "ok" / "helpers" / "images");
        bench.begin();
        CHECK(bench.startAll().succeeded);
        const auto copy = bench.state() / "generations" / "ok" / "1" / "helpers" / "images";
        CHECK((std::filesystem::status(copy).permissions() & std::filesystem::perms::owner_exec) != std::filesystem::perms::none);
        std::filesystem::remove(bench.plugins() / "ok" / "helpers" / "images");
        expectReason(refusal(bench), "helpers/images: expected the program of the manifest (plugin.helpers), found none");
    }

    TEST(noElf)
    {
        Workbench bench;
        bench.serve("ok-v1", "ok");
        bench.install("ok-v2", "ok");
        std::ofstream(bench.libraryOf("ok"), std::ios::trunc)
            << "#!/bin/sh\necho I am no library, but long enough to hold an ELF header of 64 bytes\n";
        expectReason(refusal(bench), "expected a shared object (ELF), found another kind of file");
    }

    TEST(truncatedElf)
    {
        Workbench bench;
        bench.serve("ok-v1", "ok");
        bench.install("ok-v2", "ok");
        const auto size = std::filesystem::file_size(bench.libraryOf("ok"));
        std::filesystem::resize_file(bench.libraryOf("ok"), size / 2);
        expectReason(refusal(bench), "beyond the end (truncated or damaged)");
        std::filesystem::resize_file(bench.libraryOf("ok"), 0);
        expectReason(refusal(bench), "beyond the end (truncated or damaged)");
    }

    TEST(missingLibrary)
    {
        expectReason(reasonOf("ok-v2", {{"plugin.library", R"("absent.so")"}}), "absent.so, found none: install the plugin again");
    }

    TEST(badAccess)
    {
        const auto text = reasonOf("bad-access");
        expectReason(text, "GET /nothing: expected an access declaration, found none");
        expectReason(
            text, "GET /permission: expected a permission that the manifest lists, found 'ok.thing:read': did you mean 'ok.things:read'?");
        expectReason(text, "GET /scope: expected a scope that the manifest lists, found 'thing.read': did you mean 'things.read'?");
        expectReason(text, "GET /exempt: it takes API keys, but the manifest exempts 'ok.things:purge' from them");
        CHECK(!holdsText(text, "/right"));
    }

    TEST(routeClash)
    {
        Workbench bench;
        bench.install("ok-v1", "ok", {{"origins", R"(["http://shared.localhost"])"}});
        const auto result = bench.serve("ok-v2", "rival", {{"origins", R"(["http://shared.localhost"])"}});
        CHECK(!result.succeeded);
        expectReason(textOf(result), "GET /answer is declared by 'ok' and by 'rival'");
        equal(200, bench.publisher.get("ok", "/answer").first);
        equal(404, bench.publisher.get("rival", "/answer").first);
        CHECK(bench.report("rival").state == State::Failed);
        equal(1, bench.contexts.alive.load());
    }

    TEST(missingInterface)
    {
        expectReason(reasonOf("ok-v2", {{"plugin.provides", R"([{"interface":"ok.things","version":"1.0"}])"}}),
                     "expected the interface 'ok.things' to be provided in start");
    }

    TEST(failingMigration)
    {
        Workbench bench;
        bench.serve("ok-v1", "ok");
        bench.contexts.failingMigrations["ok"] = "0002_more.sql:3: no such table: thing";
        bench.install("ok-v2", "ok");
        expectReason(refusal(bench), "0002_more.sql:3: no such table: thing");
        equal(0, bench.journal.count("fixture=v2"));
    }

    TEST(cyclicRequires)
    {
        const auto needs = [](const std::string& other) { return R"([{"interface":")" + other + R"(.things","version":"^1"}])"; };
        const auto gives = [](const std::string& own) { return R"([{"interface":")" + own + R"(.things","version":"1.0"}])"; };
        Workbench bench;
        bench.install("ok-v1", "ok");
        bench.install("ok-v2", "left", {{"plugin.requires", needs("right")}, {"plugin.provides", gives("left")}});
        const auto result = bench.serve("ok-v2", "right", {{"plugin.requires", needs("left")}, {"plugin.provides", gives("right")}});
        CHECK(!result.succeeded);
        expectReason(bench.report("left").lastError, "left -> right -> left");
        expectReason(bench.report("right").lastError, "left -> right -> left");
        equal(200, bench.publisher.get("ok", "/answer").first);
    }

    TEST(slowHandlerDuringReload)
    {
        Pipe entered;
        Pipe release;
        Workbench bench;
        bench.contexts.config = {{"fixture.entered", std::to_string(entered.writingEnd())},
                                 {"fixture.release", std::to_string(release.readingEnd())}};
        bench.serve("slow-handler", "ok");
        std::string slowAnswer;
        std::thread client([&] { slowAnswer = bench.answer("ok"); });
        entered.wait();
        bench.install("ok-v2", "ok");
        auto reload = bench.lifecycle->reload("ok", "test");
        // The new one serves while the old one is still inside its handler.
        while (bench.report("ok").generations.at(0).number != 2) std::this_thread::yield();
        equal(R"({"text":"v2"})", bench.answer("ok"));
        const auto report = bench.report("ok");
        equal(2, report.generations.size());
        equal(1, report.generations[1].inFlight);
        equal(0, bench.journal.count("stopped fixture=slow"));
        release.release();
        client.join();
        CHECK(reload.get().succeeded);
        equal(R"({"text":"slow"})", slowAnswer);
        equal(1, bench.journal.count("destroyed fixture=slow"));
    }

    TEST(slowHandlerBeyondTheDrain)
    {
        Pipe entered;
        Pipe release;
        Workbench bench;
        bench.contexts.config = {{"fixture.entered", std::to_string(entered.writingEnd())},
                                 {"fixture.release", std::to_string(release.readingEnd())}};
        bench.serve("slow-handler", "ok", {{"plugin.lifecycle.drainSeconds", "0"}});
        std::string slowAnswer;
        std::thread client([&] { slowAnswer = bench.answer("ok"); });
        entered.wait();
        const auto result = bench.replace("ok-v2", "ok");
        CHECK(result.succeeded);
        expectReason(textOf(result), "generation 1 stays in memory: 1 requests, jobs or calls were still inside after 0 s");
        equal(R"({"text":"v2"})", bench.answer("ok"));
        equal(0, bench.journal.count("destroyed fixture=slow"));
        release.release();
        client.join();
        equal(R"({"text":"slow"})", slowAnswer);
        // The next command completes the work; the code stays.
        bench.enable("ok");
        equal(1, bench.journal.count("destroyed fixture=slow"));
        CHECK(bench.report("ok").generations.at(1).state == State::Resident);
    }

    TEST(streamingEndsOnDrain)
    {
        Workbench bench;
        bench.serve("streaming", "ok");
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
        const auto result = bench.replace("ok-v2", "ok");
        client.join();
        CPPUNIT_ASSERT_MESSAGE(textOf(result), result.succeeded);
        CHECK(streamed.ends_with("bye\n"));
        equal(1, bench.journal.count("destroyed fixture=streaming"));
        if (!tests::neverUnmaps()) equal(1, bench.mappedCopies());
    }

    TEST(unmapOffByManifest)
    {
        Workbench bench;
        bench.serve("ok-v1", "ok", {{"plugin.lifecycle.unmap", "false"}});
        CHECK(bench.replace("ok-v2", "ok").succeeded);
        equal(2, bench.mappedCopies());
        const auto resident = bench.report("ok").generations.at(1);
        CHECK(resident.state == State::Resident);
        expectReason(resident.reason, tests::neverUnmaps() ? "sanitizers" : "unmapping is off by the manifest");
        equal(1, bench.journal.count("destroyed fixture=v1"));
    }

    TEST(leftoversMakeItResident)
    {
        Workbench bench;
        bench.serve("ok-v1", "ok");
        bench.contexts.leftovers = {"one job", "a timer"};
        const auto result = bench.replace("ok-v2", "ok");
        CHECK(result.succeeded);
        expectReason(textOf(result), "the host could not let go of: one job, a timer");
        equal(0, bench.journal.count("destroyed fixture=v1"));
        bench.contexts.leftovers.clear();
        bench.enable("ok");
        equal(1, bench.journal.count("destroyed fixture=v1"));
    }

    TEST(overwrittenInPlaceServesOn)
    {
        Workbench bench;
        bench.serve("ok-v1", "ok");
        // In place and truncated: fatal, if this were the file that is mapped.
        std::filesystem::resize_file(bench.libraryOf("ok"), 0);
        equal(R"({"text":"v1"})", bench.answer("ok"));
    }
};
