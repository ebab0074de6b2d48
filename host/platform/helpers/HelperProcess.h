#pragma once

#include "host/base/FileDescriptor.h"

#include "portico/Helper.h"

#include <chrono>
#include <string>
#include <vector>

#include <linux/filter.h>
#include <sys/resource.h>
#include <sys/types.h>

namespace portico::host::platform
{

/// The parts of a process of a helper. The descriptors outlive its start.
struct HelperStart
{
    int program = -1;
    /// `argv`; the first is the program's name.
    std::vector<std::string> words;
    /// They become 3, 4, 5, …
    std::vector<int> files;
    HelperLimits limits;
    const std::vector<sock_filter>& filter;
};

/// How a process of a helper ended.
struct HelperEnd
{
    /// Status of wait4(2).
    int status = 0;
    /// Set where the host ended it, with the cause.
    bool ended = false;
    HelperFault::Cause cause = HelperFault::Cause::Failed;
    std::string report;
    /// The beginning of its standard error, for the log.
    std::string words;
    rusage usage = {};
    std::chrono::milliseconds took{0};
};

/// One process of a helper: without privileges, network and environment, in a separate process group, under the filter and the limits. It
/// is killed when this ends, and when the thread that made it ends. Used by that thread.
class HelperProcess
{
public:
    /// Starts it. @throws HelperFault NotStarted
    explicit HelperProcess(const HelperStart& start);
    HelperProcess(const HelperProcess&) = delete;
    HelperProcess& operator=(const HelperProcess&) = delete;
    ~HelperProcess();

    /// Waits for its end, or ends it: after `limits.time`, when `stop` becomes readable, or when its report is too large.
    HelperEnd wait(const HelperLimits& limits, int stop);

private:
    void end(HelperEnd& end, HelperFault::Cause cause);

    pid_t _process = -1;
    FileDescriptor _handle;
    FileDescriptor _report;
    FileDescriptor _words;
    std::chrono::steady_clock::time_point _started;
};

} // namespace portico::host::platform
