#include "support/Suite.h"

#include "host/data/GroupCommit.h"

#include <array>
#include <atomic>
#include <thread>
#include <vector>

namespace portico::tests
{

namespace
{
using host::data::GroupCommit;

constexpr int threads = 8, rounds = 500;
} // namespace

/// Commits that are put on disk together (GroupCommit).
class GroupCommitTest : public Suite<GroupCommitTest>
{
    TEST(putsEachOnDiskThatComesAlone)
    {
        int synced = 0;
        GroupCommit commits([&] { ++synced; });
        for (int i = 0; i < 3; ++i) commits.wait();
        equal(3, synced);
        equal(3, commits.syncs());
    }

    TEST(commitReturnsAfterItsDataIsOnDisk)
    {
        // Commits of each thread, and those on disk: the ones that existed when a sync began.
        std::array<std::atomic<int>, threads> committed{}, onDisk{};
        std::atomic<int> syncing = 0, lost = 0;
        GroupCommit commits(
            [&]
            {
                if (++syncing != 1) ++lost;
                std::array<int, threads> seen{};
                for (int i = 0; i < threads; ++i) seen[i] = committed[i];
                std::this_thread::yield();
                for (int i = 0; i < threads; ++i) onDisk[i] = seen[i];
                --syncing;
            });
        const auto work = [&](int self)
        {
            for (int round = 1; round <= rounds; ++round)
            {
                committed[self] = round;
                commits.wait();
                if (onDisk[self] < round) ++lost;
            }
        };
        std::vector<std::jthread> running;
        for (int i = 0; i < threads; ++i) running.emplace_back(work, i);
        running.clear();
        equal(0, lost.load());
        CHECK(commits.syncs() <= std::uint64_t{threads * rounds});
    }

    TEST(commitsDuringASyncShareTheNext)
    {
        std::atomic<int> syncs = 0, done = 0;
        std::atomic<bool> free = false;
        GroupCommit commits(
            [&]
            {
                ++syncs;
                free.wait(false);
            });
        const auto work = [&]
        {
            commits.wait();
            ++done;
        };
        std::vector<std::jthread> running;
        running.emplace_back(work);
        while (syncs == 0) std::this_thread::yield();
        // The first write is running: it does not cover later commits, and the next one covers all of them.
        for (int i = 1; i < threads; ++i) running.emplace_back(work);
        while (commits.asked() < threads) std::this_thread::yield();
        equal(0, done.load());
        free = true;
        free.notify_all();
        running.clear();
        equal(threads, done.load());
        equal(2, syncs.load());
    }
};

} // namespace portico::tests
