#include "support/Suite.h"

#include "host/plugins/runtime/Generation.h"

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

using namespace portico::host::plugins;

namespace
{

using portico::testing::equal;
using portico::testing::Suite;

std::shared_ptr<Generation> makeGeneration(std::uint64_t number)
{
    auto manifest = std::make_shared<Manifest>();
    manifest->serviceId = "ok";
    return std::make_shared<Generation>(std::move(manifest), number);
}
} // namespace

/// The lease protocol of plugin-lifecycle.md, section 7.
class GenerationTest : public Suite<GenerationTest>
{
    TEST(leasesOnlyWhileServing)
    {
        const auto generation = makeGeneration(1);
        CHECK(!Lease::take(generation));
        generation->serve();
        CHECK(Lease::take(generation));
        CHECK(generation->drain(std::chrono::milliseconds(0)));
        CHECK(!Lease::take(generation));
        CHECK(!Lease::take(nullptr));
        equal(0, generation->inFlight());
    }

    TEST(leaseIsGivenBackOnce)
    {
        const auto generation = makeGeneration(1);
        generation->serve();
        auto lease = Lease::take(generation);
        auto moved = std::move(lease);
        equal(1, generation->inFlight());
        auto other = Lease::take(generation);
        other = std::move(moved);
        equal(1, generation->inFlight());
        other.release();
        other.release();
        equal(0, generation->inFlight());
    }

    TEST(drainWaitsForTheLastLease)
    {
        const auto generation = makeGeneration(1);
        generation->serve();
        auto first = Lease::take(generation);
        auto second = Lease::take(generation);
        std::atomic<int> left = 0;
        std::thread leaver(
            [&]
            {
                while (generation->phase() == Generation::Phase::Serving) std::this_thread::yield();
                ++left;
                first.release();
                ++left;
                second.release();
            });
        CHECK(generation->drain(std::chrono::minutes(1)));
        equal(2, left.load());
        leaver.join();
    }

    TEST(drainGivesUpInTime)
    {
        const auto generation = makeGeneration(1);
        generation->serve();
        const auto lease = Lease::take(generation);
        CHECK(!generation->drain(std::chrono::milliseconds(1)));
        equal(1, generation->inFlight());
    }

    TEST(drainAsksRunningWorkToStop)
    {
        const auto generation = makeGeneration(1);
        generation->serve();
        const auto token = generation->stopToken();
        CHECK(!token.stop_requested());
        generation->drain(std::chrono::milliseconds(0));
        CHECK(token.stop_requested());
    }

    /// Readers enter whatever is current while generations follow each other; each is torn down after its drain, and no reader may be in
    /// one then.
    TEST(noReaderIsInsideAfterTheDrain)
    {
        struct Slot
        {
            std::shared_ptr<Generation> generation;
            /// Plays the plugin's code: written after the drain, so that a reader inside would race with it.
            std::shared_ptr<bool> unloaded;
        };
        std::mutex mutex;
        Slot current{makeGeneration(0), std::make_shared<bool>(false)};
        current.generation->serve();
        std::atomic<bool> done = false;
        std::atomic<std::uint64_t> entered = 0;
        std::atomic<std::uint64_t> insideUnloaded = 0;

        const auto read = [&]
        {
            while (!done)
            {
                Slot seen;
                {
                    const std::lock_guard lock(mutex);
                    seen = current;
                }
                const auto lease = Lease::take(seen.generation);
                if (!lease) continue;
                ++entered;
                if (*seen.unloaded) ++insideUnloaded;
            }
        };
        std::vector<std::thread> readers;
        for (int i = 0; i < 6; ++i) readers.emplace_back(read);
        for (std::uint64_t number = 1; number <= 3000; ++number)
        {
            Slot next{makeGeneration(number), std::make_shared<bool>(false)};
            next.generation->serve();
            Slot old;
            {
                const std::lock_guard lock(mutex);
                old = std::exchange(current, next);
            }
            CHECK(old.generation->drain(std::chrono::minutes(1)));
            *old.unloaded = true;
        }
        // The readers have had their chance only if they got in at all.
        while (entered < 1000) std::this_thread::yield();
        done = true;
        for (auto& reader : readers) reader.join();
        equal(0, insideUnloaded.load());
        equal(0, current.generation->inFlight());
    }
};
