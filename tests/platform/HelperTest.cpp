#include "platform/PlatformFixture.h"
#include "support/ChildProgram.h"
#include "support/Suite.h"

#include "host/platform/helpers/HelperRunner.h"
#include "host/platform/helpers/SystemCallFilter.h"

#include "portico/Helper.h"

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
    equal(static_cast<ssize_t>(text.size()), ::pread(file.descriptor, text.data(), text.size(), 0));
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
    void expect(Cause cause, const HelperTask& work) { equal(name(cause), name(faultOf(work).cause()), work.arguments.at(0)); }
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

class HelperTest : public Suite<HelperTest>
{
    TEST(readsAndWritesItsFilesAndReports)
    {
        Bench bench;
        const auto input = bench.file("some bytes");
        auto work = task("copy");
        work.inputs = {&input};
        const auto result = bench.run(work);
        equal("copied", result.report);
        equal(1, result.outputs.size());
        equal("some bytes", contentOf(result.outputs.front()));
        CHECK(result.peakMemoryBytes > 0 && result.peakMemoryBytes < work.limits.memoryBytes);
        // Nothing is left on the disk.
        CHECK(std::filesystem::is_empty(bench.directory.path() / "outputs"));
    }

    TEST(hasNothingButItsFiles)
    {
        ::setenv("PORTICO_HELPER_TEST", "a secret", 1);
        Bench bench;
        const auto input = bench.file("");
        auto work = task("describe");
        work.inputs = {&input};
        work.outputs = 2;
        // Standard streams, the input, two outputs.
        equal("files=6 environment=0", bench.run(work).report);
    }

    TEST(inputsHaveTheirOwnPosition)
    {
        Bench bench;
        const auto input = bench.file("whole");
        auto work = task("copy");
        work.inputs = {&input};
        bench.run(work);
        equal("whole", contentOf(bench.run(work).outputs.front()));
    }

    TEST(saysWhyItRefused)
    {
        Bench bench;
        CHECK(bench.run(task("sort")).report.empty());
        const auto fault = bench.faultOf(task("refuse"));
        CHECK(fault.cause() == Cause::Failed);
        equal(3, fault.exitCode());
        equal("not for me", fault.report());
        bench.expect(Cause::OutOfMemory, task("memory-code"));
    }

    TEST(aCrashIsOfThisPieceOnly)
    {
        Bench bench;
        bench.expect(Cause::Crashed, task("crash"));
        bench.expect(Cause::Crashed, task("abort"));
        equal("files=4 environment=0", bench.run(task("describe")).report);
    }

    TEST(endsAnEndlessLoop)
    {
        Bench bench;
        auto work = task("loop");
        work.limits.processorTime = 1s;
        bench.expect(Cause::TimedOut, work);
    }

    TEST(endsAWaitingProgram)
    {
        Bench bench;
        auto work = task("wait");
        work.limits.time = 100ms;
        bench.expect(Cause::TimedOut, work);
    }

    TEST(boundsMemory)
    {
        Bench bench;
        auto work = task("memory");
        work.limits.memoryBytes = 64 << 20;
        bench.expect(Cause::OutOfMemory, work);
    }

    TEST(boundsOutput)
    {
        Bench bench;
        auto work = task("large-output");
        work.limits.outputBytes = 1 << 20;
        bench.expect(Cause::OutputTooLarge, work);
        bench.expect(Cause::OutputTooLarge, task("large-report"));
        bench.expect(Cause::OutputTooLarge, task("chatter"));
    }

    TEST(refusesFilesNetworkAndProcesses)
    {
        Bench bench;
        for (const auto* what : {"socket", "file", "process", "signal", "execute"}) bench.expect(Cause::Forbidden, task(what));
    }

    TEST(runsSoManyAtATime)
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
        for (auto& result : results) equal("some bytes", result.get());
        CHECK(bench.runner.maxConcurrent() >= 1 && bench.runner.maxConcurrent() <= 3);
    }

    TEST(endsWithItsCaller)
    {
        Bench bench(1);
        std::stop_source stop;
        const auto running = [&] { return name(bench.faultOf(task("wait"), stop.get_token()).cause()); };
        auto first = std::async(std::launch::async, running);
        auto waiting = std::async(std::launch::async, running);
        while (bench.runner.maxConcurrent() == 0) std::this_thread::yield();
        stop.request_stop();
        equal("stopped", first.get());
        equal("stopped", waiting.get());
        // The place is free again.
        equal(1, bench.run(task("describe")).outputs.size());
    }

    TEST(endsWithTheHost)
    {
        Bench bench(1);
        auto running = std::async(std::launch::async, [&] { return bench.faultOf(task("wait")).cause(); });
        while (bench.runner.maxConcurrent() == 0) std::this_thread::yield();
        bench.runner.stop();
        CHECK(running.get() == Cause::Stopped);
        bench.expect(Cause::Stopped, task("describe"));
    }

    TEST(endsWithTheProcessOfTheHost)
    {
        // Processes whose parent is gone become children of this one.
        equal(0, ::prctl(PR_SET_CHILD_SUBREAPER, 1));
        TemporaryDirectory directory;
        const auto path = directory.path() / "input";
        equal(0, ::mkfifo(path.c_str(), 0600));
        const FileBody input(::open(path.c_str(), O_RDWR | O_CLOEXEC), 0, Instant{});
        equal(ssize_t(1), ::write(input.descriptor, "x", 1));
        const auto host = hostOfHelper.start({path}, directory.path());
        ::close(host.output);
        for (int left = 1; left > 0;) equal(0, ::ioctl(input.descriptor, FIONREAD, &left));
        ::kill(host.process, SIGKILL);
        ::waitpid(host.process, nullptr, 0);
        int status = 0;
        CHECK(::waitpid(-1, &status, 0) > 0);
        ::prctl(PR_SET_CHILD_SUBREAPER, 0);
        CHECK(WIFSIGNALED(status));
        equal(SIGKILL, WTERMSIG(status));
    }

    TEST(aProgramThatIsGoneIsReported)
    {
        Bench bench;
        auto work = task("copy");
        work.program = "gone";
        bench.expect(Cause::NotStarted, work);
    }

    TEST(onlyNamedProgramsRun)
    {
        PlatformFixture fixture(Dialect::SQLite);
        auto crm = fixture.load("crm", false);
        CPPUNIT_ASSERT_THROW(crm->helpers().run(task("describe")), std::logic_error);
    }

    /// The old generation drains while its helper runs; the work ends as it would have.
    TEST(aReloadLetsItEnd)
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
        CHECK(!first.generation->drain(0ms));
        std::ofstream(path) << "x";
        equal("seen", work.get());
        CHECK(first.generation->drain(30s));
        CHECK(first->clear().empty());
    }
};

} // namespace portico::tests
