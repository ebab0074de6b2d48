#pragma once

#include <cstddef>
#include <latch>
#include <thread>
#include <vector>

namespace portico::tests
{

/// Runs `work(index)` on many threads that set off together, and waits for them.
template <class Work>
void concurrently(std::size_t threads, Work work)
{
    std::latch ready(static_cast<std::ptrdiff_t>(threads));
    std::vector<std::thread> running;
    for (std::size_t i = 0; i < threads; ++i)
        running.emplace_back(
            [&, i]
            {
                ready.arrive_and_wait();
                work(i);
            });
    for (auto& thread : running) thread.join();
}

} // namespace portico::tests
