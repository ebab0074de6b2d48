#include "platform/PlatformFixture.h"
#include "support/ChildProgram.h"

#include "host/platform/helpers/HelperRunner.h"
#include "host/platform/helpers/SystemCallFilter.h"

#include "portico/Helper.h"

#include <cppunit/extensions/HelperMacros.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include <csignal>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace portico::tests
{

using namespace std::chrono_literals;
using host::platform::HelperRunner;
using Cause = HelperFault::Cause;

namespace
{

std::string contentOf(const FileBody& file)
{
    std::string text(file.size, '\0');
    CPPUNIT_ASSERT_EQUAL(static_cast<ssize_t>(text.size()), ::pread(file.descriptor, text.data(), text.size(), 0));
    return text;
}

HelperTask task(const std::string& what)
{
    HelperTask task;
    task.program = "misbehave";
    task.arguments = {what};
    return task;
}

/// A runner with a package that has the program of these tests, `misbehave`.
struct Bench
{
    explicit Bench(std::size_t processes = 4) : runner(directory.path() / "outputs", processes) {}

    HelperResult run(const HelperTask& work, const std::stop_token& stop = {}) { return runner.run(HELPERS, work, stop); }
    HelperFault faultOf(const HelperTask& work, const std::stop_token& stop = {})
    {
        try
        {
            run(work, stop);
        }
        catch (const HelperFault& fault)
        {
            return fault;
        }
        throw std::runtime_error(work.arguments.at(0) + " succeeded");
    }
    void expect(Cause cause, const HelperTask& work)
    {
        CPPUNIT_ASSERT_EQUAL_MESSAGE(work.arguments.at(0), name(cause), name(faultOf(work).cause()));
    }
    FileBody file(std::string_view text) const { return host::platform::outputWith(directory.path(), text); }

    TemporaryDirectory directory;
    HelperRunner runner;
};

const ChildProgram hostOfHelper("runs a helper until it is killed",
                                [](const std::vector<std::string>& arguments, int)
                                {
                                    Bench bench;
                                    const FileBody input(::open(arguments.at(0).c_str(), O_RDWR | O_CLOEXEC), 0, Instant{});
                                    auto work = task("read-and-wait");
                                    work.inputs = {&input};
                                    bench.run(work);
                                });

} // namespace

class HelperTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(HelperTest);
    CPPUNIT_TEST(readsAndWritesItsFilesAndReports);
    CPPUNIT_TEST(hasNothingButItsFiles);
    CPPUNIT_TEST(inputsHaveTheirOwnPosition);
    CPPUNIT_TEST(saysWhyItRefused);
    CPPUNIT_TEST(aCrashIsOfThisPieceOnly);
    CPPUNIT_TEST(endsAnEndlessLoop);
    CPPUNIT_TEST(endsAWaitingProgram);
    CPPUNIT_TEST(boundsMemory);
    CPPUNIT_TEST(boundsOutput);
    CPPUNIT_TEST(refusesFilesNetworkAndProcesses);
    CPPUNIT_TEST(runsSoManyAtATime);
    CPPUNIT_TEST(endsWithItsCaller);
    CPPUNIT_TEST(endsWithTheHost);
    CPPUNIT_TEST(endsWithTheProcessOfTheHost);
    CPPUNIT_TEST(aProgramThatIsGoneIsReported);
    CPPUNIT_TEST(onlyNamedProgramsRun);
    CPPUNIT_TEST(aReloadLetsItEnd);
    CPPUNIT_TEST_SUITE_END();

public:
    void readsAndWritesItsFilesAndReports()
    {
        Bench bench;
        const auto input = bench.file("some bytes");
        auto work = task("copy");
        work.inputs = {&input};
        const auto result = bench.run(work);
        CPPUNIT_ASSERT_EQUAL(std::string("copied"), result.report);
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), result.outputs.size());
        CPPUNIT_ASSERT_EQUAL(std::string("some bytes"), contentOf(result.outputs.front()));
        CPPUNIT_ASSERT(result.peakMemoryBytes > 0 && result.peakMemoryBytes < work.limits.memoryBytes);
        // Nothing is left on the disk.
        CPPUNIT_ASSERT(std::filesystem::is_empty(bench.directory.path() / "outputs"));
    }

    void hasNothingButItsFiles()
    {
        ::setenv("PORTICO_HELPER_TEST", "a secret", 1);
        Bench bench;
        const auto input = bench.file("");
        auto work = task("describe");
        work.inputs = {&input};
        work.outputs = 2;
        // Standard streams, the input, two outputs.
        CPPUNIT_ASSERT_EQUAL(std::string("files=6 environment=0"), bench.run(work).report);
    }

    void inputsHaveTheirOwnPosition()
    {
        Bench bench;
        const auto input = bench.file("whole");
        auto work = task("copy");
        work.inputs = {&input};
        bench.run(work);
        CPPUNIT_ASSERT_EQUAL(std::string("whole"), contentOf(bench.run(work).outputs.front()));
    }

    void saysWhyItRefused()
    {
        Bench bench;
        CPPUNIT_ASSERT(bench.run(task("sort")).report.empty());
        const auto fault = bench.faultOf(task("refuse"));
        CPPUNIT_ASSERT(fault.cause() == Cause::Failed);
        CPPUNIT_ASSERT_EQUAL(3, fault.exitCode());
        CPPUNIT_ASSERT_EQUAL(std::string("not for me"), fault.report());
        bench.expect(Cause::OutOfMemory, task("memory-code"));
    }

    void aCrashIsOfThisPieceOnly()
    {
        Bench bench;
        bench.expect(Cause::Crashed, task("crash"));
        bench.expect(Cause::Crashed, task("abort"));
        CPPUNIT_ASSERT_EQUAL(std::string("files=4 environment=0"), bench.run(task("describe")).report);
    }

    void endsAnEndlessLoop()
    {
        Bench bench;
        auto work = task("loop");
        work.limits.processorTime = 1s;
        bench.expect(Cause::TimedOut, work);
    }

    void endsAWaitingProgram()
    {
        Bench bench;
        auto work = task("wait");
        work.limits.time = 100ms;
        bench.expect(Cause::TimedOut, work);
    }

    void boundsMemory()
    {
        Bench bench;
        auto work = task("memory");
        work.limits.memoryBytes = 64 << 20;
        bench.expect(Cause::OutOfMemory, work);
    }

    void boundsOutput()
    {
        Bench bench;
        auto work = task("large-output");
        work.limits.outputBytes = 1 << 20;
        bench.expect(Cause::OutputTooLarge, work);
        bench.expect(Cause::OutputTooLarge, task("large-report"));
        bench.expect(Cause::OutputTooLarge, task("chatter"));
    }

    void refusesFilesNetworkAndProcesses()
    {
        Bench bench;
        for (const auto* what : {"socket", "file", "process", "signal", "execute"}) bench.expect(Cause::Forbidden, task(what));
    }

    void runsSoManyAtATime()
    {
        Bench bench(3);
        const auto input = bench.file("some bytes");
        std::vector<std::future<std::string>> results;
        for (int i = 0; i < 20; ++i)
            results.push_back(std::async(std::launch::async,
                                         [&]
                                         {
                                             auto work = task("copy");
                                             work.inputs = {&input};
                                             return contentOf(bench.run(work).outputs.front());
                                         }));
        for (auto& result : results) CPPUNIT_ASSERT_EQUAL(std::string("some bytes"), result.get());
        CPPUNIT_ASSERT(bench.runner.mostAtATime() >= 1 && bench.runner.mostAtATime() <= 3);
    }

    void endsWithItsCaller()
    {
        Bench bench(1);
        std::stop_source stop;
        const auto running = [&] { return name(bench.faultOf(task("wait"), stop.get_token()).cause()); };
        auto first = std::async(std::launch::async, running);
        auto waiting = std::async(std::launch::async, running);
        while (bench.runner.mostAtATime() == 0) std::this_thread::yield();
        stop.request_stop();
        CPPUNIT_ASSERT_EQUAL(std::string_view("stopped"), first.get());
        CPPUNIT_ASSERT_EQUAL(std::string_view("stopped"), waiting.get());
        // The place is free again.
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), bench.run(task("describe")).outputs.size());
    }

    void endsWithTheHost()
    {
        Bench bench(1);
        auto running = std::async(std::launch::async, [&] { return bench.faultOf(task("wait")).cause(); });
        while (bench.runner.mostAtATime() == 0) std::this_thread::yield();
        bench.runner.stop();
        CPPUNIT_ASSERT(running.get() == Cause::Stopped);
        bench.expect(Cause::Stopped, task("describe"));
    }

    void endsWithTheProcessOfTheHost()
    {
        // Processes whose parent is gone become children of this one.
        CPPUNIT_ASSERT_EQUAL(0, ::prctl(PR_SET_CHILD_SUBREAPER, 1));
        TemporaryDirectory directory;
        const auto path = directory.path() / "input";
        CPPUNIT_ASSERT_EQUAL(0, ::mkfifo(path.c_str(), 0600));
        const FileBody input(::open(path.c_str(), O_RDWR | O_CLOEXEC), 0, Instant{});
        CPPUNIT_ASSERT_EQUAL(ssize_t(1), ::write(input.descriptor, "x", 1));
        const auto host = hostOfHelper.start({path}, directory.path());
        ::close(host.output);
        for (int left = 1; left > 0;) CPPUNIT_ASSERT_EQUAL(0, ::ioctl(input.descriptor, FIONREAD, &left));
        ::kill(host.process, SIGKILL);
        ::waitpid(host.process, nullptr, 0);
        int status = 0;
        CPPUNIT_ASSERT(::waitpid(-1, &status, 0) > 0);
        ::prctl(PR_SET_CHILD_SUBREAPER, 0);
        CPPUNIT_ASSERT(WIFSIGNALED(status));
        CPPUNIT_ASSERT_EQUAL(SIGKILL, WTERMSIG(status));
    }

    void aProgramThatIsGoneIsReported()
    {
        Bench bench;
        auto work = task("copy");
        work.program = "gone";
        bench.expect(Cause::NotStarted, work);
    }

    void onlyNamedProgramsRun()
    {
        PlatformFixture fixture(Dialect::SQLite);
        auto crm = fixture.load("crm", false);
        CPPUNIT_ASSERT_THROW(crm->helpers().run(task("describe")), std::logic_error);
    }

    /// The old generation drains while its helper runs; the work ends as it would have.
    void aReloadLetsItEnd()
    {
        PlatformFixture fixture(Dialect::SQLite);
        std::filesystem::create_directories(fixture.directory.path() / "plugins" / "crm");
        std::filesystem::copy(std::filesystem::path(HELPERS) / "misbehave", fixture.directory.path() / "plugins" / "crm" / "misbehave");
        fixture.helpers = {"misbehave"};
        auto first = fixture.load("crm", false);
        first.publish();
        const auto path = fixture.directory.path() / "input";
        std::ofstream(path) << "";
        const FileBody input(::open(path.c_str(), O_RDONLY | O_CLOEXEC), 0, Instant{});
        std::atomic<bool> inside{false};
        auto work = std::async(std::launch::async,
                               [&]
                               {
                                   const auto lease = host::plugins::Lease::take(first.generation);
                                   inside = true;
                                   auto waits = task("wait-for-file");
                                   waits.inputs = {&input};
                                   return contentOf(first->helpers().run(waits).outputs.front());
                               });
        while (!inside) std::this_thread::yield();
        auto second = fixture.load("crm", false);
        second.publish();
        first->deactivate();
        CPPUNIT_ASSERT(!first.generation->drain(0ms));
        std::ofstream(path) << "x";
        CPPUNIT_ASSERT_EQUAL(std::string("seen"), work.get());
        CPPUNIT_ASSERT(first.generation->drain(30s));
        CPPUNIT_ASSERT(first->clear().empty());
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(HelperTest);

} // namespace portico::tests
