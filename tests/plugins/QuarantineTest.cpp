#include "plugins/Workbench.h"

#include <cppunit/extensions/HelperMacros.h>

#include <sys/wait.h>
#include <unistd.h>

using namespace portico;
using namespace portico::host::plugins;
using portico::tests::textOf;
using portico::tests::Workbench;

namespace
{
/// Starts everything in a process of its own, which does not survive it.
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
class QuarantineTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(QuarantineTest);
    CPPUNIT_TEST(quarantinedAfterTwoCrashes);
    CPPUNIT_TEST(aNewFileIsTried);
    CPPUNIT_TEST(anOperatorHasItTriedAgain);
    CPPUNIT_TEST(aStartThatThrowsIsNoCrash);
    CPPUNIT_TEST_SUITE_END();

public:
    void quarantinedAfterTwoCrashes()
    {
        Workbench bench;
        crashTwice(bench);
        bench.begin();
        const auto result = bench.startAll();
        CPPUNIT_ASSERT_MESSAGE(textOf(result), textOf(result).find("its start ended the host twice in a row") != std::string::npos);
        CPPUNIT_ASSERT(bench.report("bad").state == State::Quarantined);
        std::shared_ptr<const tests::FakePublisher::Set> set;
        CPPUNIT_ASSERT(bench.publisher.find("bad", set)->status == ServiceStatus::Quarantined);
        CPPUNIT_ASSERT_EQUAL(200, bench.publisher.get("other", "/answer").first);
        CPPUNIT_ASSERT_EQUAL(1, bench.contexts.alive.load());
    }

    void aNewFileIsTried()
    {
        Workbench bench;
        crashTwice(bench);
        bench.install("ok-v2", "bad");
        bench.begin();
        CPPUNIT_ASSERT(bench.startAll().succeeded);
        CPPUNIT_ASSERT_EQUAL(200, bench.publisher.get("bad", "/answer").first);
    }

    void anOperatorHasItTriedAgain()
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
        CPPUNIT_ASSERT(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    }

    void aStartThatThrowsIsNoCrash()
    {
        Workbench bench;
        bench.install("start-throws", "ok");
        for (int i = 0; i < 4; ++i)
        {
            bench.begin();
            bench.startAll();
            CPPUNIT_ASSERT(bench.report("ok").state == State::Failed);
            bench.end();
        }
    }

private:
    static void crashTwice(Workbench& bench)
    {
        bench.install("ok-v1", "other");
        bench.install("start-crashes", "bad");
        startAndCrash(bench);
        startAndCrash(bench);
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(QuarantineTest);
