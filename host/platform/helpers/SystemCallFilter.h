#pragma once

#include <vector>

#include <linux/filter.h>

namespace portico::host::platform
{

/// Returns the filter of the system calls that a helper may make, for `PR_SET_SECCOMP`: it reads and writes the descriptors that it has,
/// asks for memory and ends. Calls that open, connect, start or signal anything end the process with SIGSYS. Made by libseccomp, which
/// knows the numbers of each architecture. @throws std::runtime_error
std::vector<sock_filter> makeHelperFilter();

} // namespace portico::host::platform
