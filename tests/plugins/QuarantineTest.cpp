#include "plugins/Workbench.h"
#include "support/Suite.h"

#include <sys/wait.h>
#include <unistd.h>

using namespace portico;
using namespace portico::host::plugins;
using portico::tests::textOf;
using portico::tests::Workbench;

namespace
{

using portico::testing::equal;
using portico::testing::Suite;

/// Starts everything in a separate process, which does not survive it.
void startAndCrash(Workbench& bench)
{
    const auto child = fork();
    if (child == 0)
    {
        bench.begin();
        bench.startAll();
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    CPPUNIT_ASSERT_MESSAGE("the fixture did not crash", WIFSIGNALED(status));
}
} // namespace

/// A plugin whose start ends the host is quarantined after the second time, and all others start.
class QuarantineTest : public Suite<QuarantineTest>
{
    TEST(quarantinedAfterTwoCrashes)
    {
        Workbench bench;
        crashTwice(bench);
        bench.begin();
        const auto result = bench.startAll();
        CPPUNIT_ASSERT_MESSAGE(textOf(result), textOf(result).find("its start ended the host twice in a row") != std::string::npos);
        CHECK(bench.report("bad").state == State::Quarantined);
        std::shared_ptr<const tests::FakePublisher::Set> set;
        CHECK(bench.publisher.find("bad", set)->status == ServiceStatus::Quarantined);
        equal(200, bench.publisher.get("other", "/answer").first);
        equal(1, bench.contexts.alive.load());
    }

    TEST(aNewFileIsTried)
    {
        Workbench bench;
        crashTwice(bench);
        CHECK(bench.serve("ok-v2", "bad").succeeded);
        equal(200, bench.publisher.get("bad", "/answer").first);
    }

    TEST(anOperatorHasItTriedAgain)
    {
        Workbench bench;
        crashTwice(bench);
        const auto child = fork();
        if (child == 0)
        {
            bench.begin();
            bench.startAll();
            // Held back until here; this must reach the crash.
            bench.reload("bad");
            _exit(0);
        }
        int status = 0;
        waitpid(child, &status, 0);
        CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    }

    TEST(aStartThatThrowsIsNoCrash)
    {
        Workbench bench;
        bench.install("start-throws", "ok");
        for (int i = 0; i < 4; ++i)
        {
            bench.begin();
            bench.startAll();
            CHECK(bench.report("ok").state == State::Failed);
            bench.end();
        }
    }

    static void crashTwice(Workbench& bench)
    {
        bench.install("ok-v1", "other");
        bench.install("start-crashes", "bad");
        startAndCrash(bench);
        startAndCrash(bench);
    }
};
