#pragma once

#include "portico/Helper.h"

#include <condition_variable>
#include <cstddef>
#include <filesystem>
#include <mutex>
#include <set>
#include <string_view>
#include <vector>

#include <linux/filter.h>

namespace portico::host::platform
{

/// Returns a file without a name that has these bytes. @param folder where it takes its room @throws HelperFault NotStarted
FileBody outputWith(const std::filesystem::path& folder, std::string_view bytes);

/// Runs helpers of all services, with a maximum number at a time. Thread-safe.
class HelperRunner
{
public:
    /// @param folder where outputs take their room; it is made at the first use
    HelperRunner(std::filesystem::path folder, std::size_t processes);
    HelperRunner(const HelperRunner&) = delete;
    HelperRunner& operator=(const HelperRunner&) = delete;
    /// No call runs any more.
    ~HelperRunner();

    /// Runs a program of a package; `task.program` is relative to `package`. @throws HelperFault
    HelperResult run(const std::filesystem::path& package, const HelperTask& task, const std::stop_token& stop);
    /// Ends all processes, for good: every call, running and later, throws HelperFault Stopped.
    void stop() noexcept;
    /// Largest number that ever ran at a time.
    std::size_t maxConcurrent() const;

private:
    class Turn;

    HelperResult runNow(const std::filesystem::path& package, const HelperTask& task, int stop);
    const std::vector<sock_filter>& filter();

    const std::filesystem::path _folder;
    const std::size_t _processes;
    mutable std::mutex _mutex;
    std::condition_variable_any _changed;
    std::vector<sock_filter> _filter;
    std::size_t _running = 0;
    std::size_t _most = 0;
    /// Descriptors that end the calls that run.
    std::set<int> _stops;
    bool _stopped = false;
};

} // namespace portico::host::platform
