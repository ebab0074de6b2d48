#pragma once

#include <exception>
#include <functional>
#include <latch>
#include <thread>
#include <vector>

namespace portico::tests
{

/// Runs the same work on several threads that start at the same moment, and waits for all of them. Passes on the first exception.
inline void runTogether(int threads, const std::function<void(int)>& work)
{
    std::latch start(threads);
    std::vector<std::exception_ptr> failures(static_cast<std::size_t>(threads));
    {
        std::vector<std::jthread> running;
        for (int i = 0; i < threads; ++i)
            running.emplace_back(
                [&, i]
                {
                    start.arrive_and_wait();
                    try
                    {
                        work(i);
                    }
                    catch (...)
                    {
                        failures[static_cast<std::size_t>(i)] = std::current_exception();
                    }
                });
    }
    for (const auto& failure : failures)
        if (failure) std::rethrow_exception(failure);
}

} // namespace portico::tests
