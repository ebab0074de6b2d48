#pragma once

#include "host/plugins/lifecycle/PluginThread.h"
#include "host/plugins/runtime/Generation.h"

#include "portico/Logger.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace portico::host::plugins
{

struct HealthTimes
{
    /// Between two rounds.
    std::chrono::milliseconds interval{10'000};
    /// How long a plugin may think about it.
    std::chrono::milliseconds patience{2'000};
};

/// Polls the dependencies of serving plugins and stores the answers with their generations, where readers need not wait. A
/// plugin that does not return counts as failing, is not asked again until it returns, and delays no other plugin.
/// Thread-safe.
class HealthMonitor
{
public:
    using Serving = std::function<std::vector<std::shared_ptr<Generation>>()>;

    /// `serving` is called on the monitor's thread. Nothing is asked yet.
    HealthMonitor(HealthTimes times, Serving serving, Logger& log);
    /// Stops asking. Waits for pending calls into plugins no longer than the patience.
    ~HealthMonitor() { stop(); }
    void start();
    void stop();
    /// One round, by the caller: for tests. Not beside a running monitor.
    void askAll();

private:
    struct Answer;
    struct Question
    {
        std::shared_ptr<Generation> generation;
        std::shared_ptr<Answer> answer;
        std::unique_ptr<PluginThread> thread;
    };

    void run(const std::stop_token& stop);
    static Question ask(std::shared_ptr<Generation> generation);
    bool isOut(const Generation& generation) const;
    void take(const Question& question);
    void note(Generation& generation, std::vector<HealthCheck> checks);

    const HealthTimes _times;
    const Serving _serving;
    Logger& _log;
    /// Those that have not come back.
    std::list<Question> _out;
    std::mutex _mutex;
    std::condition_variable_any _wake;
    std::jthread _thread;
};

} // namespace portico::host::plugins
