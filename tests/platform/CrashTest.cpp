#include "platform/PlatformFixture.h"
#include "support/ChildProgram.h"
#include "support/Suite.h"

#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <set>

#include <sys/wait.h>
#include <unistd.h>

namespace portico::tests
{

using namespace std::chrono_literals;

namespace
{

/// Enqueues a job and publishes an event in one transaction, reports that, and repeats. Its own workers block in every job, so that the
/// kill finds some leased.
void work(PlatformFixture& fixture, int acknowledge)
{
    const auto crm = fixture.load("crm");
    crm->jobs().handle("work", [](const Job&) { ::pause(); });
    crm->events().subscribe("crm.*", [](const Event&) { ::pause(); });
    crm.publish();
    fixture.platform->start();
    for (int i = 0;; ++i)
    {
        const auto data = R"({"number":)" + std::to_string(i) + "}";
        crm->database().transact(
            [&](Transaction& transaction)
            {
                crm->jobs().enqueue(transaction, "work", data);
                crm->events().publish(transaction, "crm.x", "org_1", data);
            });
        const auto line = data + "\n";
        if (::write(acknowledge, line.data(), line.size()) < 0) ::_exit(1);
    }
}

const ChildProgram worker("works until it is killed",
                          [](const std::vector<std::string>& arguments, int acknowledge)
                          {
                              PlatformFixture fixture(Dialect::SQLite);
                              fixture.settings.stateDirectory = arguments.at(0);
                              auto& database = fixture.settings.database;
                              database.engine = arguments.at(2).empty() ? Dialect::SQLite : Dialect::PostgreSQL;
                              database.directory = arguments.at(1);
                              database.url = arguments.at(2);
                              fixture.restart();
                              work(fixture, acknowledge);
                          });

} // namespace

/// Work that was acknowledged before a `kill -9` is done after the next start, on both engines.
template <class Engine>
class CrashTest : public Suite<CrashTest<Engine>>
{
    using Self = CrashTest;

    void setUp() override
    {
        _f = std::make_unique<PlatformFixture>(Engine::dialect);
        _f->platform.reset(); // the child's takes its place
    }
    void tearDown() override { _f.reset(); }

    TEST(nothingAcknowledgedIsLost)
    {
        constexpr std::size_t enough = 25;
        const auto& settings = _f->settings;
        const auto child = worker.start({settings.stateDirectory.string(), settings.database.directory.string(), settings.database.url},
                                        _f->directory.path().string());
        const auto acknowledged = readLines(child.output, enough);
        ::kill(child.process, SIGKILL);
        ::close(child.output);
        int status = 0;
        equal(child.process, ::waitpid(child.process, &status, 0));
        CHECK(WIFSIGNALED(status));
        equal(enough, acknowledged.size());

        _f->clock.advance(2min); // leases that the dead process held on PostgreSQL are over
        _f->restart();
        Seen jobs;
        Seen events;
        const auto crm = load(jobs, events);
        _f->platform->start();
        jobs.waitForAll(acknowledged);
        events.waitForAll(acknowledged);
        _f->platform->stop();
    }

    /// Values that arrived on other threads.
    class Seen
    {
    public:
        void add(const std::string& value)
        {
            const std::lock_guard lock(_mutex);
            _values.insert(value);
            _changed.notify_all();
        }
        /// ctest's time limit is the failure.
        void waitForAll(const std::set<std::string>& wanted)
        {
            std::unique_lock lock(_mutex);
            _changed.wait(lock, [&] { return std::includes(_values.begin(), _values.end(), wanted.begin(), wanted.end()); });
        }

    private:
        std::mutex _mutex;
        std::condition_variable _changed;
        std::set<std::string> _values;
    };

    Loaded load(Seen& jobs, Seen& events)
    {
        auto crm = _f->load("crm");
        crm->jobs().handle("work", [&](const Job& job) { jobs.add(job.payload); });
        crm->events().subscribe("crm.*", [&](const Event& event) { events.add(event.data); });
        crm.publish();
        return crm;
    }

    static std::set<std::string> readLines(int descriptor, std::size_t count)
    {
        std::set<std::string> lines;
        std::string line;
        char byte = 0;
        while (lines.size() < count && ::read(descriptor, &byte, 1) == 1)
        {
            if (byte == '\n')
                lines.insert(std::exchange(line, {}));
            else
                line += byte;
        }
        return lines;
    }

    std::unique_ptr<PlatformFixture> _f;
};

template class CrashTest<OnSqlite>;
template class CrashTest<OnPostgres>;

} // namespace portico::tests
